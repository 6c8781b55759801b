"""A Markdown page as fencerun sees it: frozen data that ``reader`` makes of bytes.

Knows its blocks, tags and recordings; does not know what tags do, which fences run, or what
recordings should say.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from fencerun.events import Problem
from fencerun.frontmatter import PageSettings, Syntax
from fencerun.frozen import dataclass
from fencerun.infostring import Carrier, InfoString
from fencerun.tags import Tags
from fencerun.text import Lines, split_lines
from fencerun.transcript import Transcript
from fencerun.values import Value


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A fenced code block. Lines count from 0; ``end`` is the line after the last.

    ``start`` is the line of its directive comment where it has one, else ``open``, the line of
    its opening delimiter. ``container`` names the list items and quotes it lies in, outermost
    first; two blocks with equal containers are siblings.
    """

    start: int
    open: int
    end: int
    markup: str
    content: str
    info: InfoString
    container: tuple[int, ...]
    in_list: bool
    closed: bool
    tokens: tuple[int, ...]
    #: Whether this is no code block but the Markdown between two comments; then ``open`` is the
    #: line of the first, and so many blank lines stand between it and ``content``.
    region: bool = False
    blank: int = 0

    @property
    def line(self) -> int:
        """The page line, counted from 1, of the opening delimiter."""
        return self.open + 1


@dataclass(frozen=True, slots=True)
class Recording:
    """The output block of a fence. ``text`` are its lines as CommonMark reads them.

    A region's are the lines between its comments, as they stand in its list item or quote.
    """

    number: int
    block: CodeBlock
    text: tuple[str, ...]

    @property
    def line(self) -> int:
        """The page line, counted from 1, of the first line of recorded text."""
        return self.block.open + 2 + self.block.blank

    @property
    def region(self) -> bool:
        """Whether it is Markdown between two comments, and no code block."""
        return self.block.region

    @property
    def key(self) -> str | None:
        """The freshness key written beside it, if any."""
        return dict(self.block.info.provenance).get("key")

    @property
    def on(self) -> str | None:
        """Where and when it was recorded (``device/torch-version/date``), if it says so."""
        return dict(self.block.info.provenance).get("on")


@dataclass(frozen=True, slots=True)
class Fence:
    """A tagged code block that runs. ``tags`` are its own, without the page's defaults."""

    number: int
    language: str
    block: CodeBlock
    recording: Recording | None
    #: The values in prose that are bound to it, in page order.
    values: tuple[Value, ...] = ()
    #: What it is split into, where it holds its own output; its recording is the block itself.
    transcript: Transcript | None = None

    @property
    def code(self) -> str:
        """Its source, dedented, with ``\\n`` line ends; of a transcript, what is typed."""
        return self.block.content if self.transcript is None else self.transcript.code

    @property
    def code_in_place(self) -> str:
        """Its source, each line as far down as on the page."""
        return self.block.content if self.transcript is None else self.transcript.in_place

    @property
    def tags(self) -> Tags:
        """The tags that stand on the fence itself."""
        return self.block.info.tags

    @property
    def carrier(self) -> Carrier:
        """The form its tags are written in; its recording is written in the same."""
        return self.block.info.carrier

    @property
    def line(self) -> int:
        """The page line, counted from 1, of its opening delimiter."""
        return self.block.line

    @property
    def code_line(self) -> int:
        """The page line, counted from 1, of the first line of its code."""
        return self.block.open + 2


@dataclass(frozen=True, slots=True)
class FileBlock:
    """A code block that is a file for the page's fences. ``path`` has ``/`` on every system."""

    path: str
    block: CodeBlock

    @property
    def text(self) -> str:
        """What the file holds."""
        return self.block.content


@dataclass(frozen=True, slots=True)
class Page:
    """A page, read. ``text`` is without its byte order mark; offsets in ``lines`` refer to it."""

    path: str
    text: str
    bom: bool = False
    lines: Lines = field(default_factory=lambda: split_lines(""))
    settings: PageSettings = field(default_factory=PageSettings)
    fences: tuple[Fence, ...] = ()
    recordings: tuple[Recording, ...] = ()
    values: tuple[Value, ...] = ()
    #: Runnable code blocks without tags, and those that say ``fence:none``.
    untagged: tuple[CodeBlock, ...] = ()
    excused: tuple[CodeBlock, ...] = ()
    problems: tuple[Problem, ...] = ()
    #: The files that it has for its fences.
    files: tuple[FileBlock, ...] = ()
    #: How it was read.
    syntax: Syntax = "commonmark"
    tokens: tuple[Any, ...] = field(default=(), repr=False, compare=False)

    @property
    def broken(self) -> bool:
        """Whether a problem keeps its fences from running."""
        return any(problem.severity == "error" for problem in self.problems)

    @property
    def orphans(self) -> tuple[Recording, ...]:
        """Recordings of fences that the page does not have."""
        numbers = {fence.number for fence in self.fences}
        return tuple(r for r in self.recordings if r.number not in numbers)

    def fence(self, number: int) -> Fence | None:
        """The fence with this number."""
        return next((fence for fence in self.fences if fence.number == number), None)


def outline(page: Page) -> tuple[tuple[Any, ...], ...]:
    """All that a reader sees but the recordings: equal outlines mean that nothing else changed."""
    recorded = {index for recording in page.recordings for index in recording.block.tokens}
    spoken = {index: fence for fence in page.fences if fence.transcript is not None
              for index in fence.block.tokens}  # fmt: skip
    return tuple(
        (t.type, t.tag, t.level, t.hidden, t.markup, t.info, t.content, tuple(t.attrs.items()))
        if index not in spoken
        else (t.type, t.tag, t.level, t.hidden, *_unspoken(spoken[index]))
        for index, t in enumerate(page.tokens)
        if index not in recorded
    )


def _unspoken(fence: Fence) -> tuple[Any, ...]:
    """What recording leaves of a transcript: its tags, and what is typed."""
    typed = fence.transcript.typed if fence.transcript else ()
    return (fence.block.markup[0], replace(fence.block.info, provenance=()), typed)
