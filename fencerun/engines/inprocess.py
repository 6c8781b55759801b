"""Fences in the calling process: for tests, and for debuggers that have to reach them.

The same chains, guards and clean-up as in a worker, but nothing holds a fence: no time limit, no
flood limit while it runs, and one that ends the process ends the caller. Events of a chain come
when the chain is over, since its output goes to files while it runs.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from fencerun.engines.base import Blocked, Chain, EngineEvent, EngineOptions, Finished, Started
from fencerun.engines.environment import pinned
from fencerun.engines.files import OutputFile
from fencerun.engines.outcomes import chain_frame, outcome
from fencerun.engines.worker import with_leaks
from fencerun.worker.capture import Capture
from fencerun.worker.chain import Chain as RunningChain
from fencerun.worker.interrupts import Interrupts
from fencerun.worker.loop import run_chain
from fencerun.worker.process import Process


class _NoInterrupts(Interrupts):
    """Stands in for a worker's signal handlers: the caller's stay as they are."""

    def __init__(self) -> None:
        """Needs nothing."""

    def install(self) -> None:
        """Nothing."""

    def begin(self, serial: int) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""

    def interrupted(self, serial: int) -> bool:
        """Never."""
        return False


class InProcessEngine:
    """Runs chains in the calling process. ``debug`` lets ``breakpoint()`` reach a debugger."""

    isolates = False

    def __init__(self, options: EngineOptions, *, debug: bool = False) -> None:
        self._options = options
        self._process = Process(str(Path.cwd()), owned=False, debug=debug)
        self._files = (OutputFile("fence-stdout"), OutputFile("fence-stderr"))
        self._capture = Capture(*(os.dup(file.descriptor) for file in self._files))
        self._closed = False

    def describe(self) -> str:
        return f"Python {sys.version.split()[0]} ({sys.executable}), in process"

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        for chain in chains:
            yield from self._events(chain)

    def _events(self, chain: Chain) -> Iterator[EngineEvent]:
        if not chain.jobs:
            return
        with _borrowed_process(self._options):
            running = RunningChain(
                self._process,
                self._capture,
                _NoInterrupts(),
                self._options.flood,
            )
            replies = list(run_chain(running, chain_frame(chain, 1)))
        self._capture.give_up_descriptors()
        for job, reply in zip(chain.jobs, replies, strict=False):
            done = outcome(reply, job, chain.page, self._files, self._options.flood)
            yield Started(job.key)
            yield Finished(job.key, with_leaks(done, self._options))
        by = chain.jobs[len(replies) - 1].key
        for job in chain.jobs[len(replies) :]:
            yield Blocked(job.key, by)
        for file in self._files:
            file.discard(file.size())

    def fresh(self) -> None:
        """There is no other process to give."""

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._process.close()
            self._capture.close()
            for file in self._files:
                file.close()

    def __enter__(self) -> InProcessEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


@contextlib.contextmanager
def _borrowed_process(options: EngineOptions) -> Iterator[None]:
    """Set aside what a chain takes over, and put it back."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    descriptors = [os.dup(number) for number in (1, 2)]
    saved: dict[str, Any] = {
        name: getattr(sys, name)
        for name in ("stdout", "stderr", "__stdout__", "__stderr__", "argv", "path")
    }
    path, directory, environment = list(sys.path), Path.cwd(), dict(os.environ)
    os.environ.update(pinned(options))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(directory)
        for name, value in saved.items():
            setattr(sys, name, value)
        sys.path[:] = path
        for number, descriptor in zip((1, 2), descriptors, strict=True):
            os.dup2(descriptor, number)
            os.close(descriptor)
