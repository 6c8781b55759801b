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

#: Bytes of late output that a report shows.
_SHOWN = 400

_NO_TROUBLE = (None, None)

#: Descriptors that we keep start here, out of the way of a fence that closes the low ones.
HIGH = 200


def keep_high(descriptor: int) -> int:
    """Move a descriptor out of the fences' way; it is not passed on to child processes."""
    try:
        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, HIGH)
    except OSError:  # there are no numbers so high under this `ulimit -n`
        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, os.sysconf("SC_OPEN_MAX") // 2)
    os.close(descriptor)
    return high


class Stream:
    """One descriptor (1 or 2), the file that belongs on it, and its text face in ``sys``."""

    def __init__(self, descriptor: int, file: int) -> None:
        self.descriptor = descriptor
        self.name = "stdout" if descriptor == 1 else "stderr"
        self._file = keep_high(file)
        status = os.fstat(self._file)
        self.identity = status.st_dev, status.st_ino
        self._text: TextIO | None = None
        #: Whether the last flush found no way out for what Python holds back.
        self._is_stuck = False
        #: What was last found on the descriptor.
        self.leads_to: tuple[int, int] | None = None
        #: How much of the file is accounted for.
        self.mark = status.st_size

    def install(self) -> None:
        """Put the file on the descriptor, and a working text stream into ``sys``."""
        if self.leads_to != self.identity:
            os.dup2(self._file, self.descriptor)
            self.leads_to = self.identity
        if self._text is None or _is_closed(self._text):
            self._text = _open_text(self.descriptor, self.name)
        if getattr(sys, self.name) is not self._text:
            setattr(sys, self.name, self._text)
            setattr(sys, f"__{self.name}__", self._text)

    def is_whole(self, belongs: tuple[int, int]) -> bool:
        """Whether, when last looked at, all that was written to it went to the file it should."""
        return self.leads_to == belongs and not self._is_stuck

    def lead_nowhere(self) -> None:
        """Let whatever Python holds back for the descriptor go, unseen; `install` puts it back.

        The stream stays the same object: handlers of a library's loggers may hold it.
        """
        # The lowest free descriptor may be this very one.
        nothing = keep_high(os.open(os.devnull, os.O_WRONLY))
        os.dup2(nothing, self.descriptor)
        os.close(nothing)
        self.leads_to = None
        self.flush()

    def lay_on(self, descriptor: int) -> None:
        """Make another descriptor write to this file as well."""
        os.dup2(self._file, descriptor)

    def advance(self) -> list[int]:
        """The range written to the file since the last call, as start and end; empty if none.

        Notices what became of the descriptor on the way.
        """
        start = self.mark
        try:
            status = os.fstat(self.descriptor)
        except OSError:
            self.leads_to = None
            end = self.size()
        else:
            self.leads_to = status.st_dev, status.st_ino
            end = status.st_size if self.leads_to == self.identity else self.size()
        self.mark = end
        return [start, end] if end > start else []

    def advance_untouched(self) -> list[int]:
        """The same, where the descriptor leads to what it led to before."""
        start, self.mark = self.mark, self.size()
        return [start, self.mark] if self.mark > start else []

    def size(self) -> int:
        """Bytes written to the file so far."""
        # Half the price of `fstat`; where the file stands does not matter to what appends.
        return os.lseek(self._file, 0, os.SEEK_END)

    def read(self, start: int, size: int) -> bytes:
        """A part of the file, which this process itself only writes; empty where it cannot."""
        try:
            reader = os.open(f"/proc/self/fd/{self._file}", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return b""
        try:
            return os.pread(reader, size, start)
        finally:
            os.close(reader)

    def trouble(self, belongs: tuple[int, int]) -> str | None:
        """What a fence did to this stream, or None; ``belongs`` is the file that it should be."""
        if self.leads_to != belongs:
            return f"file descriptor {self.descriptor} closed or redirected"
        if self._text is not None and _is_closed(self._text):
            return f"sys.{self.name} closed"
        return None

    def flush(self) -> None:
        """Write out what Python holds back, in our stream and in one put in its place."""
        replaced = getattr(sys, self.name, None)
        # The stream may be any object of the fence's, or none, and closed.
        if replaced is not self._text:
            with contextlib.suppress(Exception):
                replaced.flush()  # type: ignore[union-attr]
        self._is_stuck = False
        if self._text is not None:
            try:
                self._text.flush()
            except (OSError, ValueError):
                self._is_stuck = True

    def close(self) -> None:
        """Give up the file."""
        if self._text is not None:
            with contextlib.suppress(OSError, ValueError):
                self._text.close()
        os.close(self._file)


def _is_closed(stream: TextIO) -> bool:
    try:
        return stream.closed
    except ValueError:  # its buffer was detached
        return True


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

    def end_chain(self) -> None:
        """Drop what can't be written any more: it is not to come out in the next chain."""
        belongs = self._right_for_err()
        if self._out.is_whole(self._out.identity) and self._err.is_whole(belongs):
            return
        self._out.lead_nowhere()
        self._err.lead_nowhere()
        libc.flush_c()
        self.begin_chain()

    def begin(self, merge: bool) -> tuple[int, bytes]:
        """A fence starts; ``merge`` sends its stderr to stdout's file.

        Returns how many bytes of output arrived since the last fence ended, and the first of
        them: a thread or a child of it wrote them, and they belong to no fence's output.
        """
        late, first = 0, b""
        for stream in (self._out, self._err):
            size = stream.size()
            if size > stream.mark:
                late += size - stream.mark
                first = first or stream.read(stream.mark, min(size - stream.mark, _SHOWN))
            stream.mark = size
        if merge != self._merged and self._err.leads_to == self._right_for_err():
            (self._out if merge else self._err).lay_on(2)
            self._merged = merge
            self._err.leads_to = self._right_for_err()
        return late, first

    def _right_for_err(self) -> tuple[int, int]:
        """The file that descriptor 2 should lead to."""
        return (self._out if self._merged else self._err).identity

    def end(self, untouched: bool = False) -> tuple[list[int], list[int]]:
        """The ranges written to each file since ``begin`` or the last ``end``.

        ``untouched`` says that nobody touched the descriptors, nor wrote from C.
        """
        if untouched:
            self._out.flush()
            self._err.flush()
            return self._out.advance_untouched(), self._err.advance_untouched()
        self.flush()
        return self._out.advance(), self._err.advance()

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

    def give_up_descriptors(self) -> None:
        """Somebody else puts their own files on 1 and 2 until the next chain."""
        self._out.leads_to = self._err.leads_to = None

    def troubles(self) -> list[str]:
        """What was wrong with the streams at the last ``end``, as names."""
        out, err = self._out, self._err
        found = out.trouble(out.identity), err.trouble((out if self._merged else err).identity)
        return [] if found == _NO_TROUBLE else [what for what in found if what]
