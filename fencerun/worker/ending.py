"""The end of a chain: what it changed is undone, named, or makes the process unfit for more.

Knows nothing of how fences run.
"""

from __future__ import annotations

import sys

from fencerun.worker import children, cuda, figures, memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from fencerun.worker.capture import Capture
    from fencerun.worker.namespace import Script
    from fencerun.worker.process import Process


class Ending:
    """The clean-up after one chain, in steps; each goes its way whatever became of the others.

    ``leaks`` and ``tainted`` (why the process is unfit for more) grow with each step.
    """

    def __init__(self, process: Process, capture: Capture, script: Script) -> None:
        self._process = process
        self._capture = capture
        self._script = script
        self.leaks: list[dict[str, Any]] = []
        self.tainted: list[str] = []

    def end_objects(
        self, started_by: dict[int, int], last: int | None, at_exit: Callable[[], None]
    ) -> None:
        """End what the chain's code still has running or alive, as at the end of a script.

        Objects die before the guards look, so that what only they held (descriptors, processes,
        threads) is no leak. ``started_by`` says which fence a child process is of, where it
        is not of the ``last``; ``at_exit`` waits for threads and calls the exit handlers.
        """
        self._step("threads and exit handlers", at_exit)
        self._step("torch._dynamo.reset()", _reset_dynamo)
        self._step("closing figures", figures.close)
        self._step("clearing the namespace", self._script.clear)
        self._process.garbage.collect()
        self._taint(self._step("CUDA clean-up", cuda.release))
        self._step("ending child processes", lambda: self._sweep(started_by, last))

    def restore(self) -> None:
        """Let the guards undo what the chain changed, and leave its script."""
        found, tainted = self._step("guards", self._process.guards.chain_end) or ([], None)
        self.leaks += found
        self._taint(tainted)
        self._step("leaving the script", lambda: self._script.__exit__(None, None, None))

    def settle(self, troubles: dict[str, int], directory: str) -> None:
        """Name threads and what became of the streams, unload the page's modules, measure memory.

        ``troubles`` says which fence did what to a stream. What threads write by now is no output.
        """
        for name in self._step("looking for threads", self._process.threads.left) or []:
            self._taint(f"thread {name} is still running")
            self.leaks.append({"what": "thread left running", "now": name, "undone": False})
        for what in self._capture.troubles():
            # Only now: a finaliser did it.
            troubles.setdefault(what, 0)
        for what, fence in troubles.items():
            self.leaks.append({"what": what, "fence": fence or None})
        self._step("unloading modules", lambda: self._unload(directory))
        if self._process.owned and not self.tainted:
            self._taint(memory.grown())

    def _step(self, what: str, do: Callable[[], Any]) -> Any:
        """One step of the clean-up. What goes wrong in it makes the process unfit."""
        try:
            return do()
        except Exception as error:
            self._taint(f"{what} failed: {type(error).__name__}: {error}")
            return None

    def _taint(self, why: str | None) -> None:
        if why:
            self.tainted.append(why)

    def _sweep(self, started_by: dict[int, int], last: int | None) -> None:
        _stop_forkserver()
        ended = children.sweep(self._process.children)
        for pid, command in ended:
            leak = {"what": "child process left running", "now": command}
            self.leaks.append({**leak, "fence": started_by.get(pid, last)})
        multiprocessing = sys.modules.get("multiprocessing.process")
        if ended and multiprocessing is not None:
            # It forgets those that ended.
            multiprocessing.active_children()

    def _unload(self, directory: str) -> None:
        if self._process.modules.end_chain(directory) and self._process.owned:
            memory.forgive()


#: What counts compilations for the whole process, and the method that begins anew.
_COUNTERS = (
    ("torch._dynamo.utils", "counters", "clear"),
    ("torch._dynamo.utils", "compilation_time_metrics", "clear"),
    ("torch._inductor", "metrics", "reset"),
)


def _reset_dynamo() -> None:
    reset = getattr(sys.modules.get("torch._dynamo"), "reset", None)
    if reset is None:
        return
    reset()
    for module, name, method in _COUNTERS:
        again = getattr(getattr(sys.modules.get(module), name, None), method, None)
        if again is not None:
            again()


def _stop_forkserver() -> None:
    """End multiprocessing's fork server, if a fence started it: it is no leak of the fence."""
    module = sys.modules.get("multiprocessing.forkserver")
    stop = getattr(getattr(module, "_forkserver", None), "_stop", None)
    if stop is not None:
        stop()
