"""Pages on disk: their bytes, one recorder at a time, all of a page or nothing.

With ``discovery``, the only place that touches pages on disk. Knows nothing of what is in them.
"""

from __future__ import annotations

import errno
import fcntl
import glob
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fencerun.discovery import NoSuchPath, discover
from fencerun.errors import FencerunError
from fencerun.pasting import pasted

__all__ = [
    "NoSuchPath",
    "NotWritten",
    "PageBusy",
    "PageChanged",
    "discover",
    "locked",
    "read",
    "replace",
]

#: Seconds that a recorder waits for another one on the same page.
PATIENCE = 10.0


class PageBusy(FencerunError):
    """Another recorder holds the page and does not let go."""

    exit_code = 2

    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: another recorder is writing it", "wait for it, or end it")
        self.path = path


class NotWritten(FencerunError):
    """A page that could not be written; it is as it was."""

    exit_code = 2

    def __init__(self, path: str, why: str, remedy: str = "") -> None:
        super().__init__(f"{path}: not written, {why}", remedy)
        self.path = path


class PageChanged(FencerunError):
    """A page that somebody saved between its reading and its replacement; it is as they left it."""

    exit_code = 2

    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: it was saved just as it was to be written", "try again")
        self.path = path


def read(path: str) -> bytes:
    """The bytes of a page. Raises NoSuchPath, also for what is no regular file."""
    try:
        with open(path, "rb", opener=_opened) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise NoSuchPath(path, "no regular file", "name a file")
            return file.read()
    except OSError as error:
        raise NoSuchPath.of(path, error) from error


def _opened(path: str, flags: int = os.O_RDONLY | os.O_CLOEXEC) -> int:
    """A descriptor for reading. What became a pipe meanwhile is not waited for."""
    return os.open(path, flags | os.O_NONBLOCK)


@contextmanager
def locked(path: str, patience: float = PATIENCE) -> Iterator[None]:
    """Keep other recorders off the page: read, splice and `replace` it once inside.

    The lock lies on the page itself, so nothing is left beside it; whoever waited looks again
    whether the page is still that file. Where the file system has no locks, there is none.
    Raises PageBusy after ``patience`` seconds, and NoSuchPath.
    """
    deadline = time.monotonic() + patience
    descriptor = _lock(path)
    while descriptor is None:
        if time.monotonic() > deadline:
            raise PageBusy(path)
        time.sleep(0.02)
        descriptor = _lock(path)
    try:
        yield
    finally:
        os.close(descriptor)


def _lock(path: str) -> int | None:
    """A descriptor that holds the lock of the page; None while somebody else holds it."""
    try:
        descriptor = _opened(path)
    except OSError as error:
        raise NoSuchPath.of(path, error) from error
    try:
        if _take(descriptor) and _is_same(path, descriptor):
            return descriptor
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _take(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # no locks on this file system
    return True


def _is_same(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def replace(path: str, data: bytes, was: bytes | None = None) -> None:
    """Make ``data`` the page: at any moment, on disk, the page is wholly old or wholly new.

    A symbolic link stays one, and its target is replaced; mode and, where we may, owner are kept.
    Other names of the file (hard links) keep the old text. A page that says this already is left
    alone. Raises NotWritten, also for a read-only page, and PageChanged where the page no longer
    says what it ``was`` when the caller read it.
    """
    real = Path(os.path.realpath(path))
    try:
        old = _writable(path, real)
        if old is not None and real.read_bytes() == data:
            return
        if was is not None and old is None:
            raise PageChanged(path)
        _sweep(real)
        with _written(real, data, old) as temporary:
            # Writing takes long, above all to a slow disk; what is left after this is a moment.
            if was is not None and real.read_bytes() != was:
                raise PageChanged(path)
            temporary.replace(real)
        _sync_directory(real.parent)
    except OSError as error:
        why, remedy = _advice(real, error)
        raise NotWritten(path, why, remedy) from error


def _advice(real: Path, error: OSError) -> tuple[str, str]:
    """Why a page could not be replaced, and what to do: it is written beside itself first."""
    why = error.strerror or str(error)
    if error.errno in (errno.EACCES, errno.EPERM):
        directory = pasted(os.fspath(real.parent))
        why = f"nothing can be written into its directory ({why})"
        return why, f"run `chmod u+w {directory}` if it is yours"
    if error.errno == errno.EROFS:
        return why, "copy the page to where it can be written"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return why, "make room"
    return why, ""


def _writable(path: str, real: Path) -> os.stat_result | None:
    """The status of the page, None where there is none yet. Raises NotWritten."""
    try:
        status = real.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise NotWritten(path, "it is no regular file")
    # The superuser may write anything; its owner's mode still says what its owner meant.
    if not status.st_mode & 0o222 or not os.access(real, os.W_OK):
        raise NotWritten(path, "it is read-only", f"run `chmod u+w {pasted(path)}`")
    return status


@contextmanager
def _written(real: Path, data: bytes, old: os.stat_result | None) -> Iterator[Path]:
    """A file beside ``real`` that holds ``data``; gone at the end unless it was moved away."""
    temporary, descriptor = _temporary(real, 0o666 if old is None else 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if old is not None:
                with suppress(PermissionError):
                    os.fchown(descriptor, old.st_uid, old.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
            os.fsync(descriptor)
            yield temporary
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _sync_directory(directory: Path) -> None:
    """Make the new name itself survive a power cut, on file systems that can."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _temporary(real: Path, mode: int) -> tuple[Path, int]:
    """A new file beside ``real``, locked for as long as its descriptor is open."""
    while True:
        path = real.with_name(f"{_stem(real)}{os.urandom(4).hex()}.tmp")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        # Another run's sweep may have come between the two calls.
        if _take(descriptor) and os.fstat(descriptor).st_nlink:
            return path, descriptor
        os.close(descriptor)


def _stem(real: Path) -> str:
    name = os.fsencode(real.name)[:200]  # names end at 255 bytes
    # Not in the middle of a character; and names are in no encoding where the locale is C.
    return f".{os.fsdecode(name.decode('utf-8', 'ignore').encode())}.fencerun-"


def _sweep(real: Path) -> None:
    """Delete what killed runs left beside the page: their locks died with them."""
    for path in real.parent.glob(f"{glob.escape(_stem(real))}*.tmp"):
        with suppress(OSError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(descriptor)
