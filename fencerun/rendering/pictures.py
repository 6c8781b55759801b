"""What kinds of picture a page shows, and how large one is, read from its first bytes. Pure.

The size keeps its place free on the page while it loads.
"""

from __future__ import annotations

import re

from fencerun.patterns import later

#: Media types of pictures, by suffix.
KINDS = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
}

#: Pixels in each unit that a length of SVG may have; none is pixels.
_UNITS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "pc": 16.0}
_SVG = later(r"<svg\b[^>]*>")
_LENGTH = r"""\s{}\s*=\s*["']([0-9.]+)(px|pt|in|cm|mm|pc)?["']"""


def size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of a PNG, a GIF or an SVG; None where they are not said."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    element = _SVG.search(data[:4096].decode("utf-8", "replace"))
    if element is None:
        return None
    width, height = (_length(element[0], name) for name in ("width", "height"))
    return (width, height) if width and height else None


def _length(element: str, name: str) -> int:
    match = re.search(_LENGTH.format(name), element)
    try:
        return round(float(match[1]) * _UNITS[match[2] or ""]) if match else 0
    except (ValueError, OverflowError):
        return 0
