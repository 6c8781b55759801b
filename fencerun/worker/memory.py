"""How much memory this process holds, against when it was last known to be clean.

A shared process that grows without end has to be replaced. What importing modules costs does not
count: a new process would import them again. Linux only; elsewhere nothing ever grows.
"""

from __future__ import annotations

import os
import resource
import time

from fencerun.worker import libc

#: A worker that grew by more is replaced, in bytes.
LIMIT = 500 << 20

#: From so much on, freed memory is handed back to the system, in bytes.
_WORTH_TRIMMING = 64 << 20

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


#: No process grows by LIMIT in less: its pages have to be filled. In seconds.
_STEP = 0.02


class _State:
    base = 0
    looked = 0.0


def resident() -> int:
    """Resident memory of this process in bytes, 0 where it can't be told (8 µs)."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return 0


def forgive() -> None:
    """Count growth from what is held now."""
    _State.base = resident()


def grown() -> str | None:
    """Why the process has to be replaced, if it grew by more than LIMIT (mostly 0.1 µs)."""
    now = time.monotonic()
    if now - _State.looked < _STEP:
        return None
    _State.looked = now
    # The highest it ever was costs less to ask for than what it is, and mostly decides.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    if peak - _State.base < _WORTH_TRIMMING or not _State.base:
        return None
    if resident() - _State.base < _WORTH_TRIMMING:
        return None
    libc.trim()
    growth = resident() - _State.base
    return f"its memory grew by {growth >> 20} MiB" if growth > LIMIT else None
