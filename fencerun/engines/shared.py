"""One source of workers for several threads, which can be told from outside to end it all.

Knows no chains.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from threading import Lock
from typing import Any

from fencerun.engines.base import EngineError, EngineOptions
from fencerun.engines.launch import Worker
from fencerun.engines.sources import Source, Zygote


class Shared:
    """A source of workers that several threads ask, one at a time."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock = Lock()
        #: Workers that are somebody's, and the lock that keeps them from being given up meanwhile.
        self._taken: set[Worker] = set()
        self._taking = Lock()
        self._halted = False
        #: The same for a chain that runs under a zygote of its own.
        self._apart: list[Shared] = []

    def start(self) -> None:
        with self._lock:
            self._source.start()

    def worker(self) -> Worker:
        with self._lock:
            if self._halted:
                raise EngineError("the run was halted")
            worker = self._source.worker()
        with self._taking:
            self._taken.add(worker)
        return worker

    def give_up(self, worker: Worker) -> None:
        """Its owner is about to end it."""
        with self._taking:
            self._taken.discard(worker)

    def status(self, worker: Worker, seconds: float) -> int | None:
        with self._lock:
            return self._source.status(worker, seconds)

    def about(self) -> dict[str, Any]:
        with self._lock:
            return self._source.about()

    def halt(self) -> None:
        """End what every worker is doing, and give none any more."""
        self._halted = True
        with self._taking:
            for worker in self._taken:
                worker.kill()
            for one in self._apart:
                one.halt()

    @contextlib.contextmanager
    def apart(self, options: EngineOptions) -> Iterator[Shared]:
        """A source with a zygote that nobody else has workers of."""
        own = Shared(Zygote(options))
        own._halted = self._halted
        with self._taking:
            self._apart.append(own)
        try:
            yield own
        finally:
            with self._taking:
                self._apart.remove(own)
            own.end()

    def close(self) -> None:
        """Not when one lane closes."""

    def end(self) -> None:
        """End every process. Safe to call twice."""
        with self._lock:
            self._source.close()
