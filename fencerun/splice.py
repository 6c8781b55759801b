"""Recordings into a page: the page's bytes, with nothing else changed, or a refusal.

Every result is read again before it is returned and compared with the page it was made of, so
that a surprise of Markdown cannot damage a page. Knows nothing of disks or of how a recording
came about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fencerun import recording, transcript
from fencerun.frozen import dataclass
from fencerun.infostring import LANGUAGES
from fencerun.page import Fence, Page, Recording, outline
from fencerun.reader import parse, unfit


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
class _Edit:
    """Lines ``first`` up to ``last`` of the page become ``lines``.

    ``tightens`` says that a list may become tight by it.
    """

    first: int
    last: int
    lines: tuple[str, ...] = ()
    tightens: bool = False


_OTHERWISE = "with this change the rest of the page would read differently"

#: What the fences' recordings shall be, in page order; None: none.
_Wanted = Mapping[int, "NewRecording | None"]
#: The ways to make each change, the usual one first.
_Ways = Mapping[int, Sequence[_Edit]]


def encode(page: Page) -> bytes:
    """The page's own bytes."""
    return (("\ufeff" if page.bom else "") + page.text).encode("utf-8", "surrogateescape")


def splice(page: Page, changes: Mapping[int, NewRecording | None]) -> bytes:
    """The page's bytes with ``changes``: what each fence's recording shall be from now on.

    None, or no lines, takes a recording away; so does None for the number of an orphan.
    Raises SpliceError, naming the first fence at fault, where the result would not read back.
    """
    wanted = {number: _meant(change) for number, change in changes.items()}
    ways = dict(_all_ways(page, wanted))
    if not ways:
        return encode(page)
    in_page_order = sorted(ways, key=lambda number: ways[number][0].first)
    _, made = _settle(page, wanted, ways, in_page_order, {})
    return made


def _meant(change: NewRecording | None) -> NewRecording | None:
    """Only blank lines are no lines, and without lines there is mostly no recording."""
    if change is None or any(change.lines):
        return change
    return replace(change, lines=()) if change.keep_empty else None


def _settle(
    page: Page, wanted: _Wanted, ways: _Ways, numbers: Sequence[int], chosen: dict[int, _Edit]
) -> tuple[dict[int, _Edit], bytes]:
    """Add the changes of ``numbers`` to those ``chosen``, each in a way that reads back.

    Mostly all of them go in at once. Where they do not, halving finds the few that need another
    way, or none.
    """
    trial = chosen | {number: ways[number][0] for number in numbers}
    made, why = _attempt(page, wanted, trial)
    if why is None:
        return trial, made
    if len(numbers) > 1:
        half = len(numbers) // 2
        chosen, _ = _settle(page, wanted, ways, numbers[:half], chosen)
        return _settle(page, wanted, ways, numbers[half:], chosen)
    [number] = numbers
    for edit in ways[number][1:]:
        trial = {**chosen, number: edit}
        made, other = _attempt(page, wanted, trial)
        if other is None:
            return trial, made
    raise SpliceError(number, _reworded(page, wanted[number], number, why))


def _reworded(page: Page, change: NewRecording | None, number: int, why: str) -> str:
    """``why`` in the words of an author who knows the usual reason for it."""
    fence = page.fence(number)
    blank = change is not None and change.region and "" in change.lines
    if blank and fence is not None and fence.block.in_list and why == _OTHERWISE:
        return "its blank lines would make paragraphs of a tight list's items"
    return why


def _all_ways(page: Page, wanted: _Wanted) -> Iterator[tuple[int, Sequence[_Edit]]]:
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
            if not _says_itself(fence, change):
                yield number, (_spoken(page, fence, change),)
            continue
        if found is None and change.region:
            end = fence.block.end
            blank = recording.blank(fence, page.lines)
            spaced, close = _regions(page, fence, change)
            # The last is for a tight list, whose items a blank line would make paragraphs.
            yield (
                number,
                tuple(_Edit(end, end, made) for made in ((blank, *spaced), (blank, *close), close)),
            )
        elif found is None:
            end = fence.block.end
            plain = tuple(recording.new(fence, page.lines, change.lines, change.provenance))
            spaced = (recording.blank(fence, page.lines), *plain)
            # A blank line in a tight list would make every item of it a paragraph.
            first, second = (plain, spaced) if fence.block.in_list else (spaced, plain)
            yield number, (_Edit(end, end, first), _Edit(end, end, second))
        elif found.block.container != fence.block.container:
            where = f"its recording on line {found.block.line}"
            raise SpliceError(number, f"{where} lies in another list item or quote")
        elif _says(found, change):
            continue
        elif change.region:
            block = found.block
            yield (
                number,
                tuple(
                    _Edit(block.start, block.end, made)
                    for made in _regions(page, fence, change, found)
                ),
            )
        elif found.region:
            yield number, tuple(_from_region(page, fence, found, change))
        else:
            made = recording.changed(found, page.lines, change.lines, change.provenance)
            yield number, (_Edit(found.block.start, found.block.end, tuple(made)),)


def _from_region(
    page: Page, fence: Fence, found: Recording, change: NewRecording
) -> Iterator[_Edit]:
    """A code block in the place of a region, whose blank lines may have made a list loose."""
    plain = tuple(recording.new(fence, page.lines, change.lines, change.provenance))
    first, last, blank = found.block.start, found.block.end, recording.blank(fence, page.lines)
    for lines in (plain, (blank, *plain), (*plain, blank)):
        yield _Edit(first, last, lines)
    if fence.block.in_list:
        yield _Edit(first, last, plain, tightens=True)


def _says(found: Recording, change: NewRecording) -> bool:
    same = dict(found.block.info.provenance) == dict(change.provenance)
    return same and found.text == change.lines and found.region == change.region


def _says_itself(fence: Fence, change: NewRecording) -> bool:
    """Whether a transcript's own lines are what they shall be."""
    return fence.recording is not None and _says(fence.recording, change)


def _spoken(page: Page, fence: Fence, change: NewRecording) -> _Edit:
    """The edit of a transcript, which is its own recording."""
    assert fence.recording is not None and fence.transcript is not None
    language = LANGUAGES[fence.block.info.language.lower()]
    text = "".join(line + "\n" for line in change.lines)
    if transcript.parse(language, text).typed != fence.transcript.typed:
        why = "it prints a line that looks like a prompt, and would be read as one"
        raise SpliceError(fence.number, why)
    made = recording.changed(fence.recording, page.lines, change.lines, change.provenance)
    return _Edit(fence.block.start, fence.block.end, tuple(made))


def _regions(
    page: Page, fence: Fence, change: NewRecording, found: Recording | None = None
) -> Sequence[tuple[str, ...]]:
    """The lines of a region, with blank lines around its text and without."""
    why = unfit(change.lines)
    if why is not None:
        raise SpliceError(fence.number, f"it is no Markdown that can stand in a page: {why}")
    args = (fence, page.lines, change.lines, change.provenance, found)
    return [tuple(recording.region(*args, spaced=spaced)) for spaced in (True, False)]


def _removals(page: Page, found: Recording) -> Iterator[_Edit]:
    """Without the blank line before it, with it, or leaving one between its neighbours.

    Where the only blank line that makes a list loose is the one before its recording, taking the
    recording away leaves a tight list, as it was before somebody put that line there.
    """
    block, lines = found.block, page.lines
    lead = recording.prefix(lines, block)
    first, last = block.start, block.end
    blank = first > 0 and _is_blank(lines.text(first - 1), lead)
    if blank:
        yield _Edit(first - 1, last)
    yield _Edit(first, last)
    # CRLF as a last resort: a line feed would fuse with the carriage return of a line before.
    for ending in (lines.ending(last - 1) or lines.ending(block.open), "\r\n"):
        yield _Edit(first, last, (lead.rstrip(" ") + ending,))
    if block.in_list:
        yield _Edit(first - blank, last, tightens=True)


def _is_blank(text: str, lead: str) -> bool:
    """Whether ``text`` is an empty line of the container whose lines begin with ``lead``."""
    return not text.strip(" \t>") and text.count(">") == lead.count(">")


def _attempt(page: Page, wanted: _Wanted, chosen: Mapping[int, _Edit]) -> tuple[bytes, str | None]:
    """The page with these edits, and what would be wrong with it."""
    edits = sorted(chosen.values(), key=lambda edit: (edit.first, edit.last))
    text = _join(page, edits)
    made = (("\ufeff" if page.bom else "") + text).encode("utf-8", "surrogateescape")
    after = parse(made, page.path, page.syntax)
    count = len(page.lines) + sum(len(e.lines) - (e.last - e.first) for e in edits)
    if len(after.lines) != count:
        return made, "the lines around it would run together"
    tightens = any(edit.tightens for edit in edits)
    return made, _fault(page, after, {number: wanted[number] for number in chosen}, tightens)


def _join(page: Page, edits: Sequence[_Edit]) -> str:
    """The page's text with the edits made; it ends without a line ending where it did before."""
    source, starts = page.text, (*page.lines.start, len(page.text))
    pieces, at = [], 0
    for edit in edits:
        pieces += [source[starts[at] : starts[edit.first]], *edit.lines]
        at = edit.last
    pieces = [piece for piece in (*pieces, source[starts[at] :]) if piece]
    if source.endswith(("\n", "\r")) or not pieces:
        return "".join(pieces)
    for index, piece in enumerate(pieces[:-1]):
        if not piece.endswith(("\n", "\r")):  # what was the page's last line
            ending = re.search(r"\r\n|\r|\n", pieces[index + 1])
            pieces[index] += ending[0] if ending else "\n"
    pieces[-1] = re.sub(r"(?:\r\n|\r|\n)\Z", "", pieces[-1])
    return "".join(pieces)


def _fault(page: Page, after: Page, wanted: _Wanted, tightens: bool) -> str | None:
    """What is wrong with ``after``, made of ``page`` by these changes; None if nothing is."""
    fresh = Counter(p.code for p in after.problems) - Counter(p.code for p in page.problems)
    if fresh:
        problem = next(p for p in after.problems if p.code in fresh)
        return f"with it, line {problem.line} would have a problem: {problem.what}"
    if not _reads_alike(page, after, tightens):
        return _OTHERWISE
    kept = {r.number: r for r in page.recordings if r.number not in wanted}
    found = {r.number: r for r in after.recordings}
    spoken = {fence.number: fence for fence in after.fences if fence.transcript is not None}
    for fence in page.fences:
        if fence.transcript is not None and _altered(page, fence, after, spoken, wanted):
            return "another line of a transcript would change"
    there = {n for n, change in wanted.items() if change and n not in spoken}
    if found.keys() != kept.keys() | there:
        return "the page would not have the recordings that it should"
    if any(_raw(page, old) != _raw(after, found[number]) for number, old in kept.items()):
        return "another recording would change"
    languages = {r.number: r.block.info.language for r in page.recordings if not r.region}
    containers = {fence.number: fence.block.container for fence in after.fences}
    for number, change in wanted.items():
        if change is None:
            continue
        if number in spoken:
            if not _says_itself(spoken[number], change) or not spoken[number].block.closed:
                return "its text would read back differently"
            continue
        block = found[number].block
        if not _says(found[number], change) or not block.closed:
            return "its text would read back differently"
        language = "" if change.region else languages.get(number, "text")
        if block.info.language != language or block.info.faults:
            return "its opening line would read back differently"
        if block.container != containers[number]:
            return "it would lie in another list item or quote than its fence"
    return None


#: What a recording may change above a transcript's lines.
_OWN_WORDS = re.compile(r'[ \t]+(?:key|on)[:=](?:"(?:[^"\\]|\\.)*"|[^ \t}]*)|(?<=`)`+|(?<=~)~+')


def _altered(
    page: Page, fence: Fence, after: Page, spoken: Mapping[int, Fence], wanted: _Wanted
) -> bool:
    """Whether more of a transcript is different in ``after`` than the lines it was to get."""
    now = spoken.get(fence.number)
    if now is None or now.recording is None or fence.recording is None:
        return True
    if fence.number not in wanted:
        return _raw(page, fence.recording) != _raw(after, now.recording)
    heads = (
        [_OWN_WORDS.sub("", p.lines.text(k)) for k in range(f.block.start, f.block.open + 1)]
        for p, f in ((page, fence), (after, now))
    )
    return next(heads) != next(heads)


def _reads_alike(page: Page, after: Page, tightens: bool) -> bool:
    """Whether all but the recordings is the same, but for a loose list where one ``tightens``."""
    before, now = outline(page), outline(after)
    if before != now and tightens:  # the fourth of each says whether a paragraph is hidden
        before, now = (tuple((*t[:3], *t[4:]) for t in each) for each in (before, now))
    return before == now and page.settings == after.settings


def _raw(page: Page, found: Recording) -> list[str]:
    """The lines of a recording as they stand on the page."""
    block, lines = found.block, page.lines
    between = [lines.text(k) + lines.ending(k) for k in range(block.start, block.end - 1)]
    return [*between, lines.text(block.end - 1)]
