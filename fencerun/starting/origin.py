"""How another machine installs this fencerun: what pip noted when it installed it here (PEP 610).

Reads the metadata of the installed distribution, and nothing of the project.
"""

from __future__ import annotations

import json
from importlib import metadata

from fencerun import __version__
from fencerun.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """A requirement for ``pip install``; ``local`` where this copy came from this machine alone."""

    requirement: str
    local: bool = False


def origin(noted: str | None) -> Origin:
    """The origin that a ``direct_url.json`` tells; without one, the package index."""
    indexed = f"fencerun=={__version__}"
    try:
        said = json.loads(noted or "{}")
        url = str(said.get("url", ""))
        vcs = said.get("vcs_info", {})
        kind, commit = vcs.get("vcs"), vcs.get("commit_id")
    except (ValueError, AttributeError):
        return Origin(indexed)
    if not url:
        return Origin(indexed)
    if "'" in url or not url.startswith(("https://", "http://", "ssh://")):
        # A folder or a file of this machine. Its version may be on the index, or not yet.
        return Origin(indexed, local=True)
    if kind and commit:
        return Origin(f"fencerun @ {kind}+{url}@{commit}")
    return Origin(f"fencerun @ {url}")


def installed() -> Origin:
    """The origin of the fencerun that runs."""
    try:
        return origin(metadata.distribution("fencerun").read_text("direct_url.json"))
    except metadata.PackageNotFoundError:
        return Origin(f"fencerun=={__version__}", local=True)
