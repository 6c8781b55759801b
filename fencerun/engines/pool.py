"""Several workers side by side, all forks of one zygote, so that what fences need is loaded once.

Each lane is the default engine with a worker of its own. What fences on different lanes could do
to each other is set right here: who left a file in a directory that several use, and whose crash
it was when the zygote is gone that all were forked from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from fencerun.engines.base import (
    Blocked,
    Chain,
    Closing,
    EngineEvent,
    EngineOptions,
    Finished,
    Job,
    Started,
)
from fencerun.engines.blame import Death
from fencerun.engines.clues import Clues
from fencerun.engines.launch import Worker
from fencerun.engines.shared import Shared
from fencerun.engines.sources import Plain, Zygote
from fencerun.engines.supervise import Reply
from fencerun.engines.worker import WorkerEngine
from fencerun.lanes import Lane, Load
from fencerun.result import Outcome
from fencerun.scheduling import IDLE, PLAIN, Reach


class Pool(Closing):
    """Runs pages on up to ``jobs`` lanes; chains that are given to the pool itself, on the first.

    ``plain`` and ``grace`` are those of WorkerEngine.
    """

    isolates = True
    fragile = False

    def __init__(
        self, options: EngineOptions, jobs: int, *, plain: bool = False, grace: float = 1.0
    ) -> None:
        self._options = options
        self._source = Shared(Plain(options) if plain else Zygote(options))
        clues = Clues()
        self._lanes = [PoolLane(options, self._source, clues, grace) for _ in range(jobs)]

    def start(self) -> None:
        """Begin to start the child processes, without waiting for them."""
        self._source.start()

    def lanes(self, loads: Sequence[Load]) -> list[Lane]:
        """As many as there is use for. All that needs an accelerator runs on the first one."""
        count = max(1, min(len(self._lanes), sum(load.need != IDLE for load in loads)))
        first = Lane(self._lanes[0], Reach(0, max((load.need for load in loads), default=0)))
        return [first, *(Lane(lane, PLAIN) for lane in self._lanes[1:count])]

    def describe(self) -> str:
        return f"{self._lanes[0].describe()}, up to {len(self._lanes)} pages side by side"

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        return self._lanes[0].run(chains)

    def fresh(self) -> None:
        self._lanes[0].fresh()

    def halt(self) -> None:
        self._source.halt()

    def close(self) -> None:
        for lane in self._lanes:
            lane.close()
        self._source.end()

    def __enter__(self) -> Pool:
        self.start()
        return self


class PoolLane(WorkerEngine):
    """The default engine, with a source of workers and a directory that are not its own alone."""

    def __init__(
        self,
        options: EngineOptions,
        source: Shared,
        clues: Clues,
        grace: float,
        *,
        alone: bool = False,
    ) -> None:
        super().__init__(options, source=source, grace=grace)
        self._alone = alone
        self._forks = source
        self._clues = clues
        self._grace = grace
        self._orphaned = False

    def discard(self, worker: Worker) -> None:
        self._forks.give_up(worker)
        super().discard(worker)

    def finish(self, worker: Worker, job: Job, chain: Chain, answer: Reply | Death) -> Outcome:
        gone = isinstance(answer, Death) and answer.status is None
        self._orphaned = gone and not self._alone
        return super().finish(worker, job, chain, answer)

    def own(self, done: Outcome, chain: Chain) -> Outcome:
        if not done.leaks:
            return done
        leaks = tuple(leak for leak in done.leaks if not self._clues.acquit(chain, leak))
        return replace(done, leaks=leaks)

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        """As the default engine; what is lost with the zygote runs again, under one of its own."""
        by_key: dict[str, Chain] = {}
        lost: Chain | None = None
        for event in super().run(self._noted(chains, by_key)):
            chain = by_key[event.key]
            if chain is lost and isinstance(event, Blocked):
                continue
            if isinstance(event, Finished) and self._orphaned:
                self._orphaned, lost = False, chain
                yield from self._again(chain, event.key)
            else:
                yield event

    def _noted(self, chains: Iterable[Chain], by_key: dict[str, Chain]) -> Iterator[Chain]:
        for chain in chains:
            self._clues.add(chain)
            by_key.update((job.key, chain) for job in chain.jobs)
            yield chain

    def _again(self, chain: Chain, key: str) -> Iterator[EngineEvent]:
        """The events of a chain from the end of that job on."""
        told = [job.key for job in chain.jobs]
        told = told[: told.index(key)]
        with (
            self._forks.apart(self._options) as source,
            PoolLane(self._options, source, self._clues, self._grace, alone=True) as engine,
        ):
            for event in engine.run([chain]):
                if event.key not in told and (event.key != key or not isinstance(event, Started)):
                    yield event
