"""Outputs that a page shows already, below the blocks that print them. Pure.

A block right below a fence, or below one short line that ends with a colon, that says exactly what
the fence printed is its recording from now on. Knows nothing of how the fence was run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fencerun.canonical import recorded
from fencerun.frozen import dataclass
from fencerun.infostring import Carrier, parse_info
from fencerun.page import CodeBlock, Page
from fencerun.patterns import later
from fencerun.tagging.candidates import Candidate
from fencerun.tagging.writing import Tag, possible

_LANGUAGES = frozenset({"", "text", "txt", "output", "out", "plain", "plaintext", "none"})
_CALLED = later(r"[ \t]\{?(?:out|output|result|stdout)\b", 2)
#: Characters of the longest line that may stand between.
_SHORT = 60


@dataclass(frozen=True, slots=True)
class Shown:
    """A block that looks like the output of a candidate, and whether it says what was printed."""

    candidate: Candidate
    block: CodeBlock
    exact: bool


def shown(
    page: Page, kept: Sequence[Candidate], printed: Mapping[int, tuple[str, ...]]
) -> Iterator[Shown]:
    """The outputs of ``kept`` that the page shows. ``printed`` are canonical lines, by line."""
    for candidate in kept:
        said = printed.get(candidate.line)
        if not said or candidate.transcript is not None:
            continue
        block = _below(page, candidate)
        if block is not None:
            text = block.content.removesuffix("\n")
            yield Shown(candidate, block, recorded(text) == said)


def tags(
    page: Page, found: Sequence[Shown], numbers: Mapping[int, int], wished: Carrier
) -> list[Tag]:
    """The tags that make recordings of the blocks which say exactly what was printed."""
    made = []
    for one in found:
        carrier = possible(page, one.block, wished)
        if one.exact and carrier is not None and one.block.closed:
            made.append(Tag(one.block, numbers[one.candidate.line], carrier, "output"))
    return made


def _below(page: Page, candidate: Candidate) -> CodeBlock | None:
    at = candidate.block.tokens[-1] + 1
    tokens = page.tokens
    if at + 2 < len(tokens) and tokens[at].type == "paragraph_open":
        label = tokens[at + 1].content
        if len(label) > _SHORT or "\n" in label or not label.rstrip("*_ ").endswith(":"):
            return None
        at += 3
    if at >= len(tokens) or tokens[at].type != "fence":
        return None
    token = tokens[at]
    info = parse_info(token.info)
    if info.tagged:
        return None
    rest = token.info.strip()[len(info.language) :]
    if info.language.lower() not in _LANGUAGES and not _CALLED.match(rest):
        return None
    start, end = token.map
    count = token.content.count("\n")
    return CodeBlock(
        start, start, end, token.markup, token.content, info, (), False,
        end - start - count == 2, (at,),
    )  # fmt: skip
