"""What is known of each fence of the open pages, from reading to reading and run to run.

The mutable middle of the live core: takes readings and events in, says what is due, and gives
views. Runs nothing, reads nothing, and is not safe for threads: its owner holds the lock.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from fencerun.engines.standing import Place
from fencerun.events import DiffLine, FenceDone, FenceStarted, Verdict, VerdictKind
from fencerun.frozen import dataclass
from fencerun.live.due import Due, due
from fencerun.live.prints import Print
from fencerun.live.reading import Reading
from fencerun.live.view import FenceView, PageView, Tally
from fencerun.pagerun import orphaned
from fencerun.plan import Share
from fencerun.state import Last

#: A fence whose inputs changed while it ran, so many times in a row, changes them itself.
_ECHOES = 3
#: How far the clocks of files and processes lie apart, in seconds.
_APART = 0.01


@dataclass(slots=True)
class Known:
    """What is known of one fence, also while its page has a problem or is gone."""

    #: What the verdict rests on; before there is one, the page as it was opened.
    rests_on: Print | None = None
    verdict: Verdict | None = None
    #: The page line of the fence when it got its verdict.
    line: int = 0
    #: What it was when it last ran here and gave an outcome.
    ran: Print | None = None
    before: str | None = None
    seconds: float | None = None
    held: bool = False
    since: float | None = None
    #: When it last began and got its verdict, as files tell the time.
    began: float = 0.0
    ended: float = 0.0
    #: How often in a row its inputs changed between the two, and what it is not to run as.
    echoes: int = 0
    echo: Print | None = None


@dataclass(slots=True)
class Book:
    """The open pages, in order, and their fences."""

    readings: dict[str, Reading] = field(default_factory=dict)
    fences: dict[Place, Known] = field(default_factory=dict)

    def take(self, reading: Reading, last: Mapping[int, Last], *, opened: bool = False) -> Due:
        """Take a reading in, and say what it makes due.

        ``last`` is what earlier runs said of its fences. With ``opened`` they are as they should
        be, whatever they say: nothing is due.
        """
        self.readings[reading.path] = reading
        if reading.broken:
            return Due()
        for number in reading.prints:
            known = self.fences.setdefault((reading.path, number), Known())
            if known.verdict is None and known.before is None and number in last:
                known.before, known.seconds = last[number].kind, last[number].seconds
            if opened and known.rests_on is None:
                known.rests_on = reading.prints[number]
        own = {n: self.fences[reading.path, n] for n in reading.prints}
        found = due(
            reading,
            {n: k.rests_on for n, k in own.items() if k.rests_on is not None},
            {n: k.seconds for n, k in own.items() if k.seconds is not None},
            {n: k.ran for n, k in own.items() if k.ran is not None},
        )
        echoing = {n for n in found.run if own[n].echo == reading.prints[n]}
        run = tuple(number for number in found.run if number not in echoing)
        found = replace(found, run=run, held=(*found.held, *sorted(echoing)))
        for number, known in own.items():
            known.held = number in found.held
        return found

    def echoes(self, now: Reading, numbers: Iterable[int], changed: Sequence[float]) -> None:
        """Note that these fences will be due by files that ``changed`` at these times.

        A fence that does so itself would run for ever, so it is held back in the end.
        """
        for number in numbers:
            known = self.fences.setdefault((now.path, number), Known())
            own = any(known.began <= when <= known.ended for when in changed)
            known.echoes = known.echoes + 1 if own else 0
            if known.echoes >= _ECHOES:
                known.echo = now.prints[number]

    def stale(self, path: str) -> Iterator[int]:
        """The fences of a page that changed since they got their verdict."""
        reading = self.readings[path]
        for number, now in reading.prints.items():
            if self.fences[path, number].rests_on != now:
                yield number

    def those(self, kinds: Collection[str]) -> Iterator[Place]:
        """The fences with a verdict of these kinds that still holds."""
        for path, reading in self.readings.items():
            for number, now in reading.prints.items():
                known = self.fences[path, number]
                if known.verdict and known.verdict.kind in kinds and known.rests_on == now:
                    yield path, number

    def note(
        self, event: object, prints: Mapping[Place, Print], lines: Mapping[Place, int]
    ) -> None:
        """Take in what a run tells; ``prints`` and ``lines`` are of the pages as it runs them."""
        if isinstance(event, FenceStarted):
            known = self.fences.get((event.page, event.fence))
            if known is not None:
                known.since, known.began = time.monotonic(), time.time() - _APART
        elif isinstance(event, FenceDone):
            verdict = event.verdict
            place = verdict.page, verdict.fence
            if place not in prints or place not in self.fences:
                return
            known = self.fences[place]
            known.verdict, known.rests_on = verdict, prints[place]
            known.line, known.since, known.held = lines[place], None, False
            known.before, known.ended = None, time.time() + _APART
            if verdict.seconds is not None:
                known.seconds = verdict.seconds

    def ran(self, places: Iterable[Place], prints: Mapping[Place, Print]) -> None:
        """The outcomes of these fences are known, as they were when their run began."""
        for place in places:
            if place in self.fences and place in prints:
                self.fences[place].ran = prints[place]

    def recorded(self, now: Reading, numbers: Iterable[int]) -> None:
        """A page was written: what it says of these fences is what they printed."""
        for number in numbers:
            known, new = self.fences.get((now.path, number)), now.prints.get(number)
            if known is None or new is None or known.rests_on is None:
                continue
            if known.rests_on.does == new.does:
                known.rests_on = new

    def rest(self) -> None:
        """Nothing runs any more."""
        for known in self.fences.values():
            known.since = None

    def tally(self) -> Tally:
        """How all of it stands."""
        kinds: Counter[VerdictKind] = Counter()
        stale = fences = 0
        for path, reading in self.readings.items():
            fences += len(reading.page.fences)
            for number, now in reading.prints.items():
                known = self.fences[path, number]
                if known.rests_on != now:
                    stale += 1
                elif known.verdict is not None:
                    kinds[known.verdict.kind] += 1
        broken = sum(reading.broken for reading in self.readings.values())
        return Tally(len(self.readings), fences, kinds, stale, broken)

    def page(self, path: str, queued: frozenset[str]) -> PageView:
        """A page as it is known now."""
        reading = self.readings[path]
        page = reading.page
        fences = tuple(self._fence(reading, f.number, f.line, queued) for f in page.fences)
        orphans = tuple(orphaned(Share(page, (), (), len(page.fences))))
        return PageView(path, page, fences, page.problems, orphans)

    def _fence(self, reading: Reading, number: int, line: int, queued: frozenset[str]) -> FenceView:
        known = self.fences.get((reading.path, number), Known())
        name = f"{reading.path}::{number}"
        now = reading.prints.get(number)
        verdict = known.verdict and moved(known.verdict, line - known.line)
        return FenceView(
            name, reading.path, number, line, verdict, known.before, known.seconds,
            now is not None and known.rests_on != now, known.held, name in queued, known.since,
        )  # fmt: skip


def moved(verdict: Verdict, by: int) -> Verdict:
    """The verdict of a fence that now stands so many lines further down."""
    if not by:
        return verdict
    diff = tuple(_moved(line, by) for line in verdict.diff)
    return replace(verdict, line=verdict.line + by, diff=diff)


def _moved(line: DiffLine, by: int) -> DiffLine:
    return line if line.line is None else replace(line, line=line.line + by)


def parse(ids: Iterable[str], readings: Mapping[str, Reading]) -> Iterator[Place]:
    """The fences that ids and names of pages stand for, each once, those that there are."""
    seen: set[Place] = set()
    for name in ids:
        path, mark, number = name.rpartition("::")
        if mark and number.isdecimal() and path in readings:
            places = [(path, int(number))]
        elif name in readings:
            places = [(name, n) for n in readings[name].prints]
        else:
            places = []
        for place in places:
            if place not in seen and place[1] in readings[place[0]].prints:
                seen.add(place)
                yield place
