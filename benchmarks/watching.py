"""From a save to the new output in the terminal of `fencerun watch`, torch loaded.

Wall time, since that is what an author waits for; the fence itself takes a tenth of a millisecond
and is not taken off. The terminal is a real one: the clock stops when its other end reads the new
text.
"""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import pages
from benchmarks.figures import Figure, figure
from benchmarks.measure import environment

#: Bytes of the two pages: a lesson, and the longest one that we have.
USUAL, LONG = 13_600, 195_000

#: Saves that are measured, for each round that was asked for.
SAVES = 4

_LIMIT = 60.0


class Terminal:
    """`fencerun watch` on a page, at the far end of a terminal."""

    def __init__(self, directory: Path, page: str) -> None:
        command = [sys.executable, "-m", "fencerun", "watch", page]
        self._pid, self._end = pty.fork()
        if self._pid == 0:
            try:
                os.chdir(directory)
                os.execve(sys.executable, command, {**environment(), "TERM": "xterm"})
            finally:
                os._exit(127)
        self._said = b""

    def until(self, what: bytes) -> None:
        """Read until it writes ``what``. Raises RuntimeError where it never does."""
        end = time.monotonic() + _LIMIT
        while what not in self._said:
            if not select.select([self._end], [], [], max(0.0, end - time.monotonic()))[0]:
                raise RuntimeError(f"{what!r} never came: {self._said[-2000:]!r}")
            self._said += os.read(self._end, 1 << 16)
        self._said = self._said.partition(what)[2]

    def close(self) -> None:
        """End it."""
        os.kill(self._pid, signal.SIGTERM)
        os.close(self._end)
        os.waitpid(self._pid, 0)


def _in_place(path: Path, text: str) -> None:
    path.write_text(text)


def _by_rename(path: Path, text: str) -> None:
    other = path.with_name(f".{path.name}.swp")
    other.write_text(text)
    other.replace(path)


def watching(work: Path, rounds: int) -> Iterator[Figure]:
    """A save in place and by renaming, on a page as lessons are; and on a very long one."""
    usual, long = pages.lesson(1, USUAL), pages.lesson(2, LONG)
    yield _row(work, "a lesson", usual, _in_place, rounds, 20.0)
    yield _row(work, "a lesson, by renaming", usual, _by_rename, rounds, 20.0)
    yield _row(work, "a very long lesson", long, _in_place, rounds)


def _row(
    work: Path,
    what: str,
    text: str,
    save: Callable[[Path, str], None],
    rounds: int,
    bar: float | None = None,
) -> Figure:
    path = work / "page.md"
    number = text.count("fence:") + 1

    def page(turn: int) -> str:
        code = f"import torch\nprint('turn', torch.tensor({turn}).item())"
        return f"{text}\n```python fence:{number}\n{code}\n```\n"

    path.write_text(page(0))
    terminal = Terminal(work, path.name)
    values: list[float] = []
    try:
        terminal.until(b"ready in")
        time.sleep(1.5)
        for turn in range(1, rounds * SAVES + 2):
            began = time.perf_counter()
            save(path, page(turn))
            terminal.until(b"turn %d\r\n" % turn)
            if turn > 1:  # the first imports what judging needs
                values.append((time.perf_counter() - began) * 1000)
            terminal.until(b" in ")
            time.sleep(0.4)  # the process of the next run is made meanwhile
    finally:
        terminal.close()
    note = f"{len(text) / 1000:,.0f} KB, {number} fences; slowest {max(values):.0f} ms"
    return figure(f"save of {what} → new output in the terminal", "ms", values, bar, note)
