"""Places in HTML that is yet to be sanitised, and what goes into them afterwards. Pure.

A page is sanitised as a whole, because an element of raw HTML may open in one block and close in
another. What this package makes itself (highlighted code, math, panels) need not pass there: an
element with a mark stands in for it, which nothing on the page can forge.
"""

from __future__ import annotations

import hashlib
import re


class Slots:
    """Takes HTML that is safe as it is, and gives the elements that hold its place.

    The mark is a hash of the page, which no page can hold, so equal pages give equal HTML.
    """

    def __init__(self, source: str) -> None:
        self.mark = hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()[:24]
        #: What goes into each place, and whether the element that holds it goes away.
        self._made: list[tuple[str, bool]] = []

    def opening(self, attributes: str, tag: str = "div") -> str:
        """The start tag of an element that the caller closes; ``attributes`` are safe HTML."""
        return self._place(tag, f"<{tag}{' ' if attributes else ''}{attributes}>", leaf=False)

    def leaf(self, html: str, tag: str = "div") -> str:
        """An element for which ``html`` will be written; a ``span`` inside of paragraphs."""
        return f"{self._place(tag, html, leaf=True)}</{tag}>"

    def _place(self, tag: str, html: str, *, leaf: bool) -> str:
        self._made.append((html, leaf))
        return f'<{tag} data-slot="{self.mark}-{len(self._made) - 1}">'

    def holds(self, value: str) -> bool:
        """Whether the attribute ``data-slot`` with this value is one of ours."""
        return value.startswith(f"{self.mark}-")

    def fill(self, html: str) -> str:
        """``html`` with everything in its place."""
        place = re.compile(rf'<(\w+) data-slot="{self.mark}-(\d+)">(</\1>)?')
        return place.sub(self._filled, html)

    def _filled(self, match: re.Match[str]) -> str:
        made, leaf = self._made[int(match[2])]
        return made if leaf else f"{made}{match[3] or ''}"
