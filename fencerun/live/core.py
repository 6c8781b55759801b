"""Open pages and their runs: what front ends of the author's loop hold on to.

All that is asked of it returns at once; runs happen on a thread of its own, one at a time. A run
is a session of :mod:`fencerun.session` over the fences that are due. It knows no terminal, no
browser and no file watcher.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from fencerun.engines.standing import Place
from fencerun.events import Event, LiveEvent
from fencerun.live.book import parse
from fencerun.live.loop import Loop
from fencerun.live.opening import Opening
from fencerun.live.shelf import Shelf
from fencerun.live.view import PageView, Tally

#: What `record` without ids puts right.
_DIFFER = frozenset({"unrecorded", "changed", "rounding"})


class Live:
    """Pages that are kept open, and one warm engine for them.

    ``targets`` are command-line arguments (pages, directories, single fences), by default the
    project's pages. ``emit`` gets every event, one at a time but from several threads: those of
    each run from RunStarted to RunDone, and PageRead, EngineReady and Trouble between or, when a
    save comes while a run goes on, within them. FenceDone comes between runs too, where a page
    says something else now of what a fence printed before. It may read (``pages``, ``page``) and
    must not wait for anything.

    Every method may be called from any thread.
    """

    def __init__(
        self,
        targets: Sequence[str] = (),
        emit: Callable[[LiveEvent], None] = lambda event: None,
        *,
        python: str | None = None,
        without: Collection[str] = (),
        root: Path | None = None,
    ) -> None:
        self._lock = threading.RLock()
        self._news = threading.Condition(self._lock)
        opening = Opening(targets, self._on_event, python, without, root)
        self._shelf = Shelf(opening, emit)
        self._loop = Loop(self._shelf, self._news, emit)

    def start(self) -> None:
        """Read every page, and begin to load what their fences need without waiting for it.

        Nothing runs yet. Raises FencerunError for a call or a configuration that makes no sense.
        """
        with self._lock:
            self._shelf.open()
            self._loop.start()

    def _on_event(self, event: Event) -> None:
        self._loop.on_event(event)

    # What is known.

    def pages(self) -> tuple[PageView, ...]:
        """Every open page as it is known now, in the order in which they run."""
        with self._lock:
            queued = self._queued()
            return tuple(self._shelf.book.page(path, queued) for path in self._shelf.names)

    def page(self, path: str) -> PageView | None:
        """The open page called ``path``."""
        with self._lock:
            if path not in self._shelf.book.readings:
                return None
            return self._shelf.book.page(path, self._queued())

    def _queued(self) -> frozenset[str]:
        """Ids of the fences that wait, for a run or in the one that goes on."""
        waiting, now = self._shelf.waiting.queued(), self._loop.now
        if now is None or now.kind == "judge":
            return waiting
        return waiting.union(f"{page}::{number}" for page, number in now.left)

    def tally(self) -> Tally:
        """How the open pages stand, in numbers; cheaper than looking at each."""
        with self._lock:
            return self._shelf.book.tally()

    @property
    def about(self) -> str:
        """The interpreter and what it has loaded; empty until it is ready."""
        return self._loop.about

    @property
    def root(self) -> Path:
        """The directory of the project."""
        return self._shelf.base.project.root

    @property
    def busy(self) -> bool:
        """Whether a run goes on, or waits for its turn."""
        with self._lock:
            return self._loop.busy

    def watched(self) -> frozenset[str]:
        """The absolute directories in which a change may concern an open page, or be a new one."""
        with self._lock:
            return self._shelf.directories()

    # What the author does.

    def saved(self, paths: Iterable[str] | None = None) -> None:
        """Read again what depends on these files (all without any), and run what that makes due.

        A run that goes on is ended where the save makes what it runs pointless. Paths may be
        anything that happened in a directory of ``watched()``; what is none of ours is ignored.
        """
        changed = None if paths is None else {os.path.abspath(path) for path in paths}
        with self._lock:
            if self._shelf.is_open and not self._loop.closing:
                self._shelf.saved(changed)
            self._news.notify_all()

    def run(self, ids: Iterable[str] | None = None) -> int:
        """Run these fences (``page.md::3``) or pages (``page.md``), all without any, long or not.

        Returns how many that are; ids that there are not are ignored.
        """
        with self._lock:
            named = self._shelf.book.readings if ids is None else ids
            return self._ask(self._shelf.waiting.asked, parse(named, self._shelf.book.readings))

    def run_stale(self) -> int:
        """Run every fence that is stale, also those that were held back; how many that are."""
        with self._lock:
            found = [(p, n) for p in self._shelf.names for n in self._shelf.book.stale(p)]
            return self._ask(self._shelf.waiting.asked, found)

    def record(self, ids: Iterable[str] | None = None) -> int:
        """Run these fences or pages as `fencerun record` does; without any, all that differ.

        The page's own change does not make anything due. Returns how many fences that are.
        """
        with self._lock:
            book = self._shelf.book
            found = book.those(_DIFFER) if ids is None else parse(ids, book.readings)
            return self._ask(self._shelf.waiting.record, found)

    def stop(self) -> None:
        """End the run that goes on, if any; what it did not get to stays stale."""
        with self._lock:
            self._shelf.waiting.clear()
            self._loop.stop()
            self._news.notify_all()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing runs or waits for its turn; whether that is so."""
        with self._lock:
            return self._news.wait_for(lambda: not self.busy or self._loop.closing, seconds)

    def close(self) -> None:
        """End the run and every process. Safe to call twice."""
        with self._lock:
            self._shelf.waiting.clear()
        self._loop.close()

    def _ask(self, line: dict[Place, None], places: Iterable[Place]) -> int:
        found = dict.fromkeys(place for place in places if self._shelf.can_run(place))
        line.update(found)
        self._news.notify_all()
        return len(found)
