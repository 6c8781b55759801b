"""Child processes that fences leave behind: found, named, killed, reaped.

Reads ``/proc``; where there is none it finds nothing. Knows nothing of fences.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable

#: Helper of multiprocessing that has to outlive a fence: killed, it would unlink shared memory
#: that is in use, and left alone it ends when the last process that knows it does.
_SPARED = b"multiprocessing.resource_tracker"


def have_children() -> bool:
    """Whether this process has any child, running or not (4 µs)."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    except AttributeError:  # no waitid here (macOS before Python 3.13)
        return True
    return True


def children(pid: int | None = None) -> set[int]:
    """The children of a process, of this one by default; zombies too."""
    if pid is None:
        if not have_children():
            return set()
        pid = os.getpid()
    found: set[int] = set()
    listed = False
    for thread in _numbers(f"/proc/{pid}/task"):
        try:
            found.update(map(int, _read(f"/proc/{pid}/task/{thread}/children").split()))
            listed = True
        except OSError:
            # The thread ended meanwhile, or the kernel keeps no such lists.
            continue
    return found if listed else _scan(_PARENT, pid)


_PARENT, _SESSION = 1, 3  # fields of _stat


def of_session(pid: int) -> set[int]:
    """The processes of the session that a process leads or led."""
    return _scan(_SESSION, pid)


def _scan(field: int, value: int) -> set[int]:
    found = set()
    for other in _numbers("/proc"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            if int(_stat(other)[field]) == value:
                found.add(other)
    return found


def _stat(pid: int) -> list[bytes]:
    """The fields of a process's status line behind its command: state, parent, group, session."""
    # The command, in parentheses, may itself hold blanks and parentheses.
    return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def _numbers(directory: str) -> list[int]:
    try:
        return [int(name) for name in os.listdir(directory) if name.isdigit()]
    except OSError:
        return []


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def descendants(pid: int) -> list[int]:
    """The children of a process, their children and so on, parents first."""
    found: list[int] = []
    queue = [pid]
    while queue:
        new = sorted(children(queue.pop()) - set(found))
        found += new
        queue += new
    return found


def command(pid: int) -> str:
    """A process's command line, on one line and at most 60 characters; empty if it has ended."""
    for _ in range(10):
        try:
            words = _read(f"/proc/{pid}/cmdline").rstrip(b"\0").split(b"\0")
            state = _stat(pid)[0]
        except (OSError, IndexError):
            return ""
        if words != [b""] or state in (b"Z", b"X"):
            break
        # In the middle of exec: the old command line is gone, the new one not yet there.
        time.sleep(0.001)
    if words == _read("/proc/self/cmdline").rstrip(b"\0").split(b"\0"):
        return "a fork of the fence"
    text = " ".join(b" ".join(words).decode("utf-8", "backslashreplace").split())
    return text if len(text) <= 60 else text[:59] + "…"


def is_spared(pid: int) -> bool:
    """Whether a process is a helper that ends by itself and must not be killed before."""
    try:
        return _SPARED in _read(f"/proc/{pid}/cmdline")
    except OSError:
        return False


def kill(pids: Iterable[int]) -> None:
    """Send SIGKILL to each process and all its descendants, but spare the helpers."""
    for pid in pids:
        for victim in (pid, *descendants(pid)):
            if not is_spared(victim):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(victim, signal.SIGKILL)


def reap(pids: Iterable[int], seconds: float = 1.0) -> None:
    """Collect the status of children that were killed, waiting at most ``seconds`` for all."""
    until = time.monotonic() + seconds
    for pid in pids:
        while True:
            try:
                done, _ = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                break
            if done or time.monotonic() > until:
                break
            time.sleep(0.001)


def sweep(known: set[int]) -> list[tuple[int, str]]:
    """End every child of this process that is not in ``known``; pid and command of those that ran.

    A child that is killed passes its own children on to us where we are their reaper, so this
    goes round until none is left (ten times at most: a fork bomb ends with the process).
    """
    found: list[tuple[int, str]] = []
    for _ in range(10):
        left = {pid for pid in children() - known if not is_spared(pid)}
        if not left:
            break
        found += [(pid, name) for pid in sorted(left) if (name := command(pid))]
        kill(left)
        reap(left)
    return found
