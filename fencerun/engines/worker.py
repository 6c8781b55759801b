"""The default engine: every chain of every page in one shared, supervised worker process.

Chains are sent ahead of the answers, so that the worker never waits. A fence that kills its
process, or spoils it, costs itself: a pristine worker takes over with the next chain.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from fencerun.engines.base import (
    Blocked,
    Chain,
    Closing,
    EngineError,
    EngineEvent,
    EngineOptions,
    Finished,
    Job,
    Started,
)
from fencerun.engines.blame import Death, failure
from fencerun.engines.launch import Worker
from fencerun.engines.outcomes import chain_frame, ends, outcome, read_rest
from fencerun.engines.sources import Plain, Source, Zygote
from fencerun.engines.supervise import Reply, Supervisor
from fencerun.protocol import ProtocolError
from fencerun.result import Failure, Outcome

#: Chains sent ahead of the first answer.
AHEAD = 64

#: How late an answer may be noticed while more than half of those are to come, in seconds.
_LAG = 0.003

#: How often a chain is tried whose worker died before its first fence began.
_TRIES = 3


class WorkerEngine(Closing):
    """Runs chains in a child process.

    ``plain`` starts each worker as a fresh interpreter instead of forking it; ``source`` is where
    they come from otherwise. ``grace`` is how long a fence may take to end after it was
    interrupted, in seconds.
    """

    isolates = True

    def __init__(
        self,
        options: EngineOptions,
        *,
        plain: bool = False,
        grace: float = 1.0,
        source: Source | None = None,
    ) -> None:
        self._options = options
        self._source: Source = source or (Plain(options) if plain else Zygote(options))
        self._supervisor = Supervisor(self._source, options.flood, grace)
        self._shared: Worker | None = None

    def start(self) -> None:
        """Begin to start the child processes, without waiting for them."""
        self._source.start()

    def describe(self) -> str:
        about = self._source.about()
        named = ((name, v) for name, v in about["loaded"].items() if name.count(".") < 2)
        loaded = "".join(f", {name} {version}".rstrip() for name, version in named)
        return f"Python {about['python']} ({self._options.python}){loaded}"

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        return _Run(self, chains).events()

    def fresh(self) -> None:
        if self._shared is not None:
            self.discard(self._shared)

    def close(self) -> None:
        self.fresh()
        self._source.close()

    def __enter__(self) -> WorkerEngine:
        self.start()
        return self

    # What a run needs; not for callers.

    def worker_for(self, chain: Chain) -> Worker:
        """The worker that is to run a chain: the shared one, or one of its own."""
        if chain.isolated:
            return self._source.worker()
        if self._shared is None:
            self._shared = self._source.worker()
        return self._shared

    def discard(self, worker: Worker) -> None:
        """End a worker that is not to be used again."""
        if worker is self._shared:
            self._shared = None
        worker.kill()
        self._source.status(worker, 5.0)
        worker.close()

    def wait(self, worker: Worker, job: Job, serial: int, lag: float = 0.0) -> Reply | Death:
        """The answer to a job, noticed at most ``lag`` seconds late, or how the worker ended."""
        return self._supervisor.wait(worker, job, serial, lag)

    def finish(self, worker: Worker, job: Job, chain: Chain, answer: Reply | Death) -> Outcome:
        """The outcome of a job; output read from here on belongs to the next one."""
        if isinstance(answer, Death):
            return self._outcome_of_death(worker, job, chain.page, answer)
        files = (worker.out, worker.err)
        done = self.own(outcome(answer, job, chain.page, files, self._options.flood), chain)
        out, err = ends(answer)
        worker.seen = out, err = max(worker.seen[0], out), max(worker.seen[1], err)
        worker.out.discard(out)
        worker.err.discard(err)
        return with_leaks(_alone(done) if chain.isolated else done, self._options)

    def own(self, done: Outcome, chain: Chain) -> Outcome:
        """The outcome without what others did; nobody else is about here."""
        return done

    def _outcome_of_death(self, worker: Worker, job: Job, page: str, death: Death) -> Outcome:
        flooded = death.kind == "flood"
        output, dropped = read_rest(worker.out, worker.seen[0], flooded)
        stderr, _ = read_rest(worker.err, worker.seen[1], True)
        why = failure(death, job, page, self._options.flood)
        return Outcome(output, stderr, death.seconds, why, replaced=why.summary, dropped=dropped)


def _alone(done: Outcome) -> Outcome:
    """The outcome of a fence whose process ends with its chain, and with it all that it left."""
    leaks = tuple(replace(leak, undone=True) for leak in done.leaks)
    return replace(done, leaks=leaks, replaced=None)


def with_leaks(done: Outcome, options: EngineOptions) -> Outcome:
    """The outcome, failed if a leak that was not undone counts as a failure."""
    stuck = [leak for leak in done.leaks if not leak.undone] if done.leaks else []
    if not stuck or done.failure is not None or not options.leaks_are_errors:
        return done
    leak = stuck[0]
    change = f" ({leak.was} → {leak.now})" if leak.was else f" ({leak.now})" if leak.now else ""
    return replace(done, failure=Failure("leak", f"left behind: {leak.what}{change}", leak.line))


class _Run:
    """One pass over chains: what is sent, what is not yet, what is answered."""

    def __init__(self, engine: WorkerEngine, chains: Iterable[Chain]) -> None:
        self._engine = engine
        self._source = iter(chains)
        self._queue: deque[Chain] = deque()
        self._sent: deque[tuple[Chain, int]] = deque()
        self._worker: Worker | None = None

    def events(self) -> Iterator[EngineEvent]:
        try:
            while self._send_ahead():
                yield from self._first_chain()
        finally:
            # Not all answers were wanted: what the worker does now, nobody waits for.
            if self._worker is not None and self._sent:
                self._engine.discard(self._worker)

    def _send_ahead(self) -> bool:
        """Fill the line up once it is half empty; whether anything is in it."""
        if len(self._sent) > AHEAD // 2:
            return True
        frames = []
        while len(self._sent) < AHEAD and (chain := self._next()) is not None:
            if not chain.jobs:
                continue
            alone = self._worker is None or chain.isolated or self._sent_is_isolated()
            if self._sent and alone:
                # A process of its own: nothing runs beside it.
                self._queue.appendleft(chain)
                break
            if not self._sent:
                self._worker = self._engine.worker_for(chain)
            assert self._worker is not None
            frames.append(chain_frame(chain, self._worker.serial))
            self._sent.append((chain, self._worker.serial))
            self._worker.serial += len(chain.jobs)
        if frames and self._worker is not None:
            self._worker.link.post(*frames)
        return bool(self._sent)

    def _sent_is_isolated(self) -> bool:
        return bool(self._sent) and self._sent[0][0].isolated

    def _next(self) -> Chain | None:
        return self._queue.popleft() if self._queue else next(self._source, None)

    def _first_chain(self) -> Iterator[EngineEvent]:
        """The events of the chain that is first in line."""
        chain, _ = self._sent[0]
        for place, job in enumerate(chain.jobs):
            yield Started(job.key)
            answer = self._answer(place)
            done, alive = self._outcome(place, answer)
            last = not alive or bool(isinstance(answer, dict) and answer.get("last"))
            if last:
                self._close_chain(alive and done.replaced is None)
            yield Finished(job.key, done)
            if last:
                for blocked in chain.jobs[place + 1 :]:
                    yield Blocked(blocked.key, job.key)
                return

    def _answer(self, place: int) -> Reply | Death:
        """The answer to a job of the first chain, in a new worker if need be."""
        for _ in range(_TRIES):
            chain, serial = self._sent[0]
            assert self._worker is not None
            # The worker has enough to do: no need to be woken for each answer.
            lag = _LAG if len(self._sent) > AHEAD // 2 else 0.0
            answer = self._engine.wait(self._worker, chain.jobs[place], serial + place, lag)
            if not isinstance(answer, Death) or answer.begun or place or answer.kind != "crash":
                break
            # It died between fences: this one never ran, and nobody knows whose fault it was.
            self._queue.extendleft(chain for chain, _ in reversed(self._sent))
            self._sent.clear()
            self._engine.discard(self._worker)
            if not self._send_ahead():
                raise EngineError("no worker lives long enough to begin a fence")
        return answer

    def _outcome(self, place: int, answer: Reply | Death) -> tuple[Outcome, bool]:
        """The outcome of a job, and whether its worker can still be talked to."""
        chain, serial = self._sent[0]
        job = chain.jobs[place]
        assert self._worker is not None
        if isinstance(answer, dict):
            try:
                if answer.get("serial") != serial + place:
                    raise ProtocolError(f"an answer to job {answer.get('serial')}")
                return self._engine.finish(self._worker, job, chain, answer), True
            except ProtocolError as error:
                answer = Death("crash", note=str(error))
        return self._engine.finish(self._worker, job, chain, answer), False

    def _close_chain(self, keep: bool) -> None:
        """The first chain is over; let go of a worker that is spent."""
        chain, _ = self._sent.popleft()
        if keep and not chain.isolated:
            return
        assert self._worker is not None
        self._queue.extendleft(other for other, _ in reversed(self._sent))
        self._sent.clear()
        self._engine.discard(self._worker)
        self._worker = None
