"""Outputs that a page shows already, below the blocks that print them. Pure.

A block right below a fence, or below one short line that leads to it, that says exactly what the
fence printed is its recording from now on, whatever its language is called. Knows nothing of how
the fence was run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fencerun.canonical import recorded
from fencerun.frozen import dataclass
from fencerun.infostring import Carrier, InfoString, parse_info
from fencerun.page import CodeBlock, Page
from fencerun.patterns import later
from fencerun.tagging.candidates import Candidate, Left, info_of
from fencerun.tagging.writing import Tag, possible

#: Languages of blocks that look like outputs, also where they say something else.
_LANGUAGES = frozenset(
    "text txt plain plaintext none ansi log console terminal shell-session shellsession sh-session "  # noqa: SIM905
    "pytb".split()
)
#: `output`, and `python-output` or `console-output`, as readers of notebooks and REPLs write it.
_OUTPUT = later(r"(?:[\w.+]+[-_])?(?:out|outputs?|results?|stdout)|", 2)
#: A language that stands in front of tags as well as it stands alone.
_PLAIN = later(r"[\w.+#-]*")
_CALLED = later(r"[ \t]\{?(?:out|output|result|stdout)\b", 2)
_PROMPT = later(r"^(?:\$|>>>) ", 8)
#: Characters of the longest line that may stand between.
_SHORT = 60
#: Words of the longest label that may do without a colon, such as "gives".
_FEW = 4


@dataclass(frozen=True, slots=True)
class Shown:
    """A block that looks like the output of a candidate, and whether it says what was printed."""

    candidate: Candidate
    block: CodeBlock
    exact: bool


def shown(
    page: Page, kept: Sequence[Candidate], printed: Mapping[int, tuple[str, ...]]
) -> Iterator[Shown]:
    """The outputs of ``kept`` that the page shows. ``printed`` are canonical lines, by line.

    What runs itself is none.
    """
    running = {candidate.block.open for candidate in kept}
    for candidate in kept:
        said = printed.get(candidate.line)
        if said is None or candidate.transcript is not None:
            continue
        for sure in (True, False):
            block = _below(page, candidate, sure)
            if block is None or block.open in running:
                continue
            exact = bool(said) and text_of(block) == said
            if exact or (sure and _looks(page, block)):
                yield Shown(candidate, block, exact)
                break


def text_of(block: CodeBlock) -> tuple[str, ...]:
    """What a block says, as canonical lines."""
    return recorded(block.content.removesuffix("\n"))


def tags(
    page: Page, found: Sequence[Shown], numbers: Mapping[int, int], wished: Carrier
) -> list[Tag]:
    """The tags that make recordings of the blocks which say exactly what was printed."""
    made = []
    for one in found:
        carrier = possible(page, one.block, wished) if one.block.closed else None
        if one.exact and carrier is not None:
            made.append(Tag(one.block, numbers[one.candidate.line], carrier, "output"))
    return made


def _leads(label: str, sure: bool) -> bool:
    """Whether a paragraph leads to an output: with a colon, or, not so surely, as a few words."""
    if len(label) > _SHORT or "\n" in label:
        return False
    said = label.rstrip("*_ ")
    return said.endswith(":") or not (sure or said.endswith(".") or len(said.split()) > _FEW)


def _below(page: Page, candidate: Candidate, sure: bool) -> CodeBlock | None:
    """The block that may be its output; unless ``sure``, also below a label without a colon."""
    at = candidate.block.tokens[-1] + 1
    tokens = page.tokens
    if at + 2 < len(tokens) and tokens[at].type == "paragraph_open":
        if not _leads(tokens[at + 1].content, sure):
            return None
        at += 3
    if at < len(tokens) and tokens[at].type == "code_block":
        return _indented(tokens[at], at)
    if at >= len(tokens) or tokens[at].type != "fence":
        return None
    token = tokens[at]
    info = parse_info(token.info)
    if info.tagged or not _PLAIN.fullmatch(info.language):
        return None
    start, end = token.map
    count = token.content.count("\n")
    return CodeBlock(
        start, start, end, token.markup, token.content, info, (), False,
        end - start - count == 2, (at,),
    )  # fmt: skip


def _looks(page: Page, block: CodeBlock) -> bool:
    """Whether a block calls itself an output; indented code calls itself nothing."""
    name = block.info.language.lower()
    if not block.markup or _OUTPUT.fullmatch(name) or _CALLED.match(_rest(page, block)):
        return True
    return name in _LANGUAGES and not _PROMPT.search(block.content)


def _rest(page: Page, block: CodeBlock) -> str:
    return info_of(page, block)[len(block.info.language) :]


def _indented(token: Any, at: int) -> CodeBlock:
    """Indented code, as nbconvert writes outputs: it takes no tag, as a block never closed."""
    start, end = token.map
    return CodeBlock(start, start, end, "", token.content, InfoString(), (), False, False, (at,))


def remark(one: Shown, number: int, said: Sequence[str]) -> Left | None:
    """What to do about a block that shows an output and cannot be tagged as it is.

    ``number`` is that of its fence, which printed ``said``.
    """
    line = one.block.line
    if not one.block.markup:
        if not one.exact:
            return None  # it may be anything
        what = f"it looks like the output of fence {number}, and is indented as code"
        return Left(line, what, "delete it and record, or fence it as `text`")
    if one.exact:
        return None
    if not said:
        what = f"it looks like the output of fence {number}, which printed nothing"
        remedy = f"if its last value is meant, write `echo` beside `fence:{number}`"
        return Left(line, what, f"{remedy}, and tag this block `output:{number}`")
    what = f"it looks like the output of fence {number}, which printed something else"
    return Left(line, what, f"tag it `output:{number}` and record, or delete it")
