"""The few calls of the C library that Python does not offer.

Each does nothing where the system lacks it. Knows nothing of fences.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

try:
    import ctypes

    _C: Any = ctypes.CDLL(None)
except (ImportError, OSError, TypeError):  # no libffi, or Windows
    _C = None

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SIGKILL = 9
_IOLBF = 1

if _C is not None:
    # Without argtypes ctypes passes C ints, and a pointer would be cut to 32 bits.
    _C.fflush.argtypes = [ctypes.c_void_p]
    _C.setvbuf.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]


def _prctl(option: int, argument: int) -> None:
    if _C is not None and sys.platform == "linux":
        _C.prctl(option, ctypes.c_ulong(argument), 0, 0, 0)


def die_with(parent: int) -> None:
    """Have the kernel kill this process when the thread that forked it ends.

    ``parent`` is the process that should be the parent: where it is gone already, end now.
    """
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    if sys.platform == "linux" and os.getppid() != parent:
        os._exit(1)


def outlive_parent() -> None:
    """Take ``die_with`` back."""
    _prctl(_PR_SET_PDEATHSIG, 0)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends (a subreaper)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def flush_c() -> None:
    """Write out what C's stdio holds back, in every stream."""
    if _C is not None:
        _C.fflush(None)


def line_buffer_c() -> None:
    """Make C's stdout line-buffered although it is no terminal, so that order is kept."""
    if _C is not None and sys.platform == "linux":
        _C.setvbuf(ctypes.c_void_p.in_dll(_C, "stdout"), None, _IOLBF, 0)


def trim() -> None:
    """Hand freed memory back to the system (about 3 ms with a large heap)."""
    if _C is not None and hasattr(_C, "malloc_trim"):
        _C.malloc_trim(0)


def punch_hole(descriptor: int, start: int, end: int) -> None:
    """Free the storage of a range of a file, which then reads as zeros; its size stays."""
    keep_size, punch = 1, 2
    if _C is not None and hasattr(_C, "fallocate"):
        length = ctypes.c_int64(end - start)
        _C.fallocate(descriptor, keep_size | punch, ctypes.c_int64(start), length)
