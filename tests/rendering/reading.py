"""What tests of rendering share: pages from text, and HTML read back."""

from __future__ import annotations

import textwrap
from html.parser import HTMLParser

from fencerun import reader, rendering
from fencerun.page import Page

#: Elements without an end tag.
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


def page(text: str, path: str = "page.md") -> Page:
    """A page of dedented text."""
    return reader.parse(textwrap.dedent(text).lstrip("\n").encode(), path)


def body(text: str, **wishes: object) -> str:
    """What a page of this text is rendered to."""
    return rendering.render(page(text), **wishes).body  # type: ignore[arg-type]


class Elements(HTMLParser):
    """Every element of some HTML with its attributes, and the text outside of tags.

    ``open`` are those that are never closed, ``stray`` end tags of what is not open.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.open: list[str] = []
        self.stray: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                self.stray.append(tag)
        else:
            self.stray.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data

    def of_class(self, name: str) -> list[dict[str, str]]:
        """The attributes of each element of a class."""
        return [said for _, said in self.found if name in said.get("class", "").split()]
