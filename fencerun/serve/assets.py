"""The files that a page shows: images beside it, of kinds that are listed here, and no other.

A page is served under its path, so that its own relative links name its assets. What may be
handed out: a file below the directory of a page that is served, which no link leads out of that
directory, and nothing hidden.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from fencerun.frozen import dataclass
from fencerun.rendering import pictures

#: By suffix. An image is the only thing that a page shows without asking.
KINDS = {
    **pictures.KINDS,
    ".ico": "image/x-icon",
    ".bmp": "image/bmp",
}

#: An SVG that is opened by itself is a document of this site: it may draw, and do nothing else.
SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

#: More than any figure; a browser that is sent more has other worries.
LARGEST = 64 << 20


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that may be handed out, and its media type."""

    path: Path
    kind: str


def find(wanted: str, base: Path, directories: Iterable[Path]) -> Asset | None:
    """The file called ``wanted`` (``/`` between parts) below ``base``; None where it may not go.

    ``directories`` are those of the pages that are served.
    """
    kind = KINDS.get(PurePosixPath(wanted).suffix.lower())
    parts = wanted.split("/")
    if kind is None or "\\" in wanted or "\0" in wanted:
        return None
    if any(part.startswith(".") or not part for part in parts):
        return None
    try:
        real = (base / wanted).resolve(strict=True)
        allowed = [directory.resolve() for directory in directories]
        inside = any(
            base.joinpath(wanted).is_relative_to(named) and real.is_relative_to(directory)
            for named, directory in zip(directories, allowed)  # noqa: B905
        )
        if not inside or not real.is_file() or real.stat().st_size > LARGEST:
            return None
    except (OSError, ValueError, RuntimeError):
        return None
    # What a link is called says nothing of what it leads to.
    return Asset(real, kind) if real.suffix.lower() in KINDS else None
