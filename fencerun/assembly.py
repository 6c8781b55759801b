"""A page of its code blocks: fences with their recordings, files, values, and what only shows here.

Knows nothing of Markdown's syntax beyond the blocks that ``gathering`` found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fencerun import figures, fileblocks, kinds, lint, mentions, transcript, values
from fencerun.frontmatter import PageSettings
from fencerun.frozen import dataclass
from fencerun.gathering import Gatherer
from fencerun.infostring import LANGUAGES
from fencerun.page import CodeBlock, Fence, FileBlock, Page, Recording
from fencerun.values import Value


@dataclass(slots=True)
class Assembly:
    """Makes one page of what was found on it."""

    found: Gatherer

    def problem(self, line: int, code: str, what: str, remedy: str, *also: int) -> None:
        """Note a fault at ``line``, counted from 0."""
        self.found.problem(line, code, what, remedy, *also)

    def page(self, text: str, bom: bool, settings: PageSettings) -> Page:
        """The page of what was gathered, with the problems that only the whole shows."""
        recordings = self._recordings()
        bound = self._values()
        fences = tuple(self._fences({r.number: r for r in recordings}, bound))
        self._check_links(fences)
        for fence, what, before in figures.clashes(fences):
            self.problem(fence.block.open, "figure", what, "give it another name",
                         before.block.open)  # fmt: skip
        files = self._files(bool(fences))
        self.found.problems += lint.raw_lines(
            self.found.path, self.found.lines, self.found.covered, self.found.tokens
        )
        self.found.problems += lint.blocks(self.found.path, self.found.lines, self.found.blocks)
        if fences:
            numbers = {fence.number for fence in fences}
            self.found.problems += mentions.unknown(
                self.found.path, self.found.tokens, numbers, self.found.inside
            )
        runnable = [b for b in self.found.blocks if b.info.language.lower() in LANGUAGES]
        return Page(
            self.found.path,
            text,
            bom,
            self.found.lines,
            settings,
            fences,
            recordings,
            bound,
            tuple(b for b in runnable if not b.info.tagged),
            tuple(b for b in self.found.blocks if b.info.number == 0),
            tuple(sorted(self.found.problems, key=lambda p: p.line)),
            files,
            self.found.syntax,
            tuple(self.found.tokens),
        )

    def _recordings(self) -> tuple[Recording, ...]:
        found: dict[int, Recording] = {}
        for block in self.found.blocks:
            number = block.info.output
            if number is None or block.info.number is not None:
                continue  # of no block that says it is a fence too (its problem) may the text go
            if number in found:
                self.problem(block.open, "two-recordings", f"fence {number} has two recordings",
                             "delete one", found[number].block.open)  # fmt: skip
                continue
            text = block.content.removesuffix("\n")
            found[number] = Recording(number, block, tuple(text.split("\n")) if text else ())
        return tuple(found.values())

    def _values(self) -> tuple[Value, ...]:
        tokens = self.found.tokens
        if self.found.inside:
            tokens = [token for index, token in enumerate(tokens) if index not in self.found.inside]
        found, faults = values.find(self.found.lines, tokens)
        for fault in faults:
            self.problem(fault.line - 1, "value", fault.what, fault.remedy)
        numbers = {block.info.number for block in self.found.blocks}
        for value in found:
            if value.fence not in numbers:
                self.problem(value.line - 1, "value",
                             f"a value of fence {value.fence}, which is not on this page",
                             "name a fence of this page")  # fmt: skip
        return found

    def _fences(self, recordings: dict[int, Recording], bound: Sequence[Value]) -> Iterator[Fence]:
        seen: dict[int, CodeBlock] = {}
        for block in self.found.blocks:
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
        blocks = [block for block in self.found.blocks if block.info.file is not None]
        if not wanted:
            return ()
        for line, fault in self.found.doubtful:
            self.problem(line, "tag", fault.what, fault.remedy)
        for line in self.found.lonely_files:
            self.problem(line, "lonely-comment", "this comment makes no code block a file",
                         "put it right above one, at most one blank line between")  # fmt: skip
        found: dict[str, FileBlock] = {}
        for block in blocks:
            path = block.info.file or ""
            for other in found.values():
                if clash := fileblocks.clash(path, other.path):
                    self.problem(block.open, "file", clash, "give it another path",
                                 other.block.open)  # fmt: skip
            if path == self.found.path.rpartition("/")[2]:
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
