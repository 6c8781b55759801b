"""Runs over one page, each without what failed in those before, until one has no fault.

That last run is the proof of what is tagged. What fails is taken out, or tried once more behind
the block before it. Knows nothing of text, disks or engines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import field, replace

from fencerun.frozen import dataclass
from fencerun.kinds import PYTHONS
from fencerun.members import Member
from fencerun.page import Page
from fencerun.patterns import later
from fencerun.result import Failure
from fencerun.tagging import reasons
from fencerun.tagging.candidates import Candidate, Left
from fencerun.tagging.drafts import draft, first_number, nodes
from fencerun.tagging.links import Links, chained, link
from fencerun.tagging.trial import Tried

_FENCE = later(r"\bfence ([1-9][0-9]{0,5})\b")

#: Runs a draft, and says what came of the fences with these numbers.
Try = Callable[[Page, Set[int]], Tried]


@dataclass(frozen=True, slots=True)
class Settled:
    """What is to be tagged. ``idle`` says why a block could not be tried here, by line, and
    ``printed`` what each printed."""

    kept: Sequence[Candidate]
    links: Links
    left: Sequence[Left] = ()
    idle: dict[int, str] = field(default_factory=dict)
    printed: dict[int, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subject:
    """A page, its fences, and the blocks that may become some."""

    page: Page
    members: Sequence[Member]
    candidates: Sequence[Candidate]

    def links(self, alive: Sequence[Candidate], also: dict[int, int], previous: bool) -> Links:
        """What each of ``alive`` continues: the one before, or what its names come from."""
        found = nodes(alive, self.members)
        return chained(found) if previous else link(found, also)

    def numbers(self) -> dict[int, int]:
        """A number for each fence and candidate, by line; of candidates only for trials."""
        found = {fence.line: fence.number for fence in self.page.fences}
        first = first_number(self.page)
        return found | {c.line: first + index for index, c in enumerate(self.candidates)}


class Rounds:
    """Runs over one page, each without what failed in those before."""

    def __init__(self, subject: Subject, run: Try, *, previous: bool) -> None:
        self._subject = subject
        self._run = run
        self._previous = previous
        self._alive = list(subject.candidates)
        self._also: dict[int, int] = {}
        self._dead: dict[int, tuple[Candidate, Failure | str]] = {}
        #: The fences that fail without any new block.
        self._before: Set[int] | None = None
        #: Whether a block failed that might not have failed alone.
        self.curious = False

    def settled(self) -> Settled:
        """What is left of the candidates once a run has no fault."""
        subject, numbers = self._subject, self._subject.numbers()
        while True:
            links = subject.links(self._alive, self._also, self._previous)
            page = draft(subject.page, self._alive, numbers, links)
            wanted = {numbers[candidate.line] for candidate in self._alive} | self._heirs()
            tried = self._run(page, wanted) if self._alive else Tried()
            if not self._sort_out(tried, numbers, links):
                break
        lines = {number: line for line, number in numbers.items()}
        return Settled(
            tuple(self._alive),
            links,
            tuple(self._left()),
            {lines[number]: why for number, why in tried.idle.items()},
            {lines[number]: text for number, text in tried.printed.items()},
        )

    def _heirs(self) -> set[int]:
        """The fences that are there and would continue new ones, by the page's setting."""
        if not self._previous or not self._alive:
            return set()
        first = self._alive[0].line
        return {m.fence.number for m in self._subject.members if m.fence.line > first}

    def _spoilt(self, tried: Tried) -> Iterator[tuple[int, Candidate, str]]:
        """The lines of fences that pass without the new blocks, and the block to blame."""
        failing = tried.failures.keys() & self._heirs()
        if not failing:
            return
        if self._before is None:
            self._before = self._run(self._subject.page, self._heirs()).failures.keys()
        for number in sorted(failing - self._before):
            fence = self._subject.page.fence(number)
            ahead = [c for c in self._alive if fence and c.line < fence.line]
            if fence and ahead:
                what = f"with it, fence {number} fails: {tried.failures[number].summary}"
                yield fence.line, ahead[-1], what

    def _sort_out(self, tried: Tried, numbers: dict[int, int], links: Links) -> bool:
        """Take out what failed, or give it another chance. Whether there was anything."""
        before = len(self._alive), len(self._also)
        red = {line for line, number in numbers.items() if number in tried.failures}
        bad = self._bad(tried, numbers, links, red)
        for candidate, fault in bad:
            earlier = self._another_chance(candidate, fault, links, red)
            if earlier is None:
                self._alive.remove(candidate)
                self._dead[candidate.line] = candidate, fault
            else:
                self._also[candidate.line] = earlier
        if not bad:
            # What neither failed nor ran stands behind something that ended the process.
            lost = [c for c in self._alive if self._unseen(tried, numbers[c.line])]
            for candidate in lost:
                self._alive.remove(candidate)
                self._dead[candidate.line] = candidate, "it did not get to run"
        return before != (len(self._alive), len(self._also))

    def _unseen(self, tried: Tried, number: int) -> bool:
        return number not in tried.printed and number not in tried.idle

    def _bad(
        self, tried: Tried, numbers: dict[int, int], links: Links, red: Set[int]
    ) -> list[tuple[Candidate, Failure | str]]:
        found: list[tuple[Candidate, Failure | str]] = []
        spoilt = list(self._spoilt(tried))
        fixed = {member.fence.line for member in self._subject.members}
        fixed -= {line for line, _, _ in spoilt}
        for candidate in self._alive:
            number = numbers[candidate.line]
            if number in tried.failures:
                found.append((candidate, tried.failures[number]))
            elif number in tried.idle and not candidate.needs:
                found.append((candidate, self._untried(candidate, tried.idle[number], links)))
            elif broken := fixed & red & set(self._path(candidate.line, links)):
                number = numbers[min(broken)]
                found.append((candidate, f"it continues fence {number}, which fails here"))
        blamed = {candidate.line for candidate, _ in found}
        for _, candidate, what in spoilt:
            if candidate.line not in blamed:
                blamed.add(candidate.line)
                found.append((candidate, what))
        return found

    def _untried(self, candidate: Candidate, why: str, links: Links) -> str:
        """Why a block is idle that asks for nothing itself."""
        needy = {one.line: one.needs for one in self._alive if one.needs}
        line = next((at for at in self._path(candidate.line, links) if at in needy), None)
        if line is None:
            return f"it was not tried: {why}"
        return f"it continues the block on line {line}, which cannot run here (`{needy[line]}`)"

    def _path(self, line: int, links: Links) -> list[int]:
        """The lines of all that a block continues, itself not among them."""
        if self._previous and line not in links.parents:
            return [c.fence.line for c in self._subject.members if c.fence.line < line]
        found: list[int] = []
        current = links.parents.get(line)
        while current is not None:
            found.append(current)
            current = links.parents.get(current)
        return found

    def _another_chance(
        self, candidate: Candidate, fault: Failure | str, links: Links, red: Set[int]
    ) -> int | None:
        """The line of a block to try it behind; None where that would be of no use."""
        if isinstance(fault, str) or not _may_depend(fault):
            return None
        name = fault.missing_name
        python = [c for c in self._alive if c.language in PYTHONS and c.line < candidate.line]
        if name is not None and not any(name in c.names.makes or c.names.stars for c in python):
            return None
        if self._previous:
            self.curious = True
            return None
        lines = [c.line for c in python if c.line not in red and not c.needs]
        lines += [m.fence.line for m in self._subject.members if m.fence.line < candidate.line]
        if candidate.line in self._also or candidate.language not in PYTHONS or not lines:
            return None
        nearest = max(lines)
        return nearest if nearest not in self._path(candidate.line, links) else None

    def _by_line(self, summary: str) -> str:
        """A failure in words that hold on the page: numbers of candidates are those of trials."""
        lines = {n: line for line, n in self._subject.numbers().items()}
        own = {fence.number for fence in self._subject.page.fences}

        def called(match: re.Match[str]) -> str:
            number = int(match[1])
            return match[0] if number in own else f"the block on line {lines.get(number, '?')}"

        return _FENCE.sub(called, summary)

    def _left(self) -> list[Left]:
        candidates = [candidate for candidate, _ in self._dead.values()]
        found = []
        for candidate, fault in self._dead.values():
            if isinstance(fault, str):
                found.append(Left(candidate.line, fault, "tag it by hand if it is to run"))
            else:
                fault = replace(fault, summary=self._by_line(fault.summary))
                found.append(reasons.why(candidate, fault, candidates, self._alive))
        return found


def _may_depend(failure: Failure) -> bool:
    """Whether what ran before a block can have to do with its failure."""
    if failure.kind not in ("exception", "exit"):
        return False
    classes = {name.rpartition(".")[2] for name in failure.mro}
    hopeless = {"ImportError", "EOFError", "SyntaxError"}
    if classes & hopeless or not classes:
        return False
    return not (reasons.needs_gpu(failure) or reasons.needs_network(failure))
