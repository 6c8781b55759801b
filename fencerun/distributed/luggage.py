"""What travels with a page to where it runs: all that its key covers, as bytes, and no more.

Packed from the page and the files beside it, laid out in a fresh directory there. Knows no network.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Mapping
from pathlib import Path

from fencerun import freshness
from fencerun.figures import DIRECTORY
from fencerun.frozen import dataclass
from fencerun.localmodules import Read
from fencerun.members import Member
from fencerun.surroundings import home


@dataclass(frozen=True, slots=True)
class Luggage:
    """A page's files, by path (with ``/``) from a directory that has ``home`` in it."""

    #: Where the page lies.
    home: str
    files: Mapping[str, bytes]
    #: The page's own files, for chains that run in a fresh directory.
    blocks: Mapping[str, str]
    #: What its fences ask for, as the page writes it.
    requires: tuple[str, ...]


def pack(settled: Mapping[int, Member], read: Read, data: bytes) -> Luggage:
    """The luggage of the page with these members, the page itself as ``data``.

    ``read`` takes paths relative to the page.
    """
    found: dict[str, bytes] = {}

    def noted(path: str) -> bytes | None:
        content = read(path)
        if content is not None:
            found[path] = content
        return content

    for member in settled.values():
        freshness.of_chain(freshness.chain_of(member, settled), noted)
    page = next(iter(settled.values())).page
    for path in _figures(data):
        noted(path)
    found[os.path.basename(page.path)] = data
    below = _below(found)
    parts = Path(home(page.path)).parts
    inside = "/".join(parts[len(parts) - below :])
    return Luggage(
        inside or ".",
        {posixpath.normpath(posixpath.join(inside, path)): data for path, data in found.items()},
        {block.path: block.text for block in page.files},
        tuple(dict.fromkeys(name for member in settled.values() for name in member.requires)),
    )


def _figures(data: bytes) -> set[str]:
    """The figures that the page shows."""
    import re

    pattern = rb"\b" + DIRECTORY.encode() + rb"/[\w.-]+"
    return {match.decode("utf-8", "replace") for match in re.findall(pattern, data)}


def _below(paths: Iterable[str]) -> int:
    """How many directories up the paths lead at most."""
    return max(posixpath.normpath(path).split("/").count("..") for path in paths)


def unpack(luggage: Luggage, directory: str) -> str:
    """Lay the files out in ``directory``; where the page lies there."""
    for path, data in luggage.files.items():
        target = Path(directory, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return os.path.normpath(os.path.join(directory, luggage.home))
