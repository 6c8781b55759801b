"""Threads that fences leave running.

At the end of a chain those are waited for that a script would wait for at its own end, however
long they take; the time limit is the caller's. A daemon thread is not waited for. No thread can be
killed, so a worker with a stray one is unfit for further fences. Threads that
an installed package starts for itself (a progress bar's monitor, a compile pool) are the
process's, not the fence's. Knows nothing of output.
"""

from __future__ import annotations

import _thread
import sys
import threading
import time
import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: How long the threads that are left may take to end when all is over, in seconds.
GRACE = 0.25

#: Modules whose idle threads end by a word of Python at its own end: the flag that says so, and
#: the table of threads with what each listens to.
_EXECUTORS = (
    ("concurrent.futures.thread", "_shutdown", "_threads_queues", lambda queue: queue.put(None)),
    ("concurrent.futures.process", "_global_shutdown", "_threads_wakeups", lambda w: w.wakeup()),
)

#: The name of the function that ``Thread.start`` calls, in Python 3.13 and before.
_STARTERS = ("_start_joinable_thread", "_start_new_thread")


class Threads:
    """Keeps apart the threads that fences start from those of installed packages."""

    def __init__(self, is_installed: Callable[[str], bool]) -> None:
        """``is_installed`` says of a source file whether a package or Python itself owns it."""
        self._is_installed = is_installed
        self._adopted: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        self._known: set[threading.Thread] = set()
        self._originals: dict[str, Any] = {}

    def install(self) -> None:
        """See every ``Thread.start`` from now on."""
        for name in _STARTERS:
            start = getattr(threading, name, None)
            if start is not None:
                self._originals[name] = start
                setattr(threading, name, self._seeing(start))

    def remove(self) -> None:
        """Put ``threading`` back as it was."""
        for name, start in self._originals.items():
            setattr(threading, name, start)
        self._originals.clear()

    def _seeing(self, start: Callable[..., Any]) -> Callable[..., Any]:
        def start_and_see(function: Any, *args: Any, **kwargs: Any) -> Any:
            thread = getattr(function, "__self__", None)
            if isinstance(thread, threading.Thread) and self._owner_is_installed():
                self._adopted.add(thread)
            return start(function, *args, **kwargs)

        return start_and_see

    def _owner_is_installed(self) -> bool:
        """Whether the code that starts a thread belongs to a package outside the library.

        The standard library starts threads on behalf of its caller (an executor, a server), so
        its frames are passed over.
        """
        frame = sys._getframe(2)
        library = threading.__file__.rpartition("/")[0] + "/"
        while frame is not None:
            path = frame.f_code.co_filename
            in_library = path.startswith(library) and "site-packages" not in path
            if not in_library and not path.startswith("<frozen"):
                return self._is_installed(path)
            if frame.f_back is None:
                break
            frame = frame.f_back
        return False

    def begin_chain(self) -> None:
        """Remember what runs already."""
        self._known = set(threading.enumerate()) if _thread._count() else {threading.main_thread()}

    @property
    def any(self) -> bool:
        """Whether any thread runs but the main one."""
        return _thread._count() > 0

    def wait(self) -> None:
        """Wait until no thread runs that a script would wait for: no time limit but a signal's."""
        while _thread._count():
            waited_for = [thread for thread in self._strays() if not thread.daemon]
            if not waited_for:
                return
            for module, flag, table, tell in _EXECUTORS:
                _finish(sys.modules.get(module), flag, table, tell, waited_for)
            for thread in waited_for:
                thread.join()

    def left(self) -> list[str]:
        """The names of the threads that are still there, after giving them GRACE to end."""
        if not _thread._count():
            return []
        until = time.monotonic() + GRACE
        for thread in self._strays():
            thread.join(max(0.0, until - time.monotonic()))
        return [thread.name for thread in self._strays()]

    def _strays(self) -> list[threading.Thread]:
        return [
            thread
            for thread in threading.enumerate()
            if thread not in self._known and thread not in self._adopted
        ]


def _finish(
    module: Any, flag: str, table: str, tell: Callable[[Any], object], threads: list[Any]
) -> None:
    """Let those ``threads`` that are an executor's do what they have to do, and end."""
    listening = getattr(module, table, {})
    mine = [(thread, listening[thread]) for thread in threads if thread in listening]
    if not mine or not hasattr(module, flag):
        return
    setattr(module, flag, True)
    try:
        for _, listens in mine:
            tell(listens)
        for thread, _ in mine:
            thread.join()
    finally:
        # Here Python goes on.
        setattr(module, flag, False)
