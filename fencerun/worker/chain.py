"""One chain of fences, run and cleaned up in this process: the unit of hygiene.

Inside a chain everything is as in one script. Knows nothing of sockets or of the parent.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import time

from fencerun.worker import (
    caches,
    children,
    console,
    cuda,
    execute,
    figures,
    memory,
    newfiles,
    seeds,
    shell,
    turns,
)
from fencerun.worker.ending import Ending
from fencerun.worker.namespace import Script
from fencerun.worker.process import OWN_PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from fencerun.worker.capture import Capture
    from fencerun.worker.interrupts import Interrupts
    from fencerun.worker.process import Process


_SHELLS = ("bash", "sh", "console")


def _written(reply: dict[str, Any]) -> int:
    """Bytes of output so far, as the reply has their ranges."""
    ranges: list[int] = reply.get("out", [])
    return sum(ranges[1::2]) - sum(ranges[::2])


def _add(kept: list[int], new: list[int]) -> None:
    """Add a range to those that are kept; one that goes on where the last ended is one with it."""
    if kept and kept[-1] == new[0]:
        kept[-1] = new[1]
    else:
        kept += new


def may_be_meant(failure: dict[str, Any], job: dict[str, Any]) -> bool:
    """Whether the fence may fail like that and its chain go on."""
    return bool(job.get("may_raise")) and failure["kind"] in ("exception", "exit", "syntax")


@functools.lru_cache(maxsize=8)
def _real(directory: str, page: str) -> str:
    return os.path.realpath(os.path.join(directory, os.path.basename(page)))


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
        #: Which fence a child process is of, and the fence that ran last.
        self._numbers: dict[int, int] = {}
        self._number: int | None = None
        self._troubles: dict[str, int] = {}

    def begin(
        self,
        page: str,
        directory: str,
        tag: str = "",
        *,
        setup: Sequence[str] | None = None,
        scratch: bool = False,
    ) -> None:
        """Make the process the chain's: directory, path, arguments, generators, ``__main__``.

        ``setup`` are path and text of a file to run before the first fence in Python; in a
        ``scratch`` directory the chain may leave files. Raises OSError when the directory can't
        be entered.
        """
        process = self._process
        self._directory = directory
        self._setup = setup
        os.chdir(directory)
        process.new_files.begin(directory, watch=not scratch)
        real = _real(directory, page)
        own = f"{process.outer}{os.pathsep}{real}"
        process.set_variable(OWN_PAGE, own)
        process.pages.add(page)
        process.modules.begin_chain(directory)
        sys.argv = [page]
        self._capture.begin_chain()
        if not process.guards.undisturbed:
            self._interrupts.install()
            seeds.fix()
        if not process.owned:
            process.children = children.children()
        process.threads.begin_chain()
        self._script = Script(
            page, directory, debugger=process.debugger, put_main=process.guards.put_main
        )
        self._script.__enter__()
        process.set_variable(caches.VARIABLE, tag)
        caches.tag(tag, self._script.context)
        # A process of others' may change between two chains in any way.
        place = (page, directory, tag, sys.stdout, sys.stderr) if process.owned else None
        process.guards.chain_begin(self._script.context, page, place)

    def fence(self, job: dict[str, Any], serial: int, last: bool = True) -> dict[str, Any]:
        """Run one fence; the reply, complete unless it is the chain's ``last``."""
        number = job["number"]
        reply: dict[str, Any] = {"serial": serial}
        late, first = self._capture.begin(job.get("stderr", False))
        if late:
            reply["leaks"] = [self._late_output(late, first)]
        self._process.guards.fence_begin(
            number,
            job.get("op_namespace"),
            tuple(job.get("allows", ())),
            job["code"],
            job["line"],
        )
        failure = self._set_up(job, serial)
        started = time.perf_counter()
        failure = failure or self._run(job, serial, reply)
        reply["seconds"] = round(time.perf_counter() - started, 6)
        self._keep_output(reply)
        if job.get("values") and (failure is None or may_be_meant(failure, job)):
            failure = self._evaluate(job["values"], serial, reply) or failure
        if job.get("figure") and (failure is None or job.get("may_raise")):
            failure = self._draw(job["figure"], serial, reply, failure)
        # Also after a failure: what a fence did before it raised is named and policed.
        after = self._after(reply, number, last)
        if failure is None or (after is not None and may_be_meant(failure, job)):
            failure = after
        if failure is not None:
            reply["failure"] = failure
        self._process.last = (self._script.page, number)
        return reply

    def _set_up(self, job: dict[str, Any], serial: int) -> dict[str, Any] | None:
        """Run the set-up file before the first fence in Python, throwing away what that prints."""
        if self._setup is None or job.get("language") in _SHELLS:
            return None
        file, text = self._setup
        self._setup = None
        failure = self._interruptible(lambda: execute.set_up(self._script, file, text), serial)
        self._capture.skip()
        return failure

    def _run(
        self, job: dict[str, Any], serial: int, reply: dict[str, Any]
    ) -> dict[str, Any] | None:
        def ended() -> None:
            before = _written(reply)
            self._keep_output(reply)
            reply["turns"].append(_written(reply) - before)

        def code() -> dict[str, Any] | None:
            in_shell = shell.is_shell(job.get("language", "python"))
            if in_shell or job.get("turns"):
                self._script.harmless = False
            if job.get("turns"):
                reply["turns"] = []
                return turns.run(self._script, job, ended)
            if in_shell:
                return shell.run(job["language"], job["code"], job["line"])
            return execute.run(
                self._script,
                job["code"],
                job["line"],
                echo=job.get("echo", False),
                number=job["number"],
                expected=bool(job.get("may_raise")),
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
            if isinstance(error, console.Interrupted):
                # A subclass of ours, which tells the line; to the author it is what it stands for.
                failure |= {"line": error.line, "traceback": "", "summary": "KeyboardInterrupt"}
        if self._interrupts.interrupted(serial):
            failure = {**(failure or {}), "kind": "timeout", "summary": "stopped"}
        return failure

    def _evaluate(
        self, values: list[Any], serial: int, reply: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Evaluate what is bound to the fence, throwing away what that prints."""
        results: list[dict[str, Any]] = []

        def code() -> dict[str, Any] | None:
            for place, value in enumerate(values, 1):
                self._interrupts.evaluating(place)
                results.append(execute.evaluate(self._script, *value))
            return None

        failure = self._interruptible(code, serial)
        self._interrupts.evaluating(0)
        if failure is not None:
            # It lies on no line of the fence.
            failure |= {"line": None, "value": len(results) + 1}
        self._capture.skip()
        reply["values"] = results
        return failure

    def _draw(
        self, name: str, serial: int, reply: dict[str, Any], failure: dict[str, Any] | None
    ) -> dict[str, Any] | None:
        """Take the figures that the fence left open; its failure, or that there are none."""

        def code() -> dict[str, Any] | None:
            found, why = figures.save(self._script, name, needed=failure is None)
            if found:
                reply["figures"] = found
            return why

        undrawn = self._interruptible(code, serial)
        self._capture.skip()
        return failure or undrawn

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
        with contextlib.suppress(KeyboardInterrupt):
            self._process.guards.exits.run(self._script.context)
        self._capture.flush()
        os._exit(status)

    def _keep_output(self, reply: dict[str, Any]) -> None:
        out, err = self._capture.end(untouched=self._script.harmless)
        if out:
            _add(reply.setdefault("out", []), out)
        if err:
            _add(reply.setdefault("err", []), err)

    def _after(self, reply: dict[str, Any], number: int, last: bool) -> dict[str, Any] | None:
        """Checks after each fence: operators, amount of output; whose stream or child is whose."""
        for what in self._capture.troubles():
            self._troubles.setdefault(what, number)
        self._number = number
        if not last:  # what is found at the end is of the last fence
            for pid in children.children():
                self._numbers.setdefault(pid, number)
        if not self._script.harmless:
            for violation in self._process.guards.fence_end():
                return {"kind": "namespace", **violation}
        if _written(reply) > self._flood:
            return {"kind": "flood", "summary": "too much output"}
        return None

    def _late_output(self, size: int, first: bytes) -> dict[str, Any]:
        what = f"{size} bytes of output written after it ended"
        leak: dict[str, Any] = {"what": what, "now": first.decode("utf-8", "replace").strip()}
        if self._process.last is not None:
            page, fence = self._process.last
            if page == self._script.page:
                leak["fence"] = fence
            else:
                leak["what"] = f"{what} ({page}, fence {fence})"
        return leak

    def _exit(self, reply: dict[str, Any]) -> None:
        """Wait for threads and call the exit handlers, on the time of the chain's last fence."""
        if not (self._process.threads.any or self._process.guards.exits.pending):
            return

        def code() -> dict[str, Any] | None:
            if not self._interrupts.interrupted(reply["serial"]):
                self._process.threads.wait()
            self._process.guards.exits.run(self._script.context)
            return None

        started = time.perf_counter()
        failure = self._interruptible(code, reply["serial"])
        if os.getpid() != self._pid:
            self._leave(None)
        waited = time.perf_counter() - started
        reply["seconds"] = round(reply.get("seconds", 0) + waited, 6)
        if failure is not None:
            reply.setdefault("failure", failure)

    def end(self, reply: dict[str, Any]) -> None:
        """Clean up; complete the reply of the chain's last fence."""
        if self._left_nothing(reply):
            self._script.__exit__(None, None, None)
            if not self._script.ringless:
                self._process.garbage.collect()
            tainted = memory.grown()
        else:
            tainted = self._clean_up(reply)
        self._capture.end_chain()
        reply["last"] = True
        if tainted:
            reply["tainted"] = tainted

    def _left_nothing(self, reply: dict[str, Any]) -> bool:
        """Whether the chain did nothing but compute and print, so that all is as it was."""
        return (
            self._script.harmless
            and self._process.owned
            and "failure" not in reply
            and not self._troubles
            and self._process.guards.left_alone()
        )

    def _clean_up(self, reply: dict[str, Any]) -> str | None:
        """Undo what the chain did; why the process is unfit for more, if it is."""
        self._process.guards.mend()
        self._interrupts.check()
        ending = Ending(self._process, self._capture, self._script)
        ending.end_objects(self._numbers, self._number, lambda: self._exit(reply))
        ending.restore()
        self._keep_output(reply)
        ending.settle(self._troubles, self._directory)
        left = [
            {"what": newfiles.LEFT, "now": name, "undone": False}
            for name in self._process.new_files.end()
        ]
        if ending.leaks or left:
            reply["leaks"] = [*reply.get("leaks", ()), *ending.leaks, *left]
        return "; ".join(ending.tainted) or None
