"""Images of a page: their addresses change when their files do, so that browsers look again.

Also what a fence drew just now, where that is not what its page shows.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from fencerun.events import Verdict
from fencerun.figures import DIRECTORY
from fencerun.page import Page
from fencerun.rendering import pictures

#: Bytes at the head of an image in which its size stands.
_HEAD = 4096

#: Verdicts under which a page's figures may be other ones than were drawn.
_OTHER = ("changed", "rounding", "unrecorded", "elsewhere", "known", "failed")


def versioned(page: str) -> Callable[[str], str]:
    """What to write for an address of an image on the page at this path."""

    def address(written: str) -> str:
        file = _beside(page, written)
        stamp = _stamp(file) if file else ""
        return f"{written.partition('#')[0]}?v={stamp}" if stamp else written

    return address


def sized(page: str) -> Callable[[str], tuple[int, int] | None]:
    """Width and height in pixels for an address of an image, None where they are not known.

    With them nothing on the page moves when the image is there.
    """

    def size(written: str) -> tuple[int, int] | None:
        file = _beside(page, written)
        try:
            if file is None or not file.is_file():
                return None
            with file.open("rb") as opened:
                return pictures.size(opened.read(_HEAD))
        except (OSError, ValueError):
            return None

    return size


def _beside(page: str, written: str) -> Path | None:
    """The file that an address on the page at this path leads to, None for one elsewhere."""
    parts = urlsplit(written)
    if parts.scheme or parts.netloc or parts.query or not parts.path:
        return None
    return Path(os.path.abspath(page)).parent / unquote(parts.path)


def stamps(page: Page) -> tuple[str, ...]:
    """Equal for two moments between which no figure of the page's fences was drawn anew."""
    if not any(fence.tags.figure for fence in page.fences):
        return ()
    directory = Path(os.path.abspath(page.path)).parent / DIRECTORY
    try:
        found = [(entry.name, entry.stat().st_mtime_ns) for entry in os.scandir(directory)]
    except OSError:
        return ()
    return tuple(f"{name}:{when}" for name, when in sorted(found))


def _stamp(path: Path) -> str:
    try:
        return f"{path.stat().st_mtime_ns:x}"
    except (OSError, ValueError):
        return ""


def drawn(verdict: Verdict | None) -> str:
    """The figures that a fence drew, as HTML for its panel; empty where the page shows them."""
    if verdict is None or verdict.kind not in _OTHER or not verdict.figures:
        return ""
    return '<p class="panel-label">drawn now</p>' + "".join(map(_image, verdict.figures))


def _image(svg: str) -> str:
    data = base64.b64encode(svg.encode("utf-8", "replace")).decode()
    # As an image, an SVG runs no script and loads nothing.
    return f'<img class="drawn" alt="what it drew" src="data:image/svg+xml;base64,{data}">'
