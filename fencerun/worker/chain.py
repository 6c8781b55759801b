"""One chain of fences, run and cleaned up in this process: the unit of hygiene.

Inside a chain everything is as in one script; at its end whatever it changed is undone, named,
or makes the process unfit for more. Knows nothing of sockets or of the parent.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import time

from fencerun.worker import caches, children, cuda, execute, memory, seeds, shell
from fencerun.worker.guards import Guards
from fencerun.worker.modules import Modules
from fencerun.worker.namespace import Script
from fencerun.worker.threads import Threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from fencerun.worker.capture import Capture
    from fencerun.worker.interrupts import Interrupts

#: A garbage collection that takes longer is worth making the next ones faster, in seconds.
_SLOW_COLLECTION = 0.0003


#: Names the page to whatever a fence starts, so that a page cannot run itself.
OWN_PAGE = "FENCERUN_PAGE"


class Process:
    """What a process keeps for all its chains. Made once, before the first; forks copy it."""

    def __init__(self, root: str, *, owned: bool = True, debug: bool = False) -> None:
        """``root`` is the project's directory.

        ``owned`` says that the process is fencerun's alone (so its heap may be frozen and its
        memory limited). ``debug`` lets ``breakpoint()`` through.
        """
        self.pages: set[str] = set()
        self.owned = owned
        self.debug = debug
        self.modules = Modules(root)
        self.seeds = seeds.Seeds()
        self.seeds.install()
        self.threads = Threads(self.modules.owns)
        self.threads.install()
        self.guards = Guards(self.pages.__contains__)
        #: Children that are not the fences'.
        self.children: set[int] = set()
        #: Page and number of the fence that ran last.
        self.last: tuple[str, int] | None = None
        #: Whether what the first chain brought along is set aside from garbage collection.
        self.settled = False
        #: The pages whose fences run this very process, one within the other.
        self.outer = os.environ.get(OWN_PAGE, "")

    def close(self) -> None:
        """Take every hook out again (only a process that goes on without us needs it)."""
        self.guards.close()
        self.threads.remove()
        self.seeds.remove()


class Chain:
    """A running chain. ``begin``, then each ``fence``, then ``end``."""

    def __init__(
        self, process: Process, capture: Capture, interrupts: Interrupts, flood: int
    ) -> None:
        self._process = process
        self._capture = capture
        self._interrupts = interrupts
        self._flood = flood
        self._pid = os.getpid()
        self._numbers: dict[int, int] = {}
        self._troubles: dict[str, int] = {}
        self._tainted: list[str] = []

    def begin(self, page: str, directory: str, tag: str = "") -> None:
        """Make the process the chain's: directory, path, arguments, generators, ``__main__``.

        Raises OSError when the directory can't be entered.
        """
        process = self._process
        self._directory = directory
        os.chdir(directory)
        real = os.path.realpath(os.path.basename(page))
        os.environ[OWN_PAGE] = f"{process.outer}{os.pathsep}{real}"
        process.pages.add(page)
        process.modules.begin_chain(directory)
        sys.argv = [page]
        self._interrupts.install()
        self._capture.begin_chain()
        seeds.fix()
        if not process.owned:
            process.children = children.children()
        process.threads.begin_chain()
        self._script = Script(page, directory, debug=process.debug)
        self._script.__enter__()
        caches.tag(tag, self._script.context)
        process.guards.chain_begin(self._script.context)

    def fence(self, job: dict[str, Any], serial: int) -> dict[str, Any]:
        """Run one fence; the reply, complete unless it is the chain's last."""
        number = job["number"]
        reply: dict[str, Any] = {"serial": serial}
        late = self._capture.begin(job.get("stderr", False))
        if late:
            reply["leaks"] = [self._late_output(late)]
        self._process.guards.fence_begin(
            number,
            job.get("op_namespace"),
            tuple(job.get("allows", ())),
            job["code"],
            job["line"],
        )
        started = time.perf_counter()
        failure = self._run(job, serial)
        reply["seconds"] = round(time.perf_counter() - started, 6)
        self._keep_output(reply)
        if failure is None and job.get("values"):
            failure = self._evaluate(job["values"], serial, reply)
        # Also after a failure: what a fence did before it raised is named and policed.
        after = self._after(reply, number)
        failure = failure or after
        if failure is not None:
            reply["failure"] = failure
        self._process.last = (self._script.page, number)
        return reply

    def _run(self, job: dict[str, Any], serial: int) -> dict[str, Any] | None:
        def code() -> dict[str, Any] | None:
            if shell.is_shell(job.get("language", "python")):
                return shell.run(job["language"], job["code"])
            return execute.run(
                self._script,
                job["code"],
                job["line"],
                echo=job.get("echo", False),
                number=job["number"],
            )

        failure = self._interruptible(code, serial)
        if os.getpid() != self._pid:
            self._leave(failure)
        error = cuda.settle()
        if error is not None and failure is None:
            failure = {"kind": "exception", "summary": error, "message": error}
        return failure

    def _interruptible(
        self, code: Callable[[], dict[str, Any] | None], serial: int
    ) -> dict[str, Any] | None:
        """Call ``code`` so that the parent can stop it; its failure, or that it was stopped."""
        try:
            self._interrupts.begin(serial)
            failure = code()
            self._interrupts.end()
        except KeyboardInterrupt as error:
            self._interrupts.end()
            failure = dict(execute.describe(self._script, error))
        if self._interrupts.interrupted(serial):
            failure = {**(failure or {}), "kind": "timeout", "summary": "stopped"}
        return failure

    def _evaluate(
        self, values: list[Any], serial: int, reply: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Evaluate what is bound to the fence, throwing away what that prints."""
        results: list[dict[str, Any]] = []

        def code() -> dict[str, Any] | None:
            results.extend(execute.evaluate(self._script, *value) for value in values)
            return None

        failure = self._interruptible(code, serial)
        self._capture.skip()
        reply["values"] = results
        return failure

    def _leave(self, failure: dict[str, Any] | None) -> None:
        """End a fork of this process that ran off the end of its fence, as a script would."""
        status = 0
        if failure is not None:
            message = failure.get("message", "")
            exits = failure.get("kind") == "exit" and message.isdecimal()
            status = int(message) & 0xFF if exits else 1
            if failure.get("traceback"):
                with contextlib.suppress(OSError):
                    os.write(2, failure["traceback"].encode("utf-8", "backslashreplace"))
        self._capture.flush()
        os._exit(status)

    def _keep_output(self, reply: dict[str, Any]) -> None:
        out, err = self._capture.end()
        for name, new in (("out", out), ("err", err)):
            kept = reply.setdefault(name, [])
            if kept and new and kept[-1] == new[0]:
                kept[-1] = new[1]
            else:
                kept += new

    def _after(self, reply: dict[str, Any], number: int) -> dict[str, Any] | None:
        """Checks after each fence: operators, amount of output; whose stream or child is whose."""
        for what in self._capture.troubles():
            self._troubles.setdefault(what, number)
        for pid in children.children():
            self._numbers.setdefault(pid, number)
        for violation in self._process.guards.fence_end():
            return {"kind": "namespace", **violation}
        written = sum(reply["out"][1::2]) - sum(reply["out"][::2])
        if written > self._flood:
            return {"kind": "flood", "summary": "too much output"}
        return None

    def _late_output(self, size: int) -> dict[str, Any]:
        what = f"{size} bytes of output written after it ended"
        if self._process.last is None:
            return {"what": what}
        page, fence = self._process.last
        if page != self._script.page:
            return {"what": f"{what} ({page}, fence {fence})"}
        return {"what": what, "fence": fence}

    # The end of a chain.

    def end(self, reply: dict[str, Any]) -> None:
        """Clean up; complete the reply of the chain's last fence."""
        process = self._process
        leaks = reply.setdefault("leaks", [])
        self._interrupts.check()
        running = self._step("waiting for threads", process.threads.left) or []
        self._step("torch._dynamo.reset()", _reset_dynamo)
        # As at the end of a script, objects die first, so that what only they held (descriptors,
        # processes, threads) is no leak; the guards' restoring comes after.
        self._step("clearing the namespace", self._script.clear)
        self._collect()
        self._taint(self._step("CUDA clean-up", cuda.release))
        if running:
            running = self._step("waiting for threads", process.threads.left) or []
        leaks += self._threads(running)
        leaks += self._step("ending child processes", self._sweep) or []
        found, tainted = self._step("guards", process.guards.chain_end) or ([], None)
        leaks += found
        self._taint(tainted)
        self._step("leaving the script", lambda: self._script.__exit__(None, None, None))
        self._keep_output(reply)
        leaks += self._streams()
        self._step("unloading modules", self._unload)
        if process.owned and not self._tainted:
            self._taint(memory.grown())
        reply["last"] = True
        if self._tainted:
            reply["tainted"] = "; ".join(self._tainted)

    def _step(self, what: str, do: Callable[[], Any]) -> Any:
        """One step of the clean-up. What goes wrong in it makes the process unfit."""
        try:
            return do()
        except Exception as error:
            self._taint(f"{what} failed: {type(error).__name__}: {error}")
            return None

    def _taint(self, why: str | None) -> None:
        if why:
            self._tainted.append(why)

    def _threads(self, names: list[str]) -> list[dict[str, Any]]:
        for name in names:
            self._taint(f"thread {name} is still running")
        return [{"what": "thread left running", "now": name, "undone": False} for name in names]

    def _sweep(self) -> list[dict[str, Any]]:
        _stop_forkserver()
        found = []
        for pid, command in children.sweep(self._process.children):
            fence = self._numbers.get(pid)
            found.append({"what": "child process left running", "now": command, "fence": fence})
        multiprocessing = sys.modules.get("multiprocessing.process")
        if found and multiprocessing is not None:
            multiprocessing.active_children()
        return found

    def _streams(self) -> list[dict[str, Any]]:
        for what in self._capture.troubles():
            # Only now: a finaliser did it.
            self._troubles.setdefault(what, 0)
        return [{"what": what, "fence": fence or None} for what, fence in self._troubles.items()]

    def _unload(self) -> None:
        if self._process.modules.end_chain(self._directory) and self._process.owned:
            memory.forgive()

    def _collect(self) -> None:
        started = time.thread_time()
        gc.collect()
        slow = not self._process.settled or time.thread_time() - started > _SLOW_COLLECTION
        if self._process.owned and slow:
            self._process.settled = True
            # What lives now outlives every chain: imported modules, mostly. A collection would
            # visit it every time: with torch 87 ms, and 0.03 ms once it is set aside.
            gc.freeze()


def _reset_dynamo() -> None:
    reset = getattr(sys.modules.get("torch._dynamo"), "reset", None)
    if reset is not None:
        reset()


def _stop_forkserver() -> None:
    """End multiprocessing's fork server, if a fence started it: it is no leak of the fence."""
    module = sys.modules.get("multiprocessing.forkserver")
    stop = getattr(getattr(module, "_forkserver", None), "_stop", None)
    if stop is not None:
        stop()
