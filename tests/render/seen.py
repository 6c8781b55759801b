"""What a reader sees of a page's HTML, and what that says of a form."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Literal

from .forms import TAGS, Form

#: As it should be · the code is not in colour · readers see tags, or the block is broken.
Outcome = Literal["fine", "plain", "shown"]

_VOID = ("br", "hr", "img", "input", "meta", "link")
_UNSEEN = ("script", "style", "title", "head")
_HEADING = re.compile("h[1-6]")
_LANGUAGE = re.compile(r"(?:^|[\s-])(?:python|cpp)\b", re.IGNORECASE)


class Seen(HTMLParser):
    """Reads HTML. ``blocks`` are the texts of its ``pre``, ``prose`` is all text outside them."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self.colour: list[bool] = []
        self.elements: set[str] = set()
        self._prose: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(html)
        self.close()
        self.prose = " ".join("".join(self._prose).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add("heading" if _HEADING.fullmatch(tag) else tag)
        said = dict(attrs)
        named = " ".join(
            str(said.get(name) or "") for name in ("class", "lang", "data-lang", "data-language")
        )
        if tag == "pre" and not self._in("pre"):
            self.blocks.append("")
            around = any(known for _, known in self._open)
            self.colour.append(around)
        known = _LANGUAGE.search(named) is not None
        if self._in("pre") or tag == "pre":
            self.colour[-1] |= known or (tag == "span" and bool(said.get("class")))
        if tag not in _VOID:
            self._open.append((tag, known))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at][0] == tag:
                del self._open[at:]
                return

    def handle_data(self, data: str) -> None:
        if any(tag in _UNSEEN for tag, _ in self._open):
            return
        if self._in("pre"):
            self.blocks[-1] += data
        else:
            self._prose.append(data)

    def _in(self, tag: str) -> bool:
        return any(opened == tag for opened, _ in self._open)


def outcome(form: Form, html: str) -> Outcome:
    """What became of a form."""
    seen = Seen(html)
    everything = " ".join((seen.prose, *seen.blocks))
    if any(tag in everything for tag in TAGS):
        return "shown"
    if not all(words in seen.prose for words in form.text):
        return "shown"
    if not set(form.elements) <= seen.elements:
        return "shown"
    if not form.code:
        return "shown" if seen.blocks else "fine"
    if [block.strip() for block in seen.blocks] != [form.code.strip()]:
        return "shown"
    if form.code.split()[0] in seen.prose:
        return "shown"
    return "fine" if not form.language or seen.colour[0] else "plain"
