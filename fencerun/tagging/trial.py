"""Running the blocks of a page that may become fences, in the worker that runs fences.

A block that fails does not keep those after it from running: each is judged, and whoever asked
runs what is left again, without it. Knows nothing of Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import field, replace

from fencerun.engines.base import Chain, Engine, EngineEvent, Finished
from fencerun.engines.lent import Lent
from fencerun.frozen import dataclass
from fencerun.members import members
from fencerun.page import Page
from fencerun.plan import PlannedChain, build
from fencerun.redaction import NOTHING, Redaction
from fencerun.result import Failure
from fencerun.session import Session


@dataclass(frozen=True, slots=True)
class Tried:
    """What running a page said, each by the number of its fence.

    ``idle`` are fences that did not run, and why; ``printed`` are canonical lines.
    """

    failures: Mapping[int, Failure] = field(default_factory=dict)
    idle: Mapping[int, str] = field(default_factory=dict)
    printed: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


class Trial:
    """Runs drafts of pages through one engine. A chain that ran without a fault runs once."""

    def __init__(self, session: Session, engine: Engine) -> None:
        self._session = session
        self._engine = engine
        self._passed: dict[tuple[object, ...], dict[int, tuple[str, ...]]] = {}

    def run(self, page: Page, wanted: Set[int]) -> Tried:
        """What comes of the fences of ``page`` whose numbers are ``wanted``."""
        session = self._session
        found = members(page, session.defaults(page))
        session.unrun.settled[page.path] = {member.fence.number: member for member in found}
        plan = build([found], lambda member: member.fence.number in wanted, session.gate.unmet)
        idle = {one.member.fence.number: one.why for one in plan.idle}
        printed: dict[int, tuple[str, ...]] = {}
        chains = []
        for chain in plan.chains:
            if (before := self._passed.get(_key(chain))) is not None:
                printed |= before
            else:
                chains.append(chain)
        failures, new = self._run(chains)
        for chain in chains:
            numbers = [step.member.fence.number for step in chain.steps]
            if not failures.keys() & set(numbers) and new.keys() >= set(numbers):
                self._passed[_key(chain)] = {number: new[number] for number in numbers}
        return Tried(failures, idle, {**printed, **new})

    def _run(
        self, chains: list[PlannedChain]
    ) -> tuple[dict[int, Failure], dict[int, tuple[str, ...]]]:
        forgiving = Forgiving(self._engine, self._session.secrets)
        printed: dict[int, tuple[str, ...]] = {}
        # Every step counts: a fence that sets the stage may fail, too.
        whole = [
            replace(chain, steps=tuple(replace(step, compared=True) for step in chain.steps))
            for chain in chains
        ]
        for step, judgement in self._session.runner(forgiving).run(whole):
            printed[step.member.fence.number] = judgement.printed or ()
        return forgiving.failures, printed


def _key(chain: PlannedChain) -> tuple[object, ...]:
    """What makes two chains the same run."""
    return (
        chain.page.path,
        *((step.member.fence.line, step.member.tags) for step in chain.steps),
    )


class Forgiving(Lent):
    """An engine whose chains go on after an exception. It notes what failed, without secrets."""

    def __init__(self, engine: Engine, secrets: Redaction = NOTHING) -> None:
        super().__init__(engine)
        self._secrets = secrets
        #: The first failure of each fence, by its number.
        self.failures: dict[int, Failure] = {}
        self._numbers: dict[str, int] = {}

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        """As the engine does, with every exception taken for an expected one."""
        for event in self._engine.run(map(self._lenient, chains)):
            if isinstance(event, Finished) and event.outcome.failure is not None:
                failure = self._secrets.of(event.outcome.failure)
                self.failures.setdefault(self._numbers[event.key], failure)
            yield event

    def _lenient(self, chain: Chain) -> Chain:
        self._numbers.update((job.key, job.number) for job in chain.jobs)
        return replace(chain, jobs=tuple(replace(job, may_raise=True) for job in chain.jobs))

    def close(self) -> None:
        """As the engine does."""
        self._engine.close()
