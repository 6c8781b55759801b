"""One walk over a page's tokens: the code blocks, each with what tags it.

Knows tokens as markdown-it makes them, and imports nothing of it. What the blocks make together
(recordings, fences, files) is ``assembly``'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from fencerun import frontmatter, hidden, regions
from fencerun.events import Problem
from fencerun.frozen import dataclass
from fencerun.infostring import Fault, InfoString, parse_comment, parse_hidden, parse_info
from fencerun.page import CodeBlock
from fencerun.patterns import later
from fencerun.text import Lines

_OWN_KEY = later(r"\b(?:fence|output)=")

#: Levels of nesting up to which markdown-it reads, without a word on what is deeper.
DEPTH = 200
_LEAVES = ("paragraph_open", "heading_open")


@dataclass(slots=True)
class Gatherer:
    """Walks the tokens once and gathers what is ours."""

    path: str
    lines: Lines
    tokens: Sequence[Any]
    problems: list[Problem]
    blocks: list[CodeBlock] = field(default_factory=list)
    covered: list[tuple[int, int]] = field(default_factory=list)
    syntax: frontmatter.Syntax = "commonmark"
    #: Lines of comments that name a file and have no code block below.
    lonely_files: list[int] = field(default_factory=list)
    #: Faults of ``{file=…}`` and their lines: without fences, other tools' words.
    doubtful: list[tuple[int, Fault]] = field(default_factory=list)
    #: Indexes of the tokens of regions.
    inside: set[int] = field(default_factory=set)

    def top_comment(self) -> frontmatter.PageSettings:
        """The page's settings from a comment above everything else, for pages like README."""
        for token in self.tokens[:1]:
            if token.type == "html_block":
                line = token.map[0] + 1
                settings, problems = frontmatter.from_comment(token.content, self.path, line)
                self.problems += problems
                return settings
        return frontmatter.PageSettings()

    def read(self) -> None:
        """Gather the code blocks, each with the directive comment above it."""
        stack: list[int] = []
        in_list = after = 0
        comment: tuple[int, InfoString, Any] | None = None
        closings = self._closings() if "/output:" in self.lines.source else {}
        for index, token in enumerate(self.tokens):
            if index < after:
                continue
            if index in closings:
                self._unused(comment)
                comment = None
                after = closings[index] + 1
                self._region(index, after - 1, tuple(stack), in_list > 0)
                continue
            if token.type == "fence":
                self._code_block(index, token, tuple(stack), in_list > 0, comment)
                comment = None
                continue
            self._unused(comment)
            comment = None
            if token.type == "html_block" and (hides := parse_hidden(token.content.lstrip(" "))):
                self._hidden(index, token, hides, tuple(stack), in_list > 0)
            elif token.type == "html_block":
                info = parse_comment(token.content.strip(" \t\r\n"))
                comment = (index, info, token) if info else None
            elif token.nesting == 1:
                if len(stack) >= DEPTH - 1 and token.type not in _LEAVES:
                    self._too_deep(token.map[0])
                stack.append(index)
                in_list += token.type == "list_item_open"
            elif token.nesting == -1:
                stack.pop()
                in_list -= token.type == "list_item_close"
        self._unused(comment)

    def _too_deep(self, line: int) -> None:
        if not any(problem.code == "nesting" for problem in self.problems):
            self.problem(line, "nesting", "nested too deeply: nothing further in is read",
                         "flatten the quotes and lists")  # fmt: skip

    def _closings(self) -> dict[int, int]:
        """For the comment that opens a region, the one that closes it, as indexes of tokens."""
        found, stray = regions.pairs(self.tokens)
        for index in stray:
            self.problem(self.tokens[index].map[0], "region", "this comment closes no region",
                         "delete it, or open it in the same list item or quote")  # fmt: skip
        return found

    def _region(self, first: int, last: int, container: tuple[int, ...], in_list: bool) -> None:
        block = regions.block(self.lines, self.tokens, (first, last), container, in_list)
        self.covered.append((block.start, block.end))
        self.blocks.append(block)
        self.inside.update(block.tokens)
        for fault in block.info.faults:
            self.problem(block.start, "tag", fault.what, fault.remedy)
        for token in regions.ours(self.tokens[first + 1 : last]):
            self.problem(token.map[0], "region",
                         f"this lies in the region of output:{block.info.output}, where it means "
                         "nothing", f"close the region before it, with `<!-- /output:"
                         f"{block.info.output} -->`", block.start)  # fmt: skip

    def _code_block(
        self,
        index: int,
        token: Any,
        container: tuple[int, ...],
        in_list: bool,
        comment: tuple[int, InfoString, Any] | None,
    ) -> None:
        start, end = token.map
        content = token.content
        count = content.count("\n") + (content != "" and content[-1] != "\n")
        info = parse_info(token.info)
        first = start
        tokens: tuple[int, ...] = (index,)
        if comment is not None and start - comment[2].map[1] > 1:
            self._unused(comment)
        elif comment is not None:
            first, tokens = comment[2].map[0], (comment[0], index)
            info = self._merge(comment[1], info, first)
        closed = (end - start) - count == 2
        block = CodeBlock(
            first, start, end, token.markup, content, info, container, in_list, closed, tokens
        )
        self.covered.append((start, end))
        self.blocks.append(block)
        if info.faults and info.carrier == "attributes" and not _OWN_KEY.search(token.info):
            self.doubtful += ((first, fault) for fault in info.faults)
            return
        for fault in info.faults:
            self.problem(first, "tag", fault.what, fault.remedy)

    def _hidden(
        self, index: int, token: Any, info: InfoString, container: tuple[int, ...], in_list: bool
    ) -> None:
        """Code in a comment: a fence that readers don't see."""
        start, end = token.map
        content, fault = hidden.code(token.content)
        if fault is not None:
            self.problem(start, "hidden", *fault)
        block = CodeBlock(
            start, start, end, "<!--", content, info, container, in_list, True, (index,)
        )
        self.covered.append((start, end))
        self.blocks.append(block)
        for found in info.faults:
            self.problem(start, "tag", found.what, found.remedy)

    def _merge(self, said: InfoString, info: InfoString, line: int) -> InfoString:
        if info.tagged:
            self.problem(line, "two-carriers", "a comment and an info string both tag this block",
                         "keep one of the two")  # fmt: skip
        return InfoString(
            info.language,
            "comment",
            said.number,
            said.output,
            said.tags,
            said.provenance,
            said.faults,
            said.file,
        )

    def _unused(self, comment: tuple[int, InfoString, Any] | None) -> None:
        if comment is None:
            return
        line = comment[2].map[0]
        for fault in comment[1].faults:
            self.problem(line, "tag", fault.what, fault.remedy)
        number = comment[1].output
        if comment[1].file is not None:
            self.lonely_files.append(line)
        elif not comment[1].faults and number is not None:
            self.problem(line, "region", f"the region of output:{number} is never closed",
                         f"close it with a line `<!-- /output:{number} -->` in the same list item "
                         "or quote, or put a code block right below")  # fmt: skip
        elif not comment[1].faults:
            self.problem(line, "lonely-comment", "this comment tags no code block",
                         "put it right above one, at most one blank line between")  # fmt: skip

    def problem(self, line: int, code: str, what: str, remedy: str, *also: int) -> None:
        """Note a fault at ``line``, counted from 0."""
        more = tuple(other + 1 for other in also)
        self.problems.append(Problem(self.path, line + 1, code, what, remedy, also=more))
