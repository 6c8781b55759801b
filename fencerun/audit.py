"""`fencerun audit`: is each result independent of order, repetition and company?

Every chain runs alone in a pristine process; then all run in page order, all again in the same
process, and all in a shuffled order. A fence whose output differs from what it is alone depends
on something before it; the earliest earlier chain that makes the difference is found by
bisection. Knows no process and writes no page: what runs chains in company is handed in.
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
class Company:
    """Chains that run in one pristine process: first ``before``, then ``chains``, which are seen.

    ``when`` says how that differs from being alone, and ``about`` what an audit does there; both
    are empty where there is nothing to say.
    """

    before: tuple[PlannedChain, ...]
    chains: tuple[PlannedChain, ...]
    when: str = ""
    about: str = ""


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


def companies(chains: Sequence[PlannedChain], seed: int) -> tuple[Company, ...]:
    """All that an audit runs to find out what depends on something: each alone, then in orders."""
    every, number = tuple(chains), count(len(chains), "chain")
    shuffled = list(chains)
    random.Random(seed).shuffle(shuffled)

    def order(when: str, before: Sequence[PlannedChain], seen: Sequence[PlannedChain]) -> Company:
        return Company(tuple(before), tuple(seen), when, f"{when}: {number} in one process")

    about = f"alone: {number}, each in a process of its own"
    return (
        *(Company((), (chain,), about="" if place else about) for place, chain in enumerate(every)),
        order("in page order", (), every),
        order("when run again in the same process", every, every),
        order(f"shuffled (seed {seed})", (), shuffled),
    )


def see(runner: Runner, fresh: Callable[[], None], company: Company) -> Seens:
    """What the fences of a company give. ``fresh`` makes the next chain start pristine."""
    fresh()
    for _ in runner.run(company.before):
        pass
    return {step.member.id: _seen(step, one) for step, one in runner.run(company.chains)}


@dataclass(slots=True)
class Audit:
    """Looks at chains in company and alone.

    ``see`` runs one company while nothing else runs. ``side_by_side``, where there is one, runs
    many at the same time, and gives what was seen in each, in order.
    """

    see: Callable[[Company], Seens]
    masks: Sequence[Mask]
    seed: int
    say: Callable[[str], None]
    side_by_side: Callable[[Sequence[Company]], Sequence[Seens]] | None = None
    alone: dict[str, Seen] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set, init=False)

    def run(self, chains: Sequence[PlannedChain]) -> Iterator[Dependence]:
        """Every dependence that shows. The first kind of company that shows it is named."""
        for company, seens in self._seen(companies(chains, self.seed)):
            if company.when:
                yield from self._dependences(company, seens)
            else:
                self.alone |= seens

    def _seen(self, wanted: Sequence[Company]) -> Iterator[tuple[Company, Seens]]:
        """Each company with what was seen in it, after it was said what it is about."""
        if self.side_by_side is None:
            for company in wanted:
                self._announce(company)
                yield company, self.see(company)
        else:
            for company in wanted:
                self._announce(company)
            yield from zip(wanted, self.side_by_side(wanted), strict=True)

    def _announce(self, company: Company) -> None:
        if company.about:
            self.say(company.about)

    def _dependences(self, company: Company, seens: Seens) -> Iterator[Dependence]:
        for place, chain in enumerate(company.chains):
            for step in chain.steps:
                if not step.compared or step.member.id in self._told:
                    continue
                what = self._differs(seens[step.member.id])
                if what is None:
                    continue
                before = (*company.before, *company.chains[:place])
                if self.side_by_side is not None:
                    what = self._still_differs(before, chain, step)
                if what is not None:
                    self._told.add(step.member.id)
                    culprit = self._culprit(before, chain, step)
                    yield Dependence(step, company.when, what, culprit)

    def _differs(self, seen: Seen) -> str | None:
        """How ``seen`` differs from the same fence alone, in words; None where it does not."""
        alone = self.alone[seen.step.member.id]
        if seen.failure != alone.failure:
            return f"{seen.failure or 'it passes'}; alone, {alone.failure or 'it passes'}"
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

    def _still_differs(
        self, before: Sequence[PlannedChain], chain: PlannedChain, step: Step
    ) -> str | None:
        """How it differs when nothing runs beside it.

        Side by side, a fence also meets others, and itself, in files and in time: of what that
        does, an audit of one run after another would say nothing.
        """
        self.alone |= self.see(Company((), (chain,)))
        return self._shown(before, chain, step)

    def _culprit(
        self, before: Sequence[PlannedChain], chain: PlannedChain, step: Step
    ) -> Step | None:
        """The last step of the chain whose presence in the prefix first makes the difference."""
        # What differs from itself without any company is nobody else's doing.
        if self._shown((), chain, step) or not self._shown(before, chain, step):
            return None
        low, high = 0, len(before)  # the first `low` chains do not make it, the first `high` do
        while high - low > 1:
            middle = (low + high) // 2
            if self._shown(before[:middle], chain, step):
                high = middle
            else:
                low = middle
        return before[high - 1].steps[-1] if high else None

    def _shown(self, before: Sequence[PlannedChain], chain: PlannedChain, step: Step) -> str | None:
        """How a fence differs from itself alone after those chains."""
        return self._differs(self.see(Company(tuple(before), (chain,)))[step.member.id])


def _seen(step: Step, judgement: Judgement) -> Seen:
    verdict = judgement.verdict
    failed = verdict.kind in ("failed", "blocked")
    failure = f"{verdict.kind}: {verdict.what}" if failed else None
    return Seen(step, judgement.printed, failure, judgement.drawn)
