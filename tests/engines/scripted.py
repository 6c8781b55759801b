"""An engine that runs nothing: what each fence prints is written down beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType

from fencerun.engines.base import (
    Blocked,
    Chain,
    EngineEvent,
    EngineOptions,
    Finished,
    Job,
    Started,
)
from fencerun.result import Failure, Outcome


@dataclass(frozen=True)
class Turn:
    """One execution of one fence: the how-manieth of it, from 1."""

    page: str
    job: Job
    time: int


#: What a fence does: prints text or bytes, fails, or has a whole outcome.
Act = Outcome | Failure | str | bytes
#: By fence number; a list holds one act for each time it runs, the last one for all later times.
Acts = Mapping[int, Act | list[Act]]
Script = Acts | Callable[[Turn], Act]


def raised(name: str, message: str = "", **more: object) -> Failure:
    """The failure of a fence that raised this built-in exception."""
    mro = (name, "Exception", "BaseException", "object")
    return Failure("exception", f"{name}: {message}", mro=mro, message=message, **more)  # type: ignore[arg-type]


@dataclass
class ScriptedEngine:
    """Keeps the engine's contract, and notes what it was asked to do."""

    options: EngineOptions
    script: Script
    chains: list[Chain] = field(default_factory=list)
    #: ``page::number`` of each execution, in order.
    ran: list[str] = field(default_factory=list)
    closed: bool = False
    isolates: bool = True

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        for chain in chains:
            self.chains.append(chain)
            yield from self._chain(chain)

    def _chain(self, chain: Chain) -> Iterator[EngineEvent]:
        for place, job in enumerate(chain.jobs):
            yield Started(job.key)
            outcome = self._outcome(chain, job)
            yield Finished(job.key, outcome)
            why = outcome.failure
            if why and not (job.may_raise and why.kind in ("exception", "exit", "syntax")):
                yield from (Blocked(later.key, job.key) for later in chain.jobs[place + 1 :])
                return

    def _outcome(self, chain: Chain, job: Job) -> Outcome:
        name = f"{chain.page}::{job.number}"
        self.ran.append(name)
        act = self._act(Turn(chain.page, job, self.ran.count(name)))
        if isinstance(act, Outcome):
            return act
        if isinstance(act, Failure):
            return Outcome(failure=act)
        return Outcome(act.encode() if isinstance(act, str) else act)

    def _act(self, turn: Turn) -> Act:
        if callable(self.script):
            return self.script(turn)
        act = self.script.get(turn.job.number, "")
        if isinstance(act, list):
            return act[min(turn.time, len(act)) - 1]
        return act

    def describe(self) -> str:
        return "scripted"

    def fresh(self) -> None:
        """Every execution is."""

    def close(self) -> None:
        self.closed = True

    def __enter__(self) -> ScriptedEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
