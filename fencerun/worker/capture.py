"""Output of fences, as ranges of two files that the parent owns.

The files lie on file descriptors 1 and 2 for the worker's whole life, so that everything lands
there in order: Python, C, child processes. A fence costs two ``fstat``; a crash loses nothing.
What a fence does to the descriptors or to ``sys.stdout`` is noticed at its end and repaired at
its chain's end (inside a chain everything is as in one script). Knows nothing of text.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys

from fencerun.worker import libc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

#: Descriptors that we keep start here, out of the way of a fence that closes the low ones.
HIGH = 200


def keep_high(descriptor: int) -> int:
    """Move a descriptor out of the fences' way; it is not passed on to child processes."""
    high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, HIGH)
    os.close(descriptor)
    return high


class Stream:
    """One descriptor (1 or 2), the file that belongs on it, and its text face in ``sys``."""

    def __init__(self, descriptor: int, file: int) -> None:
        self.descriptor = descriptor
        self.name = "stdout" if descriptor == 1 else "stderr"
        self._file = keep_high(file)
        self._identity = _identity(self._file)
        self._text: TextIO | None = None
        self.mark = self.size()

    def size(self) -> int:
        """Bytes written to the file so far."""
        return os.fstat(self._file).st_size

    def install(self) -> None:
        """Put the file on the descriptor, and a working text stream into ``sys``."""
        if not self.is_ours():
            os.dup2(self._file, self.descriptor)
        if self._text is None or self._text.closed:
            self._text = _open_text(self.descriptor, self.name)
        if getattr(sys, self.name) is not self._text:
            setattr(sys, self.name, self._text)
            setattr(sys, f"__{self.name}__", self._text)

    def lay_on(self, descriptor: int) -> None:
        """Make another descriptor write to this file as well."""
        os.dup2(self._file, descriptor)

    def is_ours(self, other: Stream | None = None) -> bool:
        """Whether the descriptor leads to its file (or to the other stream's)."""
        found = _identity(self.descriptor)
        return found == self._identity or (other is not None and found == other._identity)

    def close(self) -> None:
        """Give up the file."""
        if self._text is not None:
            with contextlib.suppress(OSError, ValueError):
                self._text.close()
        os.close(self._file)

    def trouble(self, other: Stream | None = None) -> str | None:
        """What a fence did to this stream, or None. ``other`` may rightly lie on it."""
        if not self.is_ours(other):
            return f"file descriptor {self.descriptor} closed or redirected"
        if self._text is not None and self._text.closed:
            return f"sys.{self.name} closed"
        return None

    def flush(self) -> None:
        """Write out what Python holds back, in our stream and in one put in its place."""
        replaced = getattr(sys, self.name, None)
        # The stream may be any object of the fence's, or none, and closed.
        if replaced is not self._text:
            with contextlib.suppress(Exception):
                replaced.flush()  # type: ignore[union-attr]
        if self._text is not None:
            with contextlib.suppress(OSError, ValueError):
                self._text.flush()


def _identity(descriptor: int) -> tuple[int, int] | None:
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _open_text(descriptor: int, name: str) -> TextIO:
    """A text stream as the interpreter makes its own, but line-buffered."""
    errors = "strict" if name == "stdout" else "backslashreplace"
    stream = open(descriptor, "w", encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115
    stream.reconfigure(line_buffering=True)
    stream.buffer.raw.name = f"<{name}>"  # type: ignore[attr-defined]
    return stream


class Capture:
    """The output of one process's fences, in order: chains hold fences, nothing overlaps."""

    def __init__(self, out: int, err: int) -> None:
        """Take over the descriptors of the two files, which append."""
        self._out = Stream(1, out)
        self._err = Stream(2, err)
        self._merged = False
        libc.line_buffer_c()

    def begin_chain(self) -> None:
        """Repair whatever the last chain did to the streams."""
        self._merged = False
        self._out.install()
        self._err.install()

    def begin(self, merge: bool) -> int:
        """A fence starts; ``merge`` sends its stderr to stdout's file.

        Returns the bytes of output that arrived since the last fence ended: a thread or a child
        of it wrote them, and they belong to no fence's output.
        """
        late = 0
        for stream in (self._out, self._err):
            size = stream.size()
            late += max(0, size - stream.mark)
            stream.mark = size
        if merge != self._merged and self._err.is_ours(self._out):
            (self._out if merge else self._err).lay_on(2)
            self._merged = merge
        return late

    def end(self) -> tuple[list[int], list[int]]:
        """The ranges written to each file since ``begin`` or the last ``end``."""
        self.flush()
        return _advance(self._out), _advance(self._err)

    def flush(self) -> None:
        """Write out what Python and C hold back."""
        self._out.flush()
        self._err.flush()
        libc.flush_c()

    def skip(self) -> None:
        """Drop what was written since the last ``end``."""
        self.end()

    def close(self) -> None:
        """Give up both files."""
        self._out.close()
        self._err.close()

    def troubles(self) -> list[str]:
        """What the running chain did to the streams, as names."""
        found = (
            self._out.trouble(),
            self._err.trouble(self._out if self._merged else None),
        )
        return [what for what in found if what]


def _advance(stream: Stream) -> list[int]:
    start, stream.mark = stream.mark, stream.size()
    return [start, stream.mark] if stream.mark > start else []
