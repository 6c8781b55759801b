"""`fencerun audit`: is each result independent of order, repetition and company?

Every chain runs alone in a pristine process; then all run in page order, all again in the same
process, and all in a shuffled order. A fence whose output differs from what it is alone depends
on something before it; the earliest earlier chain that makes the difference is found by
bisection. Drives a runner; knows no process and writes no page.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field

from fencerun import svg
from fencerun.compare import compare
from fencerun.frozen import dataclass
from fencerun.judge import rule_of
from fencerun.judgement import Judgement
from fencerun.masks import Mask
from fencerun.plan import PlannedChain, Step
from fencerun.plural import count
from fencerun.running import Runner


@dataclass(frozen=True, slots=True)
class Seen:
    """What a fence gave in one run: its canonical lines, or how it failed."""

    step: Step
    lines: tuple[str, ...] | None
    failure: str | None
    drawn: tuple[str, ...] = ()


#: By fence id.
Seens = Mapping[str, Seen]


@dataclass(frozen=True, slots=True)
class Dependence:
    """A fence that gives something else in company than alone.

    ``when`` says in which run, ``what`` how it differs; ``culprit`` is a fence of the earliest
    chain that makes the difference, None where it could not be pinned down.
    """

    step: Step
    when: str
    what: str
    culprit: Step | None


@dataclass(slots=True)
class Audit:
    """Runs chains in company and alone. ``fresh`` makes the next chain start pristine."""

    runner: Runner
    fresh: Callable[[], None]
    masks: Sequence[Mask]
    seed: int
    say: Callable[[str], None]
    alone: dict[str, Seen] = field(default_factory=dict)

    def run(self, chains: Sequence[PlannedChain]) -> Iterator[Dependence]:
        """Every dependence that shows. The first kind of company that shows it is named."""
        self.say(f"alone: {count(len(chains), 'chain')}, each in a process of its own")
        self.alone = self._alone(chains)
        shuffled = list(chains)
        random.Random(self.seed).shuffle(shuffled)
        orders = (
            ("in page order", list(chains), 0),
            ("when run again in the same process", [*chains, *chains], len(chains)),
            (f"shuffled (seed {self.seed})", shuffled, 0),
        )
        told: set[str] = set()
        for when, order, start in orders:
            self.say(f"{when}: {count(len(chains), 'chain')} in one process")
            self.fresh()
            list(self.runner.run(order[:start]))
            seen = self._together(order[start:])
            for position, chain in enumerate(order[start:], start):
                for step in chain.steps:
                    one = seen.get(step.member.id)
                    if not step.compared or one is None or step.member.id in told:
                        continue
                    what = self._differs(one)
                    if what is not None:
                        told.add(step.member.id)
                        culprit = self._culprit(order[:position], chain, step)
                        yield Dependence(step, when, what, culprit)

    def _together(self, chains: Sequence[PlannedChain]) -> dict[str, Seen]:
        return {step.member.id: _seen(step, one) for step, one in self.runner.run(chains)}

    def _alone(self, chains: Sequence[PlannedChain]) -> dict[str, Seen]:
        seen: dict[str, Seen] = {}
        for chain in chains:
            self.fresh()
            seen |= self._together([chain])
        return seen

    def _differs(self, seen: Seen) -> str | None:
        """How ``seen`` differs from the same fence alone, in words; None where it does not."""
        alone = self.alone.get(seen.step.member.id)
        if alone is None or seen.failure != alone.failure:
            was = alone.failure if alone else None
            return f"{seen.failure or 'it passes'}; alone, {was or 'it passes'}"
        if seen.lines is None or alone.lines is None:
            return None
        rule = rule_of(seen.step.member.tags, self.masks)
        if compare(alone.lines, seen.lines, rule).equal:
            why = svg.first_difference(alone.drawn, seen.drawn, free=rule.any_number)
            return f"alone it draws something else: {why}" if why else None
        for number, (a, b) in enumerate(zip(alone.lines, seen.lines, strict=False), 1):
            if a != b:
                return f"line {number} of its output is {b!r}; alone, {a!r}"
        return f"it prints {count(len(seen.lines), 'line')}; alone, {len(alone.lines)}"

    def _culprit(
        self, before: Sequence[PlannedChain], chain: PlannedChain, step: Step
    ) -> Step | None:
        """The last step of the chain whose presence in the prefix first makes the difference."""
        # What differs from itself without any company is nobody else's doing.
        if self._shows((), chain, step) or not self._shows(before, chain, step):
            return None
        low, high = 0, len(before)  # the first `low` chains do not make it, the first `high` do
        while high - low > 1:
            middle = (low + high) // 2
            if self._shows(before[:middle], chain, step):
                high = middle
            else:
                low = middle
        return before[high - 1].steps[-1] if high else None

    def _shows(self, before: Sequence[PlannedChain], chain: PlannedChain, step: Step) -> bool:
        self.fresh()
        list(self.runner.run(before))
        seen = self._together([chain]).get(step.member.id)
        return seen is not None and self._differs(seen) is not None


def _seen(step: Step, judgement: Judgement) -> Seen:
    verdict = judgement.verdict
    failed = verdict.kind in ("failed", "blocked")
    failure = f"{verdict.kind}: {verdict.what}" if failed else None
    return Seen(step, judgement.printed, failure, judgement.drawn)
