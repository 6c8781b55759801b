"""Reading a page: bytes in, a frozen `Page` out.

The only importer of markdown_it. It reads block structure alone, which on the CommonMark
examples and on 8,080 real pages gives the same code blocks as a full parse and costs a third.
A page's faults are Problems, all of them at once; reading never raises. It does not know what
tags do, which fences run, or what recordings should say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cache
from typing import Any

from fencerun import (
    figures,
    fileblocks,
    frontmatter,
    hidden,
    kinds,
    lint,
    mkdocs,
    regions,
    transcript,
    values,
)
from fencerun.events import Problem
from fencerun.frozen import dataclass
from fencerun.infostring import (
    LANGUAGES,
    Fault,
    InfoString,
    parse_comment,
    parse_hidden,
    parse_info,
)
from fencerun.page import CodeBlock, Fence, FileBlock, Page, Recording
from fencerun.text import Lines, split_lines
from fencerun.values import Value

_OWN_KEY = re.compile(r"\b(?:fence|output)=")

#: Bytes without any of these hold nothing of ours, so that a page of them need not be parsed.
MARKS = (b"fence", b"output", b"Fence", b"Output", b"FENCE")


def parse(data: bytes, path: str = "<page>", syntax: frontmatter.Syntax | None = None) -> Page:
    """The page in ``data``. ``path`` is what messages and tracebacks call it.

    ``syntax`` is how to read it where it does not say so itself.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "surrogateescape")  # so that its bytes are not lost
        fault = lint.not_utf8(data, path, error)
        return Page(path, text, lines=split_lines(text), problems=(fault,))
    bom = text.startswith("\ufeff")
    text = text[bom:]  # markdown-it would take it for text; cmark skips it, as Markdown should
    lines = split_lines(text)
    front, settings, problems = frontmatter.read(lines, path)
    chosen = (settings.syntax if settings else None) or syntax or "commonmark"
    source = _source(text, lines, front)
    try:
        tokens = _parser(chosen).parse(source)
        reader = _Reader(path, lines, tokens, list(problems), syntax=chosen)
        if settings is None:
            settings = reader.top_comment()
            if settings.syntax is not None and settings.syntax != chosen:
                reader.syntax = settings.syntax
                reader.tokens = _parser(reader.syntax).parse(source)
    except RecursionError:
        problem = Problem(path, 1, "nesting", "nested too deeply", "flatten the quotes and lists")
        return Page(path, text, bom, lines, problems=(*problems, problem))
    reader.read()
    return reader.page(text, bom, settings)


@cache
def _parser(syntax: frontmatter.Syntax = "commonmark") -> Any:
    from markdown_it import MarkdownIt

    # The preset's limit of 20 makes deeper fences vanish silently; a list is two levels.
    parser = MarkdownIt("commonmark", {"maxNesting": 200})
    parser.core.ruler.enableOnly(["normalize", "block"])
    if syntax == "mkdocs":
        mkdocs.install(parser)
    return parser


def unfit(text: Sequence[str]) -> str | None:
    """Why these lines of Markdown cannot stand in a region; None if they can."""
    source = "".join(line + "\n" for line in text)
    return regions.unfit(text, _parser().parse(source + "\n<!-- /output:1 -->\n"))


def _source(text: str, lines: Lines, front: int) -> str:
    """What the parser gets: front matter blanked out, and always a final line ending.

    markdown-it-py 4.3 raises IndexError on ``> - <script>\\n>`` without one, and does not count
    a last line of blanks. Line numbers stay as they are.
    """
    if front:
        text = "\n" * front + text[lines.end[front - 1] :]
    return text if not text or text[-1] in "\r\n" else text + "\n"


@dataclass(slots=True)
class _Reader:
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
                stack.append(index)
                in_list += token.type == "list_item_open"
            elif token.nesting == -1:
                stack.pop()
                in_list -= token.type == "list_item_close"
        self._unused(comment)

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

    def page(self, text: str, bom: bool, settings: frontmatter.PageSettings) -> Page:
        """The page of what was gathered, with the problems that only the whole shows."""
        recordings = self._recordings()
        bound = self._values()
        fences = tuple(self._fences({r.number: r for r in recordings}, bound))
        self._check_links(fences)
        for fence, what, before in figures.clashes(fences):
            self.problem(fence.block.open, "figure", what, "give it another name",
                         before.block.open)  # fmt: skip
        files = self._files(bool(fences))
        self.problems += lint.raw_lines(self.path, self.lines, self.covered, self.tokens)
        self.problems += lint.blocks(self.path, self.lines, self.blocks)
        runnable = [b for b in self.blocks if b.info.language.lower() in LANGUAGES]
        return Page(
            self.path,
            text,
            bom,
            self.lines,
            settings,
            fences,
            recordings,
            bound,
            tuple(b for b in runnable if not b.info.tagged),
            tuple(b for b in self.blocks if b.info.number == 0),
            tuple(sorted(self.problems, key=lambda p: p.line)),
            files,
            self.syntax,
            tuple(self.tokens),
        )

    def _recordings(self) -> tuple[Recording, ...]:
        found: dict[int, Recording] = {}
        for block in self.blocks:
            number = block.info.output
            if number is None:
                continue
            if number in found:
                self.problem(block.open, "two-recordings", f"fence {number} has two recordings",
                             "delete one", found[number].block.open)  # fmt: skip
                continue
            text = block.content.removesuffix("\n")
            found[number] = Recording(number, block, tuple(text.split("\n")) if text else ())
        return tuple(found.values())

    def _values(self) -> tuple[Value, ...]:
        tokens = self.tokens
        if self.inside:
            tokens = [token for index, token in enumerate(tokens) if index not in self.inside]
        found, faults = values.find(self.lines, tokens)
        for fault in faults:
            self.problem(fault.line - 1, "value", fault.what, fault.remedy)
        numbers = {block.info.number for block in self.blocks}
        for value in found:
            if value.fence not in numbers:
                self.problem(value.line - 1, "value",
                             f"a value of fence {value.fence}, which is not on this page",
                             "name a fence of this page")  # fmt: skip
        return found

    def _fences(self, recordings: dict[int, Recording], bound: Sequence[Value]) -> Iterator[Fence]:
        seen: dict[int, CodeBlock] = {}
        for block in self.blocks:
            number = block.info.number
            if not number:
                continue
            if number in seen:
                self.problem(block.open, "number-twice", f"fence:{number} stands twice",
                             "give one of them another number", seen[number].open)  # fmt: skip
                continue
            seen[number] = block
            language = LANGUAGES.get(block.info.language.lower())
            if language is None:
                shown = block.info.language or "a block without a language"
                runnable = ", ".join(sorted(set(LANGUAGES.values())))
                self.problem(block.open, "language", f"fence:{number} on {shown}, which cannot run",
                             f"tag blocks of {runnable}")  # fmt: skip
            recording = recordings.get(number)
            if recording and recording.block.container != block.container:
                self.problem(recording.block.open, "container",
                             f"the recording of fence {number} lies in another list item or quote",
                             "move it beside its fence, or delete it", block.open)  # fmt: skip
            own = tuple(value for value in bound if value.fence == number) if bound else ()
            fence = self._fence(number, language or "python", block, recording, own)
            for line, what, remedy in kinds.faults(fence):
                self.problem(line - 1, "tag", what, remedy)
            yield fence

    def _fence(
        self,
        number: int,
        language: str,
        block: CodeBlock,
        recording: Recording | None,
        own: tuple[Value, ...],
    ) -> Fence:
        """A fence; a transcript is its own recording, and hidden code has none."""
        if language not in transcript.SHOWN:
            if block.info.tags.hidden and recording is not None:
                self._superfluous(recording, f"fence {number} is hidden, and has a recording")
            return Fence(number, language, block, recording, own)
        if recording is not None:
            self._superfluous(
                recording, f"fence {number} shows its own output, and has a recording"
            )
        found = transcript.parse(language, block.content)
        text = block.content.removesuffix("\n")
        lines = tuple(text.split("\n")) if text else ()
        return Fence(number, language, block, Recording(number, block, lines), own, found)

    def _superfluous(self, recording: Recording, what: str) -> None:
        self.problem(recording.block.open, "two-recordings", what, "delete the recording")

    def _files(self, wanted: bool) -> tuple[FileBlock, ...]:
        """The files of a page; without fences it has none, and the words belong to other tools."""
        blocks = [block for block in self.blocks if block.info.file is not None]
        if not wanted:
            return ()
        for line, fault in self.doubtful:
            self.problem(line, "tag", fault.what, fault.remedy)
        for line in self.lonely_files:
            self.problem(line, "lonely-comment", "this comment makes no code block a file",
                         "put it right above one, at most one blank line between")  # fmt: skip
        found: dict[str, FileBlock] = {}
        for block in blocks:
            path = block.info.file or ""
            for other in found.values():
                if clash := fileblocks.clash(path, other.path):
                    self.problem(block.open, "file", clash, "give it another path",
                                 other.block.open)  # fmt: skip
            if path == self.path.rpartition("/")[2]:
                self.problem(block.open, "file", f"`file:{path}` is the page itself",
                             "give it another path")  # fmt: skip
            found.setdefault(path, FileBlock(path, block))
        return tuple(found.values())

    def _check_links(self, fences: tuple[Fence, ...]) -> None:
        earlier: set[int] = set()
        numbers = {fence.number for fence in fences}
        for fence in fences:
            target = fence.tags.continues
            if isinstance(target, int) and target not in earlier:
                fault = "comes later" if target in numbers else "is not on this page"
                fault = "is the fence itself" if target == fence.number else fault
                self.problem(fence.block.open, "continues", f"continues:{target}, which {fault}",
                             "name an earlier fence")  # fmt: skip
            earlier.add(fence.number)
