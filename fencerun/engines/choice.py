"""The engine that a caller asks for by name, to debug in, or to run pages side by side."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from fencerun import heap
from fencerun.engines.base import Engine, EngineOptions
from fencerun.errors import UsageError

if TYPE_CHECKING:
    from fencerun.worker.debugger import Terminal

NAMES = ("worker", "inprocess", "pool", "ray")


def engine(
    name: str = "worker",
    *,
    debug: bool = False,
    jobs: int | None = None,
    address: str | None = None,
) -> Callable[[EngineOptions], Engine]:
    """What makes the engine called ``name``; to ``debug`` in, that is the one in this process.

    ``jobs`` is how many pages may run side by side, 0 for as many as there are cores; None leaves
    it to the engine; ``address`` is that of a Ray cluster. Raises UsageError where there is no
    terminal to debug from, where several pages are to run in this process, and, when it is called,
    where fences are to run under another interpreter than the one that is to run them.
    """
    if jobs not in (None, 1) and (debug or name == "inprocess"):
        option = "--pdb" if debug else "--engine inprocess"
        raise UsageError(f"-j: {option} runs fences in one process", f"leave -j or {option} away")
    if debug:
        from fencerun.worker.debugger import NoTerminal, Terminal

        try:
            return partial(_in_process, "--pdb", Terminal())
        except NoTerminal:
            what = "--pdb: there is no terminal to debug from"
            raise UsageError(what, "run it in one, and not in CI or behind a pipe") from None
    if address is not None and name != "ray":
        raise UsageError("--address is that of a Ray cluster", "add `--engine ray`")
    if name == "ray":
        from fencerun.distributed.engine import Distributed

        return Distributed(address, jobs)
    if name == "inprocess":
        return partial(_in_process, f"--engine {name}", None)
    lanes = jobs or (1 if name == "worker" and jobs is None else cores())
    return _worker if lanes == 1 else partial(_pool, lanes)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _worker(options: EngineOptions) -> Engine:
    from fencerun.engines.worker import WorkerEngine

    return WorkerEngine(options)


def _pool(lanes: int, options: EngineOptions) -> Engine:
    from fencerun.engines.pool import Pool

    return Pool(options, lanes)


def _in_process(option: str, terminal: Terminal | None, options: EngineOptions) -> Engine:
    from fencerun.engines.inprocess import InProcessEngine
    from fencerun.worker.debugger import Debugger

    if not _is_own(options.python):
        raise UsageError(
            f"{option} runs fences in fencerun's own interpreter, {sys.executable}, "
            f"and they are to run under {options.python}",
            f"install fencerun there and run `{options.python} -m fencerun`, "
            f"or add `--python {sys.executable}`",
        )
    heap.restore()
    return InProcessEngine(options, debugger=Debugger(terminal) if terminal else None)


def _is_own(python: str) -> bool:
    """Whether this process runs under that interpreter: the same file, in the same environment."""
    if python == sys.executable:
        return True
    # Those of several environments are links to the same file.
    one, other = (os.path.realpath(os.path.dirname(path)) for path in (python, sys.executable))
    return one == other and os.path.realpath(python) == os.path.realpath(sys.executable)
