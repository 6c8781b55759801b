"""pdb for fences whose output is captured: it talks to the terminal, and to nothing else.

While it waits for commands, the terminal lies on descriptors 0 to 2; then the fence's own are
there again. Knows nothing of what a failure means.
"""

from __future__ import annotations

import bdb
import contextlib
import io
import os
import pdb
import signal
import sys
import threading

from fencerun.worker import libc
from fencerun.worker.tracebacks import message_of, page_line, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType
    from typing import Any

    from fencerun.worker.namespace import Script

_HELP = "l lists the page, c goes on, q ends the run"


class NoTerminal(OSError):
    """There is no terminal to debug from."""


class Terminal:
    """The terminal that the process was started from."""

    def __init__(self) -> None:
        """Raises NoTerminal."""
        if os.isatty(0) and os.isatty(1):
            self._input, self._output = os.dup(0), os.dup(1)
            return
        try:
            self._input = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise NoTerminal("there is no terminal to debug from") from error
        self._output = os.dup(self._input)

    def close(self) -> None:
        """Give up the descriptors."""
        os.close(self._input)
        os.close(self._output)

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """Have it on the standard streams and their descriptors, where readline edits lines."""
        streams = sys.stdin, sys.stdout, sys.stderr
        _flush()
        kept = [_duplicate(number) for number in range(3)]
        for number in range(3):
            os.dup2(self._output if number else self._input, number)
        try:
            sys.stdin = open(0, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
            sys.stdout = _text(1)
            sys.stderr = _text(2)
            with _own_interrupts():
                yield
        finally:
            _flush()
            for number, descriptor in enumerate(kept):
                if descriptor is None:
                    os.close(number)
                else:
                    os.dup2(descriptor, number)
                    os.close(descriptor)
            sys.stdin, sys.stdout, sys.stderr = streams


class Debugger:
    """What fences reach with ``breakpoint()``, and what looks at those that failed.

    ``left`` says that somebody is done with all of it: ``q`` was typed.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._pdb = _Pdb(terminal)
        self._script: Script | None = None
        self._told = False
        self._set_trace = pdb.set_trace
        pdb.set_trace = self.stop

    @property
    def left(self) -> bool:
        """Whether ``q`` was typed."""
        return self._pdb.left

    def close(self) -> None:
        """Give up the terminal."""
        pdb.set_trace = self._set_trace
        self._terminal.close()

    @contextlib.contextmanager
    def around(self, script: Script) -> Iterator[None]:
        """Be there for code of ``script``."""
        traced = sys.gettrace()
        self._script, self._pdb.files = script, script.files
        try:
            yield
        finally:
            # Or it would go on to step through whatever runs next.
            if sys.gettrace() is not traced:
                sys.settrace(traced)

    def stop(self, *args: object, header: str | None = None, **keywords: object) -> None:
        """Stand in for ``sys.breakpointhook`` and ``pdb.set_trace``."""
        if os.environ.get("PYTHONBREAKPOINT") != "0":
            frame = sys._getframe(1)
            self._head("stopped", header or "breakpoint()", frame.f_lineno)
            self._pdb.set_trace(frame)

    def examine(self, error: BaseException) -> None:
        """Look at what a fence raised, where it stood on the page."""
        if isinstance(error, bdb.BdbQuit):
            error.args = error.args or ("left with q",)
        elif not self.left:
            traced = sys.gettrace()
            line = page_line(error, self._pdb.files)
            self._head("failed", summary(error, message_of(error)), line)
            self._pdb.reset()
            self._pdb.interaction(None, error.__traceback__)
            sys.settrace(traced)

    def _head(self, kind: str, what: str, line: int | None) -> None:
        """Say where it is, as the reports say it."""
        if (script := self._script) is not None:
            place = script.page if line is None else f"{script.page}:{line}"
            what = f"{place}: {kind}: fence {script.number}, {what}"
        self._pdb.message(what if self._told else f"{what}\n({_HELP})")
        self._told = True


class _Pdb(pdb.Pdb):
    """pdb that takes the terminal for as long as it waits, and shows no frame of fencerun's."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(nosigint=True, skip=["fencerun", "fencerun.*"])
        self.left = False
        self.files: tuple[str, ...] = ()
        self._terminal = terminal
        #: What is said before the terminal is there.
        self._before = self.stdout = io.StringIO()

    def interaction(self, *args: Any, **keywords: Any) -> None:
        """Wait for commands."""
        with self._terminal.in_place():
            sys.stdout.write(self._before.getvalue())
            self.stdin, self.stdout = sys.stdin, sys.stdout
            try:
                super().interaction(*args, **keywords)
            finally:
                self._before = self.stdout = io.StringIO()

    def set_quit(self) -> None:
        """End this, and everything after it."""
        self.left = True
        super().set_quit()

    def get_stack(
        self, f: FrameType | None, t: TracebackType | None
    ) -> tuple[list[tuple[FrameType, int]], int]:
        """The stack from the first frame of the page on."""
        stack, index = super().get_stack(f, t)
        first = next((at for at, entry in enumerate(stack) if self._on_page(entry[0])), 0)
        return stack[first:], max(index - first, 0)

    def setup(self, f: FrameType | None, tb: TracebackType | None) -> Any:
        """After a failure start at the page's innermost frame; what it called is below it."""
        # Its own class decides what it returns (in Python 3.10 whether to go on at all).
        done: Any = super().setup(f, tb)
        on_page = [at for at, entry in enumerate(self.stack) if self._on_page(entry[0])]
        if tb is not None and on_page:
            self.curindex = on_page[-1]
            self.curframe = self.stack[self.curindex][0]
            self.curframe_locals = self.curframe.f_locals
        return done

    def _on_page(self, frame: FrameType) -> bool:
        return frame.f_code.co_filename in self.files


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        # It may be anything that a fence put there.
        with contextlib.suppress(Exception):
            stream.flush()
    libc.flush_c()


def _duplicate(number: int) -> int | None:
    try:
        return os.dup(number)
    except OSError:
        return None


def _text(number: int) -> io.TextIOWrapper:
    stream = open(number, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    stream.reconfigure(line_buffering=True)
    return stream


@contextlib.contextmanager
def _own_interrupts() -> Iterator[None]:
    """Ctrl-C at the prompt starts a new line there, and stops nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
