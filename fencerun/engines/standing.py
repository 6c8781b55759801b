"""The worker engine that outlives its runs: it is ready before it is asked, and can be stopped.

For front ends that keep pages open. Each run gets a pristine process that was made before, and that
ends with the run. Knows nothing of pages.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from fencerun.engines.base import Chain, Closing, EngineEvent, EngineOptions, Finished, Job
from fencerun.engines.launch import Worker
from fencerun.engines.sources import Source, Zygote
from fencerun.engines.worker import WorkerEngine
from fencerun.result import Outcome

#: What the page of a chain is called that is none of a page's.
_NO_PAGE = "fencerun"

#: Page and number of a fence.
Place = tuple[str, int]


class Stoppable:
    """A source whose workers another thread may end."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._out: list[Worker] = []
        self._lock = threading.Lock()
        self._stopped = False

    def start(self) -> None:
        self._source.start()

    def about(self) -> dict[str, Any]:
        return self._source.about()

    def worker(self) -> Worker:
        """A pristine worker. Raises KeyboardInterrupt once stopped."""
        self._source.about()  # may take as long as loading torch, and must not be waited for
        with self._lock:
            if self._stopped:
                raise KeyboardInterrupt
            worker = self._source.worker()
            self._out.append(worker)
            return worker

    def status(self, worker: Worker, seconds: float) -> int | None:
        with self._lock:  # its files are closed next
            if worker in self._out:
                self._out.remove(worker)
        return self._source.status(worker, seconds)

    def stop(self) -> None:
        """End every worker that is out, and give no more. From any thread."""
        with self._lock:
            self._stopped = True
            for worker in self._out:
                worker.kill()

    def resume(self) -> None:
        """Give workers again."""
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether ``stop`` was called since the last ``resume``."""
        return self._stopped

    def abandon(self) -> None:
        """End all of it from any thread; ``close`` is still to be called."""
        self.stop()
        if isinstance(self._source, Zygote):
            self._source.abandon()

    def close(self) -> None:
        self._source.close()


class StandingEngine(Closing):
    """Lent to one run after the other; only ``end`` ends its processes.

    Of every fence that ended it keeps the outcome in ``outcomes``. All but ``stop`` is called
    from one thread.
    """

    isolates = True

    def __init__(self, options: EngineOptions, source: Source | None = None) -> None:
        self.options = options
        self.outcomes: dict[Place, Outcome] = {}
        self._source = Stoppable(source or Zygote(options))
        self._engine = WorkerEngine(options, source=self._source)

    def start(self) -> None:
        """Begin to load what fences need, without waiting for it."""
        self._source.start()

    def prepare(self) -> None:
        """Make the process of the next run; end that of the last one.

        What a process does for its first chain alone (with torch loaded that takes 150 ms) is done
        here, by a chain that only imports what is loaded.
        """
        self._source.resume()
        self._engine.fresh()
        code = "\n".join(f"import {name}" for name in self.options.preload)
        chain = Chain(_NO_PAGE, os.getcwd(), (Job("", 1, code, 1),), scratch=True)
        for _ in self._engine.run([chain]):
            pass

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        """As the engine does. Raises KeyboardInterrupt once it was stopped."""
        places: dict[str, Place] = {}

        def noted() -> Iterator[Chain]:
            for chain in chains:
                for job in chain.jobs:
                    places[job.key] = chain.page, job.number
                yield chain

        with contextlib.closing(self._engine.run(noted())) as events:  # type: ignore[type-var]
            for event in events:
                if self._source.stopped:
                    raise KeyboardInterrupt
                if isinstance(event, Finished):
                    self.outcomes[places[event.key]] = event.outcome
                yield event

    def stop(self) -> None:
        """End the run that goes on, from another thread; what it runs now gets no outcome."""
        self._source.stop()

    def resume(self) -> None:
        """Undo a ``stop`` that came when nothing ran."""
        self._source.resume()

    def describe(self) -> str:
        """As the engine does; waits until all is loaded."""
        return self._engine.describe()

    def fresh(self) -> None:
        """Let the next chain start in a pristine process."""
        self._engine.fresh()

    def abandon(self) -> None:
        """End every process from another thread, whatever the engine is about."""
        self._source.abandon()

    def end(self) -> None:
        """End every process. Safe to call twice."""
        self._engine.close()

    def close(self) -> None:
        """The run is over; the engine is not."""
