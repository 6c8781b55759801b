"""Four numbers that parent and worker share in memory, at the head of the fault file.

Three settle races. A SIGINT may arrive when the fence that it was meant for has just ended, or
when the parent has already given up on the next one: the parent first writes *which* job it
interrupts, and how many signals it has sent, so that none is taken for a fence's own. A worker
may die between two fences: the worker writes which job it began, so that nobody is blamed for a
job that never ran. The fourth says which of a job's values is being evaluated, for the worker
that can't tell any more. Knows nothing of what a job is.
"""

from __future__ import annotations

import mmap
import os

#: Bytes at the head of the fault file that are these words; fault dumps follow.
SIZE = 64

_INTERRUPT, _BEGUN, _VALUE, _SENT = 0, 1, 2, 3


class Words:
    """The shared words of one worker. A serial is a positive number, 0 means none."""

    def __init__(self, descriptor: int) -> None:
        """Map the head of the file, which has to be at least SIZE bytes long."""
        self._map = mmap.mmap(descriptor, SIZE)
        self._view = memoryview(self._map).cast("Q")

    @staticmethod
    def prepare(descriptor: int) -> None:
        """Make room for the words in a new fault file, and put its offset behind them."""
        os.ftruncate(descriptor, SIZE)
        os.lseek(descriptor, SIZE, os.SEEK_SET)

    @property
    def interrupt(self) -> int:
        """The serial of the job that the parent wants ended."""
        return self._view[_INTERRUPT]

    @interrupt.setter
    def interrupt(self, serial: int) -> None:
        self._view[_INTERRUPT] = serial

    @property
    def sent(self) -> int:
        """How many times the parent has interrupted this worker, or is about to."""
        return self._view[_SENT]

    @sent.setter
    def sent(self, times: int) -> None:
        self._view[_SENT] = times

    @property
    def begun(self) -> int:
        """The serial of the last job that the worker began."""
        return self._view[_BEGUN]

    @begun.setter
    def begun(self, serial: int) -> None:
        self._view[_BEGUN] = serial

    @property
    def value(self) -> int:
        """Which of the job's values is being evaluated, counted from 1."""
        return self._view[_VALUE]

    @value.setter
    def value(self, place: int) -> None:
        self._view[_VALUE] = place

    def close(self) -> None:
        """Unmap; the words must not be used any more."""
        self._view.release()
        self._map.close()
