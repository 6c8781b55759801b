"""Where workers come from: forks of a zygote, or fresh interpreters. Knows no chains.

Whatever is started here is ended by ``close``, and when the parent is killed by the zygote (which
sees its socket close) and by the kernel.
"""

from __future__ import annotations

import contextlib
import subprocess
import time
from typing import Any, Protocol

from fencerun.engines.base import EngineError, EngineOptions
from fencerun.engines.launch import START_LIMIT, Interpreter, Worker
from fencerun.engines.link import Gone, Link
from fencerun.worker import children, passing


class Source(Protocol):
    """Where workers come from."""

    def start(self) -> None:
        """Begin to load what fences need, without waiting for it."""
        ...

    def worker(self) -> Worker:
        """A pristine worker. Raises EngineError when there is none to be had."""
        ...

    def status(self, worker: Worker, seconds: float) -> int | None:
        """How a worker ended, as ``waitpid`` says it, waiting at most so long for it."""
        ...

    def about(self) -> dict[str, Any]:
        """The ``ready`` frame of the first process."""
        ...

    def close(self) -> None:
        """End every process. Safe to call twice."""
        ...


class Zygote:
    """Workers as forks of one interpreter that has everything loaded."""

    def __init__(self, options: EngineOptions) -> None:
        self._options = options
        self._interpreter: Interpreter | None = None
        self._link: Link | None = None
        self._about: dict[str, Any] | None = None
        self._ended: dict[int, int] = {}
        self._over = False

    def start(self) -> None:
        if self._over:
            raise EngineError("the engine was ended")
        if self._interpreter is None:
            ours, theirs = passing.pair()
            try:
                self._interpreter = Interpreter(self._options, [theirs.fileno()])
            except EngineError:
                ours.close()
                raise
            finally:
                theirs.close()
            self._link = Link(ours)
            self._about = None

    def about(self) -> dict[str, Any]:
        self.start()
        if self._about is None:
            assert self._interpreter is not None and self._link is not None
            try:
                self._about = self._interpreter.ready(self._link)
            except EngineError:
                self.close()
                raise
        return self._about

    def worker(self) -> Worker:
        for _ in range(2):
            self.about()
            worker = Worker()
            if self._fork(worker):
                return worker
            # The zygote is gone: a fence or the system killed it. A new one may live.
            worker.close()
            self.close()
        raise EngineError(f"{self._options.python} ends whenever it is asked for a worker")

    def _fork(self, worker: Worker) -> bool:
        assert self._link is not None
        self._link.sock.setblocking(True)
        try:
            request = b'{"do":"fork"}\n'
            passing.send(self._link.sock, request, worker.descriptors())
        except OSError:
            return False
        finally:
            self._link.sock.setblocking(False)
        until = time.monotonic() + START_LIMIT
        with contextlib.suppress(Gone):
            while time.monotonic() < until:
                frame = self._link.receive(1.0) or {}
                if "status" in frame:
                    self._ended[frame["pid"]] = frame["status"]
                elif "pid" in frame:
                    worker.born(frame["pid"])
                    return True
        return False

    def status(self, worker: Worker, seconds: float) -> int | None:
        if worker.status is not None:
            return worker.status
        until = time.monotonic() + seconds
        with contextlib.suppress(Gone):
            while worker.pid not in self._ended and self._link is not None:
                frame = self._link.receive(max(0.0, until - time.monotonic()))
                if frame is None:
                    break
                self._ended[frame["pid"]] = frame["status"]
        worker.status = self._ended.pop(worker.pid, None)
        return worker.status

    def abandon(self) -> None:
        """End the interpreter and all below it, also while another thread waits for it.

        There will be no other; ``close`` is still to be called.
        """
        self._over = True
        interpreter = self._interpreter
        if interpreter is not None:
            interpreter.kill()

    def close(self) -> None:
        if self._interpreter is None or self._link is None:
            return
        self._link.post({"do": "quit"})
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._interpreter.process.wait(3.0)
        self._interpreter.close()
        self._link.close()
        self._interpreter = self._link = None
        self._ended.clear()


class Plain:
    """Each worker a new interpreter: for systems where forking is not to be had."""

    def __init__(self, options: EngineOptions) -> None:
        self._options = options
        self._running: dict[int, Interpreter] = {}
        self._next: tuple[Worker, Interpreter] | None = None
        self._about: dict[str, Any] | None = None
        self._is_ready = False

    def start(self) -> None:
        if self._next is None:
            worker = Worker()
            try:
                interpreter = Interpreter(self._options, worker.descriptors())
            except EngineError:
                worker.close()
                raise
            worker.born(interpreter.process.pid)
            self._next = worker, interpreter
            self._is_ready = False

    def about(self) -> dict[str, Any]:
        if self._about is None:
            self._get_ready()
        assert self._about is not None
        return self._about

    def _get_ready(self) -> tuple[Worker, Interpreter]:
        self.start()
        assert self._next is not None
        worker, interpreter = self._next
        if not self._is_ready:
            try:
                self._about = interpreter.ready(worker.link)
            except EngineError:
                self._next = None
                worker.close()
                interpreter.close()
                raise
            self._is_ready = True
        return worker, interpreter

    def worker(self) -> Worker:
        worker, interpreter = self._get_ready()
        self._next = None
        self._running[worker.pid] = interpreter
        return worker

    def status(self, worker: Worker, seconds: float) -> int | None:
        interpreter = self._running.get(worker.pid)
        if interpreter is None or worker.status is not None:
            return worker.status
        try:
            code = interpreter.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        del self._running[worker.pid]
        interpreter.close()
        # What the worker left behind is nobody's child any more, but still of its session.
        children.kill(children.of_session(worker.pid))
        worker.status = -code if code < 0 else code << 8
        return worker.status

    def close(self) -> None:
        if self._next is not None:
            worker, interpreter = self._next
            self._next = None
            interpreter.close()
            worker.close()
        for interpreter in self._running.values():
            interpreter.close()
        self._running.clear()
