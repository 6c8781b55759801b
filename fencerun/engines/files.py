"""Files without a name that a worker writes and the parent reads: output survives any crash.

In memory where the system offers that, else unlinked temporary files.
"""

from __future__ import annotations

import contextlib
import fcntl
import os

#: Output already read is given back to the system in pieces of this size, in bytes.
_PIECE = 4 << 20

#: What is read in one go, in bytes: a file without a name gives so much at once or at its end.
_ONE_READ = 1 << 16


def anonymous(name: str) -> int:
    """A descriptor of a new file that nothing else can open. ``name`` is for debugging."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    import tempfile

    descriptor, path = tempfile.mkstemp(prefix=name)
    os.unlink(path)
    return descriptor


class OutputFile:
    """A file that a worker appends to."""

    def __init__(self, name: str) -> None:
        self.descriptor = anonymous(name)
        self._discarded = 0
        #: What was read ahead, and where that begins: what was once appended stays as it is.
        self._ahead, self._at = b"", 0
        # Every writer, also a child of a fence, appends; none may cut off what others wrote.
        fcntl.fcntl(self.descriptor, fcntl.F_SETFL, os.O_APPEND)
        if hasattr(fcntl, "F_ADD_SEALS"):
            with contextlib.suppress(OSError):
                fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)

    def size(self) -> int:
        """Bytes written so far."""
        return os.fstat(self.descriptor).st_size

    def read(self, start: int, end: int) -> bytes:
        """The bytes of a range; fewer if the file is shorter."""
        if end - start < _ONE_READ:
            if not self._at <= start <= end <= self._at + len(self._ahead):
                self._ahead, self._at = os.pread(self.descriptor, _ONE_READ, start), start
            return self._ahead[start - self._at : max(start, end) - self._at]
        pieces = []
        while start < end:
            piece = os.pread(self.descriptor, min(end - start, 1 << 26), start)
            if not piece:
                break
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)

    def discard(self, end: int) -> None:
        """Free the memory of everything before ``end``, now and then; offsets stay."""
        if end - self._discarded >= _PIECE:
            # ctypes is slow to import, and most runs never get here.
            from fencerun.worker import libc

            libc.punch_hole(self.descriptor, self._discarded, end)
            self._discarded = end

    def close(self) -> None:
        """Close the parent's descriptor."""
        os.close(self.descriptor)
