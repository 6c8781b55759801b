"""Prose of a page as other tools' Markdown: in cells of its own, formulas in dollars. Pure.

A fence in a list or quote ends the cell, so what follows it there loses its indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fencerun import frontmatter, infostring
from fencerun.page import Page
from fencerun.patterns import later
from fencerun.rendering.containers import parts
from fencerun.rendering.mathrules import formula

_CODE = later(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_SETTINGS = later(r"<!--[ \t]+fencerun:.*?-->[ \t]*\Z")
_SPAN = "<span"


class Prose:
    """The prose of one page, by lines. ``first`` is the line after its front matter."""

    def __init__(self, page: Page) -> None:
        self.page = page
        front = page.text[:1] in ("-", "+")
        self.first = frontmatter.read(page.lines, page.path)[0] if front else 0
        #: Lines in code blocks, and the mkdocs containers that each line lies in.
        self.code: set[int] = set()
        self.depth: dict[int, int] = {}
        self.titles: dict[int, str] = {}
        for token in page.tokens:
            if token.type in ("fence", "code_block") and token.map:
                self.code.update(range(*token.map))
            elif token.type == "mkdocs_open":
                self._container(token)
        self.values = self._values()

    def _container(self, token: Any) -> None:
        start, end = token.map
        _, kind, title = parts(token.info)
        shown = kind.split(" ", 1)[0].capitalize() if title is None else title
        self.titles[start] = f"**{shown}**" if shown else ""
        for line in range(start + 1, end):
            self.depth[line] = self.depth.get(line, 0) + 1

    def _values(self) -> dict[int, list[tuple[int, int, str]]]:
        """For each line, from which to which offset a value's element goes, and its text."""
        found: dict[int, list[tuple[int, int, str]]] = {}
        for value in self.page.values:
            start = self.page.text.rfind(_SPAN, 0, value.start)
            end = self.page.text.find(">", value.end) + 1
            line = self.page.lines.number_at(value.start)
            if start >= self.page.lines.start[line] and end:
                found.setdefault(line, []).append((start, end, value.text))
        return found

    def between(self, start: int, end: int) -> str:
        """The Markdown from line ``start`` to before line ``end``; empty where there is none."""
        lines = list(self._lines(start, end))
        while lines and not lines[0][1].strip():
            del lines[0]
        while lines and not lines[-1][1].strip():
            lines.pop()
        return "".join(_converted(_dedented(lines)))

    def _lines(self, start: int, end: int) -> Iterator[tuple[bool, str]]:
        """Each line, and whether it is code."""
        for line in range(start, end):
            text = self._line(line)
            if _SETTINGS.match(text.strip()) and line not in self.code:
                continue
            if line in self.titles:
                indent = text[: len(text) - len(text.lstrip())]
                yield False, indent + self.titles[line]
                yield False, ""
                continue
            yield line in self.code, text

    def _line(self, line: int) -> str:
        lines = self.page.lines
        text, at = "", lines.start[line]
        for start, end, shown in self.values.get(line, ()):
            text += lines.source[at:start] + shown
            at = end
        text += lines.source[at : lines.text_end[line]]
        for _ in range(self.depth.get(line, 0)):
            text = text.expandtabs(4).removeprefix("    ")
        return _untagged(text) if line in self.code else text


def _untagged(text: str) -> str:
    """The first line of a code block without a tag of ours."""
    at = text.find("fence:none")
    opens = text.lstrip(" \t>").startswith(("```", "~~~"))
    if at > 0 and opens and infostring.parse_info(text.lstrip(" \t>").lstrip("`~")).number == 0:
        return (text[:at].rstrip() + text[at + len("fence:none") :]).rstrip()
    return text


def _dedented(lines: list[tuple[bool, str]]) -> list[tuple[bool, str]]:
    """The lines without the indentation that the first of them share."""
    indents = []
    for _, text in lines:
        if text.strip():
            indent = len(text) - len(text.lstrip(" "))
            if indent == 0:
                break
            indents.append(indent)
    least = min(indents, default=0)
    made, inside = [], least > 0
    for code, text in lines:
        inside = inside and (not text.strip() or text.startswith(" " * least))
        made.append((code, text[least:] if inside else text))
    return made


def _converted(lines: list[tuple[bool, str]]) -> Iterator[str]:
    """The text, its formulas in dollars; code is as it stands."""
    run: list[str] = []
    for at, (code, text) in enumerate(lines):
        end = "\n" if at + 1 < len(lines) else ""
        if not code:
            run.append(text + end)
            continue
        yield from _paragraphs("".join(run))
        run = []
        yield text + end
    yield from _paragraphs("".join(run))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"(\n[ \t]*\n)", text):
        yield in_dollars(paragraph)


def in_dollars(text: str) -> str:
    r"""One paragraph with its formulas as ``$…$`` and ``$$…$$``; other dollars are ``\$``."""
    if "$" not in text and "\\(" not in text and "\\[" not in text:
        return text
    out: list[str] = []
    at = 0
    while at < len(text):
        sign = text[at]
        if sign == "`" and (code := _CODE.match(text, at)):
            out.append(code[0])
            at = code.end()
        elif sign in "\\$" and (found := formula(text, at, len(text))):
            tex, end, display = found
            out.append(f"$${tex}$$" if display else f"${tex.strip()}$")
            at = end
        elif sign == "\\":
            out.append(text[at : at + 2])
            at += 2
        else:
            out.append("\\$" if sign == "$" else sign)
            at += 1
    return "".join(out)
