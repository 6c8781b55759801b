"""Garbage of a chain, collected at its end: what only rings of objects kept alive is freed.

A full collection costs ten times what one of the youngest objects does, and a chain that was not
interrupted by any collection made nothing else. Knows nothing of fences.
"""

from __future__ import annotations

import gc
import sys
import time

#: A full collection that takes longer is worth making the next ones faster, in seconds.
_SLOW = 0.0003

#: At most so many chains from one full collection to the next: rings of an earlier chain's
#: objects, kept by a library and dropped later, are not among the youngest.
_CHAINS = 64

#: What Python's count of collections reaches by itself is less: at 10 it starts over. So whoever
#: else collected meanwhile, the count is another one than ours.
_OUT_OF_REACH = 16

#: From 3.14 on the collector works in steps and counts them differently.
_COUNTS = sys.implementation.name == "cpython" and sys.version_info < (3, 14)


class Garbage:
    """The collections of one process."""

    def __init__(self, owned: bool) -> None:
        """``owned`` says that the process is fencerun's alone, so that its heap may be frozen."""
        self._owned = owned
        self._settled = False
        self._left = 0
        self._count = (-1, -1)

    def collect(self) -> None:
        """Free what the chain left: all that was made since the last call, at the least."""
        if self._left and gc.get_count()[1:] == self._count:
            self._left -= 1
            gc.collect(0)
            self._count = self._count[0] + 1, self._count[1]
        else:
            self._all()

    def _all(self) -> None:
        started = time.thread_time()
        gc.collect()
        slow = not self._settled or time.thread_time() - started > _SLOW
        if self._owned and slow:
            self._settled = True
            # What lives now outlives every chain: imported modules, mostly. A collection would
            # visit it every time: with torch 87 ms, and 0.03 ms once it is set aside.
            gc.freeze()
        if _COUNTS:
            for _ in range(_OUT_OF_REACH):
                gc.collect(0)
            self._left, self._count = _CHAINS, gc.get_count()[1:]
