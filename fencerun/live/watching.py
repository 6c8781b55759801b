"""Files that change, told to the open pages. Knows watchfiles, and no page."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Collection, Iterable, Iterator
from typing import Protocol

from fencerun.errors import UsageError

#: How long files must be quiet for, in milliseconds, and the most that is waited for that.
_QUIET, _LONGEST = 2, 200

#: How often it is looked whether anything is to be done besides, in milliseconds.
_IDLE = 100

#: Failures after which the system's notifications are given up for looking ourselves.
_TRIES = 3


class Watched(Protocol):
    """What is told of changes: :class:`fencerun.live.Live`."""

    def watched(self) -> frozenset[str]:
        """The directories to look at."""
        ...

    def saved(self, paths: Iterable[str] | None = None) -> None:
        """These files changed, or nobody knows which; called without any now and then."""
        ...


class Watching:
    """Tells ``live`` of every change of a file that may concern it, until it is closed.

    Raises UsageError where watchfiles is not installed. Use it as a context manager.
    """

    def __init__(self, live: Watched) -> None:
        try:
            import watchfiles  # noqa: F401
        except ImportError:
            what = "files are watched by watchfiles, which is not installed"
            raise UsageError(what, "run `pip install 'fencerun[watch]'`") from None
        self._live = live
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="fencerun-watch", daemon=True)
        self._thread.start()

    def _look(self) -> None:
        failures = 0
        while not self._over.is_set():
            try:
                self._watch(self._live.watched(), polling=failures >= _TRIES)
                failures = 0
            except (OSError, RuntimeError):
                # A directory went away, or there are more than the system wants to watch.
                failures += 1
                self._over.wait(0.05)

    def _watch(self, directories: frozenset[str], polling: bool) -> None:
        """Watch these directories, until others are to be watched."""
        missed = True
        for paths in _changes(directories, self._over, polling):
            if missed:
                # What happened before it was watched, nobody saw.
                self._tell(None)
                missed = False
            self._tell(paths)
            if not paths:
                continue
            # One that was made anew is no longer the one that is watched.
            if not paths.isdisjoint(directories) or self._live.watched() != directories:
                return

    def _tell(self, paths: frozenset[str] | None) -> None:
        try:
            self._live.saved(paths)
        except Exception:
            # A fault of ours that one page shows must not make us blind to all others.
            traceback.print_exc()

    def __enter__(self) -> Watching:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Watch no more. Safe to call twice."""
        self._over.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(5.0)


def _changes(
    directories: Collection[str], over: threading.Event, polling: bool
) -> Iterator[frozenset[str]]:
    """The paths that changed in these directories, and now and then none."""
    from watchfiles import watch

    for found in watch(
        *sorted(directories),
        watch_filter=None,
        debounce=_LONGEST,
        step=_QUIET,
        stop_event=over,
        rust_timeout=_IDLE,
        yield_on_timeout=True,
        raise_interrupt=False,
        force_polling=polling or None,
        poll_delay_ms=50,
        recursive=False,
        ignore_permission_denied=True,
    ):
        yield frozenset(path for _, path in found)
