"""Regions: recordings that are Markdown themselves, between a comment and its closing one.

Finds them among a page's tokens and reads their text; says what text cannot stand in one. Knows
nothing of how a region is written, or of what it should say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fencerun.infostring import InfoString, parse_closing, parse_comment, parse_info
from fencerun.page import CodeBlock
from fencerun.patterns import later
from fencerun.recording import lead_of
from fencerun.text import Lines
from fencerun.values import ATTRIBUTES

#: What a region's comments begin with.
MARKUP = "<!--"

# Elements that have no end, or one that browsers supply without harm.
_OPEN_ENDED = frozenset(
    (
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
        *("source", "track", "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody"),
        *("tfoot", "colgroup", "option"),
    )
)
_TAG = later(rf"<(/?)([A-Za-z][A-Za-z0-9-]*){ATTRIBUTES}\s*(/?)>")
_DEFINITION = later(r" {0,3}\[[^\]]+\]:")


def pairs(tokens: Sequence[Any]) -> tuple[dict[int, int], tuple[int, ...]]:
    """Which comment opens a region and which closes it, and those that close nothing.

    Both lie in the same list item or quote. All are indexes of tokens.
    """
    found: dict[int, int] = {}
    stray: list[int] = []
    waiting: dict[tuple[tuple[int, ...], int], int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.nesting == 1:
            stack.append(index)
        elif token.nesting == -1:
            stack.pop()
        elif token.type == "html_block" and "output" in token.content:
            info, closes = _comment(token)
            if closes is not None:
                opened = waiting.pop((tuple(stack), closes), None)
                if opened is None:
                    stray.append(index)
                else:
                    found[opened] = index
            elif info is not None and info.output is not None:
                waiting[tuple(stack), info.output] = index
    return found, tuple(stray)


def _comment(token: Any) -> tuple[InfoString | None, int | None]:
    """What a comment says, and the number of the region that it closes."""
    content = token.content.strip(" \t\r\n")
    return parse_comment(content), parse_closing(content)


def block(
    lines: Lines,
    tokens: Sequence[Any],
    span: tuple[int, int],
    container: tuple[int, ...],
    in_list: bool,
) -> CodeBlock:
    """The region from token ``span[0]`` to token ``span[1]``, both comments, as a block."""
    start, end = tokens[span[0]].map[0], tokens[span[1]].map[1]
    info, _ = _comment(tokens[span[0]])
    assert info is not None
    lead = lead_of(lines, start, end - 1, MARKUP)
    text = [_without(lead, lines.text(line)) for line in range(start + 1, end - 1)]
    blank = next((k for k, line in enumerate(text) if line.strip(" \t")), len(text))
    text = text[blank:]
    while text and not text[-1].strip(" \t"):
        text.pop()
    content = "".join(line + "\n" for line in text)
    return CodeBlock(
        start, start, end, MARKUP, content, info, container, in_list, True,
        tuple(range(span[0], span[1] + 1)), region=True, blank=blank,
    )  # fmt: skip


def _without(lead: str, text: str) -> str:
    """``text`` without what lines of its container begin with, or as much as it has of that."""
    rest = text.lstrip(" \t>")
    text = text[: len(text) - len(rest)].expandtabs(4) + rest
    at = 0
    for char in lead:
        if char == ">":
            marker = len(text) - len(text[at:].lstrip(" "))
            if text[marker : marker + 1] != ">":
                break  # a paragraph may go on without it
            at = marker + 1
        else:
            at += text[at : at + 1] == " "
    return text[at:]


def ours(tokens: Sequence[Any]) -> Iterator[Any]:
    """The tokens that are comments or code blocks of ours: in a region they mean nothing."""
    for token in tokens:
        if token.type == "html_block":
            if _comment(token) != (None, None):
                yield token
        elif token.type == "fence" and parse_info(token.info).tagged:
            yield token


def unfit(text: Sequence[str], tokens: Sequence[Any]) -> str | None:
    """Why ``text`` cannot stand in a region; None if it can. ``tokens`` are its own.

    The text has been read with a comment after it, which must still be one.
    """
    if not tokens or tokens[-1].type != "html_block" or tokens[-1].level:
        return "what it opens (a code block, an HTML comment) is never closed"
    if parse_closing(tokens[-1].content.strip(" \t\r\n")) is None:
        return "what it opens (an HTML comment or element) is never closed"
    for token in ours(tokens[:-1]):
        return f"line {token.map[0] + 1} of it is a tag or a comment of fencerun's"
    if (element := _unbalanced(tokens[:-1])) is not None:
        return f"`{element}` has no partner in it (write `&lt;` for a `<` that is text)"
    covered = {k for t in tokens if t.type in ("fence", "code_block") for k in range(*t.map)}
    for number, line in enumerate(text):
        if number not in covered and _DEFINITION.match(line):
            return f"line {number + 1} of it defines a link or footnote for the whole page"
    return None


def _unbalanced(tokens: Sequence[Any]) -> str | None:
    """The first HTML tag that opens what is not closed, or closes what is not open."""
    from fencerun.prose import without_code, without_comments  # needed to record Markdown only

    waiting: list[tuple[str, str]] = []
    for token in tokens:
        if token.type not in ("inline", "html_block"):
            continue
        without = without_comments if token.type == "html_block" else without_code
        for tag in _TAG.finditer(without(token.content)):
            name = tag[2].lower()
            if name in _OPEN_ENDED or (tag[3] and not tag[1]):
                continue
            if not tag[1]:
                waiting.append((name, tag[0]))
            elif waiting and waiting[-1][0] == name:
                waiting.pop()
            else:
                return tag[0]
    return waiting[0][1] if waiting else None
