"""The edits that could put a recording onto a page, the usual one first. Pure.

Makes lines; does not try them (``splice`` does) and knows nothing of how a recording came about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fencerun import recording, transcript
from fencerun.frozen import dataclass
from fencerun.infostring import LANGUAGES
from fencerun.page import Fence, Page, Recording
from fencerun.reader import unfit


@dataclass(frozen=True, slots=True)
class NewRecording:
    """What a recording shall say.

    ``lines`` are canonical: no control characters, no trailing blanks. ``provenance`` replaces
    the tags that stand beside ``output:N``. ``keep_empty`` writes a recording without lines too.
    """

    lines: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...] = ()
    keep_empty: bool = False
    #: Whether the lines are Markdown, to stand between two comments.
    region: bool = False


class SpliceError(Exception):
    """A recording that cannot be written: of which fence, and why, in words for its author."""

    def __init__(self, fence: int, why: str) -> None:
        super().__init__(f"fence {fence}: {why}")
        self.fence = fence
        self.why = why


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines ``first`` up to ``last`` of the page become ``lines``.

    ``tightens`` says that a list may become tight by it.
    """

    first: int
    last: int
    lines: tuple[str, ...] = ()
    tightens: bool = False


#: What the fences' recordings shall be, in page order; None: none.
Wanted = Mapping[int, "NewRecording | None"]


def ways(page: Page, wanted: Wanted) -> Iterator[tuple[int, Sequence[Edit]]]:
    """The edits that could make each change; nothing for a change that is there already."""
    fences = {fence.number: fence for fence in page.fences}
    recordings = {found.number: found for found in page.recordings}
    for number, change in wanted.items():
        fence, found = fences.get(number), recordings.get(number)
        if found is not None and not found.block.closed:
            raise SpliceError(number, f"its recording on line {found.block.line} is never closed")
        if change is None:
            if found is not None:
                yield number, tuple(_removals(page, found))
            continue
        if fence is None:
            raise SpliceError(number, "the page has no such fence")
        if not fence.block.closed:
            raise SpliceError(number, "it is never closed")
        if fence.transcript is not None:
            if not says_itself(fence, change):
                yield number, (_spoken(page, fence, change),)
            continue
        if found is None:
            yield number, tuple(_new(page, fence, change))
        elif found.block.container != fence.block.container:
            where = f"its recording on line {found.block.line}"
            raise SpliceError(number, f"{where} lies in another list item or quote")
        elif not says(found, change):
            yield number, tuple(_changed(page, fence, found, change))


def _new(page: Page, fence: Fence, change: NewRecording) -> Iterator[Edit]:
    """A first recording, right behind its fence."""
    end, blank = fence.block.end, recording.blank(fence, page.lines)
    if change.region:
        spaced, close = _regions(page, fence, change)
        ways = [(blank, *spaced), (blank, *close), close]
    else:
        plain = tuple(recording.new(fence, page.lines, change.lines, change.provenance))
        ways = [(blank, *plain), plain]
        if fence.block.in_list:
            # A blank line in a tight list would make every item of it a paragraph.
            ways.reverse()
    yield from (Edit(end, end, lines) for lines in ways)


def _changed(page: Page, fence: Fence, found: Recording, change: NewRecording) -> Iterator[Edit]:
    """A recording in the place of another."""
    block = found.block
    if change.region:
        for lines in _regions(page, fence, change, found):
            yield Edit(block.start, block.end, _ended(page, found, lines))
    elif found.region:
        yield from _from_region(page, fence, found, change)
    else:
        made = recording.changed(found, page.lines, change.lines, change.provenance)
        yield Edit(block.start, block.end, tuple(made))


def _from_region(
    page: Page, fence: Fence, found: Recording, change: NewRecording
) -> Iterator[Edit]:
    """A code block in the place of a region, whose blank lines may have made a list loose."""
    plain = tuple(recording.new(fence, page.lines, change.lines, change.provenance))
    first, last, blank = found.block.start, found.block.end, recording.blank(fence, page.lines)
    for lines in (plain, (blank, *plain), (*plain, blank)):
        yield Edit(first, last, _ended(page, found, lines))
    if fence.block.in_list:
        yield Edit(first, last, _ended(page, found, plain), tightens=True)


def _ended(page: Page, found: Recording, lines: tuple[str, ...]) -> tuple[str, ...]:
    """``lines`` with the ending of what they replace: another might fuse with what follows."""
    ending = page.lines.ending(found.block.end - 1)
    return (*lines[:-1], lines[-1].rstrip("\r\n") + ending)


def says(found: Recording, change: NewRecording) -> bool:
    """Whether a recording is already what it shall be."""
    same = dict(found.block.info.provenance) == dict(change.provenance)
    return same and found.text == change.lines and found.region == change.region


def says_itself(fence: Fence, change: NewRecording) -> bool:
    """Whether a transcript's own lines are what they shall be."""
    return fence.recording is not None and says(fence.recording, change)


def _spoken(page: Page, fence: Fence, change: NewRecording) -> Edit:
    """The edit of a transcript, which is its own recording."""
    assert fence.recording is not None and fence.transcript is not None
    language = LANGUAGES[fence.block.info.language.lower()]
    text = "".join(line + "\n" for line in change.lines)
    if transcript.parse(language, text).typed != fence.transcript.typed:
        why = "it prints a line that looks like a prompt, and would be read as one"
        raise SpliceError(fence.number, why)
    made = recording.changed(fence.recording, page.lines, change.lines, change.provenance)
    return Edit(fence.block.start, fence.block.end, tuple(made))


def _regions(
    page: Page, fence: Fence, change: NewRecording, found: Recording | None = None
) -> Sequence[tuple[str, ...]]:
    """The lines of a region, with blank lines around its text and without."""
    why = unfit(change.lines)
    if why is not None:
        raise SpliceError(fence.number, f"it is no Markdown that can stand in a page: {why}")
    args = (fence, page.lines, change.lines, change.provenance, found)
    return [tuple(recording.region(*args, spaced=spaced)) for spaced in (True, False)]


def _removals(page: Page, found: Recording) -> Iterator[Edit]:
    """Without the blank line before it, with it, or leaving one between its neighbours.

    Where the only blank line that makes a list loose is the one before its recording, taking the
    recording away leaves a tight list, as it was before somebody put that line there.
    """
    block, lines = found.block, page.lines
    lead = recording.prefix(lines, block)
    first, last = block.start, block.end
    blank = first > 0 and _is_blank(lines.text(first - 1), lead)
    if blank:
        yield Edit(first - 1, last)
    yield Edit(first, last)
    # CRLF as a last resort: a line feed would fuse with the carriage return of a line before.
    for ending in (lines.ending(last - 1) or lines.ending(block.open), "\r\n"):
        yield Edit(first, last, (lead.rstrip(" ") + ending,))
    if block.in_list:
        yield Edit(first - blank, last, tightens=True)


def _is_blank(text: str, lead: str) -> bool:
    """Whether ``text`` is an empty line of the container whose lines begin with ``lead``."""
    return not text.strip(" \t>") and text.count(">") == lead.count(">")
