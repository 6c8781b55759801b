"""Single keys from a terminal, while lines are written to it. Knows no meaning of a key.

The terminal is given back as it was, also when the process is suspended or told to end.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

try:
    import termios
    import tty
except ImportError:  # Windows
    termios = None  # type: ignore[assignment]


class Keyboard:
    """Keys as they are pressed. Without a terminal in the foreground there are none.

    Use it as a context manager, on the main thread.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = _stdin() if descriptor is None else descriptor
        self._before: list[Any] | None = None
        self._wakeup, self._alarm = os.pipe()
        os.set_blocking(self._wakeup, False)
        os.set_blocking(self._alarm, False)
        self._undo: Callable[[], None] = lambda: None
        self._pressed = ""

    @property
    def there(self) -> bool:
        """Whether there are keys to press."""
        return self._before is not None

    def __enter__(self) -> Keyboard:
        if termios is not None and _is_ours(self._descriptor):
            with suppress(termios.error):
                self._before = termios.tcgetattr(self._descriptor)
                tty.setcbreak(self._descriptor, termios.TCSANOW)
            self._undo = _handled((signal.SIGCONT,), self._continued)
        return self

    def _continued(self, number: int) -> None:
        # A shell gives a job that it suspends back with the settings of its own.
        if self._before is not None and _is_ours(self._descriptor):
            with suppress(termios.error):
                tty.setcbreak(self._descriptor, termios.TCSANOW)

    def __exit__(self, *exc: object) -> None:
        self._undo()
        self._undo = lambda: None
        if self._before is not None:
            with suppress(termios.error):
                termios.tcsetattr(self._descriptor, termios.TCSANOW, self._before)
        self._before = None

    def wake(self) -> None:
        """Have ``read`` return without a key; from any thread, also when there is none to read."""
        with suppress(BlockingIOError):
            os.write(self._alarm, b".")

    def read(self, seconds: float | None) -> str:
        """The next key, waiting at most so long; empty where there was none, or on ``wake``."""
        if self._pressed:
            return self._next()
        wanted = [self._wakeup, *([self._descriptor] if self.there else [])]
        ready, _, _ = select.select(wanted, [], [], seconds)
        if self._wakeup in ready:
            with suppress(BlockingIOError):
                os.read(self._wakeup, 4096)
        if self._descriptor not in ready:
            return ""
        try:
            pressed = os.read(self._descriptor, 64)
        except OSError:
            pressed = b""
        if not pressed:  # the terminal is gone
            self._before = None
        # An arrow, say, comes as several characters of which the first is an escape.
        self._pressed = pressed.partition(b"\x1b")[0].decode("ascii", "ignore")
        return self._next()

    def _next(self) -> str:
        key, self._pressed = self._pressed[:1], self._pressed[1:]
        return key


def _stdin() -> int:
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return -1


def _is_ours(descriptor: int) -> bool:
    """Whether it is a terminal, and this process may change it."""
    try:
        return os.isatty(descriptor) and os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:
        return False


def on_end(what: Callable[[int], None], *more: signal.Signals) -> Callable[[], None]:
    """Call ``what`` when the process is told to end, also by ``more``; returns how to undo that.

    What the process was started to ignore (by `nohup`, say) it goes on to ignore. On the main
    thread only.
    """
    return _handled((signal.SIGTERM, signal.SIGHUP, *more), what)


def _handled(numbers: Iterable[signal.Signals], what: Callable[[int], None]) -> Callable[[], None]:
    before = {number: signal.getsignal(number) for number in numbers}
    heeded = [number for number, now in before.items() if now is not signal.SIG_IGN]
    for number in heeded:
        signal.signal(number, lambda n, frame: what(n))

    def undo() -> None:
        for number in heeded:
            # None is a handler that Python did not set, and cannot set again.
            signal.signal(number, before[number] or signal.SIG_DFL)

    return undo
