"""Fences in the calling process: for debuggers, profilers and the like, which have to reach them.

The same chains, guards and clean-up as in a worker, but nothing holds a fence: no time limit, no
flood limit while it runs, and one that ends the process ends the caller. Events of a chain come
when the chain is over, since its output goes to files while it runs.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from fencerun.engines.base import (
    Blocked,
    Chain,
    Closing,
    EngineEvent,
    EngineOptions,
    Finished,
    Started,
)
from fencerun.engines.environment import for_fences
from fencerun.engines.files import OutputFile
from fencerun.engines.outcomes import chain_frame, outcome
from fencerun.engines.worker import with_leaks
from fencerun.worker.capture import Capture
from fencerun.worker.chain import Chain as RunningChain
from fencerun.worker.interrupts import Interrupts
from fencerun.worker.loop import run_chain
from fencerun.worker.process import Process

if TYPE_CHECKING:
    from fencerun.worker.debugger import Debugger


class _CtrlC(Interrupts):
    """Stands in for a worker's signal handlers: nobody but the user interrupts a fence here."""

    def __init__(self) -> None:
        #: Whether the user did.
        self.pressed = False

    def install(self) -> None:
        """Take Ctrl-C, where this is the thread that gets it."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._press)

    def _press(self, number: int, frame: FrameType | None) -> None:
        self.pressed = True
        raise KeyboardInterrupt

    def check(self) -> None:
        """Nothing."""

    def begin(self, serial: int) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""

    def evaluating(self, place: int) -> None:
        """Nothing."""

    def interrupted(self, serial: int) -> bool:
        """Never."""
        return False


class InProcessEngine(Closing):
    """Runs chains in the calling process.

    ``debugger`` is what ``breakpoint()`` reaches and what looks at fences that fail; the engine
    closes it.
    """

    isolates = False

    def __init__(self, options: EngineOptions, *, debugger: Debugger | None = None) -> None:
        self._options = options
        self._debugger = debugger
        self._process = Process(str(Path.cwd()), owned=False, debugger=debugger)
        self._files = (OutputFile("fence-stdout"), OutputFile("fence-stderr"))
        self._capture = Capture(*(os.dup(file.descriptor) for file in self._files))
        self._closed = False

    def describe(self) -> str:
        """Also what is not as in a worker."""
        said = f"Python {sys.version.split()[0]} ({sys.executable}), in process: no time limits"
        return said if sys.flags.hash_randomization == 0 else f"{said}, hash seed not pinned"

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        for chain in chains:
            yield from self._events(chain)
            if self._debugger is not None and self._debugger.left:
                raise KeyboardInterrupt

    def _events(self, chain: Chain) -> Iterator[EngineEvent]:
        if not chain.jobs:
            return
        ctrl_c = _CtrlC()
        with _borrowed_process(self._options):
            running = RunningChain(self._process, self._capture, ctrl_c, self._options.flood)
            replies = list(run_chain(running, chain_frame(chain, 1)))
        if ctrl_c.pressed:
            raise KeyboardInterrupt
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
            if self._debugger is not None:
                self._debugger.close()
            self._capture.close()
            for file in self._files:
                file.close()


@contextlib.contextmanager
def _borrowed_process(options: EngineOptions) -> Iterator[None]:
    """Set aside what a chain takes over, and put it back."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    descriptors = [os.dup(number) for number in range(3)]
    saved: dict[str, Any] = {
        name: getattr(sys, name)
        for name in ("stdin", "stdout", "stderr", "__stdout__", "__stderr__", "argv", "path")
    }
    path, directory, environment = list(sys.path), Path.cwd(), dict(os.environ)
    interrupted = signal.getsignal(signal.SIGINT)
    os.environ.clear()
    os.environ.update(for_fences(environment, options))
    time.tzset()
    try:
        with open(os.devnull, encoding="utf-8") as nothing:
            os.dup2(nothing.fileno(), 0)
            sys.stdin = nothing
            yield
    finally:
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()
        os.chdir(directory)
        for name, value in saved.items():
            setattr(sys, name, value)
        sys.path[:] = path
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
            os.close(descriptor)
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, interrupted)
