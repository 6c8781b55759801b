"""Faults of a page that its block structure hides: what its author meant and no parser sees.

Works on raw lines beside the blocks that were found. Knows nothing of tags' meanings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from fencerun import mkdocs
from fencerun.events import Problem
from fencerun.page import CodeBlock
from fencerun.patterns import later
from fencerun.text import Lines

_SIGNS = ("fence:", "fence=", "output:", "output=")
# What would open a tagged block: anchored, so that a line of 100,000 backticks costs one pass.
_OPENER = later(
    r"[ \t>]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)?(`{3,}|~{3,})"
    r"([^\r\n]*?[ \t{](?:fence|output)[:=]\"?[0-9][^\r\n]*)",
)
#: The same in a text, wherever it begins.
_WITHIN = later(r"(?<![\\`~])(?:`{3,}|~{3,})[^\r\n`~]*?[ \t{](fence[:=]\"?[0-9])")
_ALONE = later(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*")
_NEVER = "this looks like a tagged fence and never runs: "
_SYNTAX = "set `syntax: mkdocs`"
_CONFLICT = later(r"^(<{7}|={7}|>{7})(?: |\r?$)", re.MULTILINE)


def not_utf8(data: bytes, path: str, error: UnicodeDecodeError) -> Problem:
    """The problem of a page that cannot be decoded."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Problem(path, 1, "encoding", "the page is UTF-16", "save it as UTF-8")
    before = data[: error.start]
    line = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
    what = f"byte {data[error.start]:#04x} is not UTF-8"
    return Problem(path, line, "encoding", what, "save the page as UTF-8")


def raw_lines(
    path: str, lines: Lines, covered: Sequence[tuple[int, int]], tokens: Sequence[Any]
) -> Iterator[Problem]:
    """Conflict markers, and lines that look like tagged fences but are none."""
    yield from _conflict(path, lines)
    for line in _candidates(lines, covered):
        text = lines.text(line)
        if "```" not in text and "~~~" not in text:
            continue  # a comment or a value
        opener = _OPENER.match(text)
        why = None if opener is None else _why_not(line, opener, tokens)
        if why is None and _WITHIN.search(text):
            why = _in_text(line, tokens)
        if why:
            yield Problem(path, line + 1, "not-a-fence", why[0], why[1])


def _candidates(lines: Lines, covered: Sequence[tuple[int, int]]) -> list[int]:
    """The lines that hold a sign of ours, outside of the sorted, disjoint spans of lines.

    ``str.find`` takes a tenth of a pattern's time, and inside lie most of the signs.
    """
    find, start, found = lines.source.find, lines.start, set()
    line = 0
    for first, last in (*covered, (len(lines), len(lines))):
        if line < first:
            begin, end = start[line], lines.end[first - 1]
            for sign in _SIGNS:
                at = find(sign, begin, end)
                while at >= 0:
                    found.add(lines.number_at(at))
                    at = find(sign, at + 1, end)
        line = last
    return sorted(found)


def _why_not(line: int, opener: re.Match[str], tokens: Sequence[Any]) -> tuple[str, str] | None:
    run, info = opener[1], opener[2]
    for index, token in enumerate(tokens):
        if token.map is None or not token.map[0] <= line < token.map[1]:
            continue
        if token.type == "html_block":
            if token.content.lstrip().startswith("<!--"):
                return None  # commented out, as its author can see
            begin = token.map[0] + 1
            where = f"it lies in the HTML block that begins on line {begin}"
            return _NEVER + where, "put a blank line before it"
        if token.type == "code_block":
            remedy = "indent it less, or untag it"
            if mkdocs.opens(_above(tokens, index)):
                remedy = f"{_SYNTAX}, or {remedy}"
            return _NEVER + "it is indented by four spaces or more", remedy
        if token.type == "inline" and mkdocs.opens(token.content.split("\n")[0]):
            where = f"it lies in the paragraph that begins on line {token.map[0] + 1}"
            return _NEVER + where, _SYNTAX
    if run[0] == "`" and "`" in info and not _closes(info, len(run)):
        return _NEVER + "a backtick in its info string", "fence it with ~~~ instead"
    return None


def _in_text(line: int, tokens: Sequence[Any]) -> tuple[str, str] | None:
    """A delimiter with a tag that is text, as it does not begin its line, or is far indented.

    What stands in a code span, or behind a backslash, is meant to be text; but for a span that
    ends on a line of its own, as a code block does.
    """
    for token in tokens:
        if token.type != "inline" or not token.map[0] <= line < token.map[1]:
            continue
        said, prose, last = _lines_of(token.content)
        row = min(line - token.map[0], len(said) - 1)
        meant = _WITHIN.search(said[row])
        if meant is None or "`" in said[row][meant.end() :]:
            return None  # a line that ends what it begins shows it
        is_code = prose[row][slice(*meant.span(1))] != meant[1]
        if is_code and row >= last:
            return None
        where = "it is part of the text around it"
        return _NEVER + where, "begin a line with it, behind three blanks at most"
    return None


@lru_cache(maxsize=1)
def _lines_of(text: str) -> tuple[list[str], list[str], int]:
    """The lines of a paragraph, and its prose; the last line that is a delimiter, or -1."""
    from fencerun.prose import without_code  # for pages with a fault

    said = text.split("\n")
    alone = (row for row, line in enumerate(said) if _ALONE.fullmatch(line))
    return said, without_code(text).split("\n"), max(alone, default=-1)


def _above(tokens: Sequence[Any], index: int) -> str:
    """The last line of the paragraph before a token; nothing where there is none."""
    if index < 2 or tokens[index - 1].type != "paragraph_close":
        return ""
    return str(tokens[index - 2].content).rpartition("\n")[2]


def _closes(text: str, length: int) -> bool:
    """Whether a run of exactly ``length`` backticks in ``text`` makes the line inline code."""
    return any(len(run) == length for run in re.findall("`+", text))


def _conflict(path: str, lines: Lines) -> Iterator[Problem]:
    """``<<<<<<<``, ``=======``, ``>>>>>>>`` in that order; any of them alone is just text."""
    if "<<<<<<<" not in lines.source or ">>>>>>>" not in lines.source:
        return
    wanted, at = ("<", "=", ">"), []
    for match in _CONFLICT.finditer(lines.source):
        mark = match[1][0]
        if mark == "<":
            at = [match.start()]
        elif at and mark == wanted[len(at)]:
            at.append(match.start())
            if len(at) == 3:
                first, *rest = (lines.number_at(offset) + 1 for offset in at)
                what = "merge-conflict markers"
                yield Problem(path, first, "conflict", what, "resolve it", also=tuple(rest))
                at = []


def blocks(path: str, lines: Lines, found: Sequence[CodeBlock]) -> Iterator[Problem]:
    """Unclosed blocks, blocks that swallow others, and tabs that parsers disagree on.

    Blocks left open on a page that has nothing of ours are not our business.
    """
    ours = any(block.info.tagged for block in found)
    for block in found:
        swallowed = _swallowed(lines, block)
        if not block.closed and (ours or swallowed is not None):
            name = _name(block)
            what = f"{name} is never closed"
            if block.content.strip() and swallowed is not None:
                what += f"; it swallows the tagged fence on line {swallowed + 1}"
            remedy = f"close it with a line {block.markup}"
            also = () if swallowed is None else (swallowed + 1,)
            yield Problem(path, block.line, "unclosed", what, remedy, also=also)
        elif swallowed is not None:
            what = f"{_name(block)} swallows the tagged fence on line {swallowed + 1}"
            remedy = (
                "close it before that line, or open it with a longer delimiter to show it as text"
            )
            yield Problem(path, block.line, "swallows", what, remedy, also=(swallowed + 1,))
        if block.info.tagged:
            yield from _tabs(path, lines, block)


def _name(block: CodeBlock) -> str:
    if block.info.number:
        return f"fence:{block.info.number}"
    if block.info.output:
        return f"output:{block.info.output}"
    return "this code block"


def _swallowed(lines: Lines, block: CodeBlock) -> int | None:
    """A line in the block that would open a tagged block, had this one been closed before it."""
    if "fence" not in block.content or block.info.output:
        return None
    for line in range(block.open + 1, block.end):
        opener = _OPENER.match(lines.source, lines.start[line], lines.text_end[line])
        if opener is None or not re.search(r"[ \t{]fence[:=]", opener[2]):
            continue
        if opener[1][0] == block.markup[0] and len(opener[1]) >= len(block.markup):
            return line
    return None


def _tabs(path: str, lines: Lines, block: CodeBlock) -> Iterator[Problem]:
    """A tab that a container splits is code to some parsers and layout to others.

    Measured: cmark, cmark-gfm and comrak read a tab in a list prefix otherwise than markdown-it
    and pulldown-cmark; a tab after the closing delimiter keeps pulldown-cmark and marked from
    seeing it at all.
    """
    closing = lines.text(block.end - 1)
    if block.closed and closing.rstrip(" ").endswith("\t"):
        what = "a tab after the closing delimiter: some renderers do not close the block"
        yield Problem(path, block.end, "tab", what, "delete the tab")
    if not block.container:
        return
    opening = lines.text(block.open)
    marker = opening.find(block.markup)
    column = len(opening[:marker].expandtabs(4))
    column += opening[:marker].endswith(">")  # a bare `>` takes a blank of each line that has one
    for line in range(block.start, block.end):
        text = lines.text(line)
        layout = (
            text[:marker] if line == block.open else text[: len(text) - len(text.lstrip(" \t>"))]
        )
        if "\t" in layout[:column]:
            what = "a tab in the indentation of a list or quote: renderers disagree on the code"
            yield Problem(path, line + 1, "tab", what, "indent with spaces")
            return
