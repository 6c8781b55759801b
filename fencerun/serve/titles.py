"""What a lesson is called in a list: its front matter's title, else its first heading. Pure.

Rendering a page gives its title too, and takes a hundred times as long.
"""

from __future__ import annotations

import re

from fencerun.page import Page

_TITLE = re.compile(r"^title:[ \t]+(?P<title>\S.*)$", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,2}[ \t]+(?P<title>\S.*?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
_MARKS = re.compile(r"`|\*\*|(?<!\w)[*_]|[*_](?!\w)|\\(?=[^\w\s])")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


class Titles:
    """Titles by page, each worked out once for a text."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, str]] = {}

    def of(self, page: Page) -> str:
        """What ``page`` is called."""
        known = self._known.get(page.path)
        key = hash(page.text)
        if known is None or known[0] != key:
            known = self._known[page.path] = (key, title(page.text) or page.path)
        return known[1]


def title(text: str) -> str:
    """The title of a page with this text; empty where it has none."""
    front, body = _split(text.replace("\r\n", "\n").replace("\r", "\n"))
    found = _TITLE.search(front)
    if found:
        return _plain(found["title"].strip().strip("\"'"))
    for line in _outside_code(body):
        found = _HEADING.match(line)
        if found:
            return _plain(found["title"])
    return ""


def _split(text: str) -> tuple[str, str]:
    """Front matter and the rest."""
    if not re.match(r"---[ \t]*\n", text):
        return "", text
    end = re.compile(r"^(---|\.\.\.)[ \t]*$", re.MULTILINE).search(text, 4)
    return (text[: end.start()], text[end.end() :]) if end else ("", text)


def _outside_code(text: str) -> list[str]:
    """The first lines of a page, up to its first code block: a title stands before that."""
    lines = text[:8192].splitlines()
    for at, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            return lines[:at]
    return lines


def _plain(text: str) -> str:
    return _MARKS.sub("", _LINK.sub(r"\1", text)).strip()
