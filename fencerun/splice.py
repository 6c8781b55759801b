"""Recordings into a page: the page's bytes, with nothing else changed, or a refusal.

Every result is read again before it is returned and compared with the page it was made of, so
that a surprise of Markdown cannot damage a page. Knows nothing of disks or of how a recording
came about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from fencerun import edits
from fencerun.edits import Edit, NewRecording, SpliceError, Wanted, says, says_itself
from fencerun.page import Fence, Page, Recording, outline
from fencerun.patterns import later
from fencerun.reader import parse

__all__ = ["NewRecording", "SpliceError", "encode", "splice"]

_OTHERWISE = "with this change the rest of the page would read differently"

#: The ways to make each change, the usual one first.
_Ways = Mapping[int, Sequence[Edit]]


def encode(page: Page) -> bytes:
    """The page's own bytes."""
    return (("\ufeff" if page.bom else "") + page.text).encode("utf-8", "surrogateescape")


def splice(page: Page, changes: Mapping[int, NewRecording | None]) -> bytes:
    """The page's bytes with ``changes``: what each fence's recording shall be from now on.

    None, or no lines, takes a recording away; so does None for the number of an orphan.
    Raises SpliceError, naming the first fence at fault, where the result would not read back.
    """
    wanted = {number: _meant(change) for number, change in changes.items()}
    ways = dict(edits.ways(page, wanted))
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
    page: Page, wanted: Wanted, ways: _Ways, numbers: Sequence[int], chosen: dict[int, Edit]
) -> tuple[dict[int, Edit], bytes]:
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


def _attempt(page: Page, wanted: Wanted, chosen: Mapping[int, Edit]) -> tuple[bytes, str | None]:
    """The page with these edits, and what would be wrong with it."""
    made_of = sorted(chosen.values(), key=lambda edit: (edit.first, edit.last))
    text = _join(page, made_of)
    made = (("\ufeff" if page.bom else "") + text).encode("utf-8", "surrogateescape")
    after = parse(made, page.path, page.syntax)
    count = len(page.lines) + sum(len(e.lines) - (e.last - e.first) for e in made_of)
    if len(after.lines) != count:
        return made, "the lines around it would run together"
    tightens = any(edit.tightens for edit in made_of)
    return made, _fault(page, after, {number: wanted[number] for number in chosen}, tightens)


def _join(page: Page, edits: Sequence[Edit]) -> str:
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


def _fault(page: Page, after: Page, wanted: Wanted, tightens: bool) -> str | None:
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
            if not says_itself(spoken[number], change) or not spoken[number].block.closed:
                return "its text would read back differently"
            continue
        block = found[number].block
        if not says(found[number], change) or not block.closed:
            return "its text would read back differently"
        language = "" if change.region else languages.get(number, "text")
        if block.info.language != language or block.info.faults:
            return "its opening line would read back differently"
        if block.container != containers[number]:
            return "it would lie in another list item or quote than its fence"
    return None


#: What a recording may change above a transcript's lines.
_OWN_WORDS = later(r'[ \t]+(?:key|on)[:=](?:"(?:[^"\\]|\\.)*"|[^ \t}]*)|(?<=`)`+|(?<=~)~+')


def _altered(
    page: Page, fence: Fence, after: Page, spoken: Mapping[int, Fence], wanted: Wanted
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
