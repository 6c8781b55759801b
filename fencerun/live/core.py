"""Open pages and their runs: what front ends of the author's loop hold on to.

All that is asked of it returns at once; runs happen on a thread of its own, one at a time. A run
is a session of :mod:`fencerun.session` over the fences that are due. It knows no terminal, no
browser and no file watcher.
"""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from fencerun import launch, state
from fencerun.discovery import NoSuchPath
from fencerun.engines.base import Engine, EngineOptions
from fencerun.engines.standing import Place
from fencerun.errors import FencerunError
from fencerun.events import Event, FenceDone, LiveEvent, PageDone, PageRead, RunDone, Trouble
from fencerun.live import compiled, reading, warm
from fencerun.live.book import Book, parse
from fencerun.live.due import Due
from fencerun.live.opening import Opening
from fencerun.live.reading import Reading
from fencerun.live.replay import Replay
from fencerun.live.runs import Run
from fencerun.live.view import PageView, Tally
from fencerun.live.waiting import Waiting
from fencerun.result import Outcome
from fencerun.session import Session

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
        self._opening = Opening(targets, self._on_event, python, without, root)
        self._emit = emit
        self._lock = threading.RLock()
        self._news = threading.Condition(self._lock)
        self._base: Session | None = None
        self._selects: Callable[[Place], bool] = lambda place: True
        self._book = Book()
        self._waiting = Waiting()
        self._warm = warm.Warm(self._tell)
        self._outcomes: dict[Place, Outcome] = {}
        #: Pages that hold nothing all of a sudden: most likely they are being written.
        self._emptied: set[str] = set()
        #: Changed files that may have been compiled as they were before.
        self._changed: set[str] = set()
        self._now: Run | None = None
        self._closing = False
        self._trouble = ""
        self._last: Mapping[str, state.Last] = {}
        self._thread = threading.Thread(target=self._loop, name="fencerun-live", daemon=True)

    def start(self) -> None:
        """Read every page, and begin to load what their fences need without waiting for it.

        Nothing runs yet. Raises FencerunError for a call or a configuration that makes no sense.
        """
        with self._lock:
            self._base = self._opening.session()
            self._last = state.load(self._base.project.root)
            for name in self._base.names:
                self._read(name, opened=True)
            self._warm.start(self._options())
        self._thread.start()

    # What is known.

    def pages(self) -> tuple[PageView, ...]:
        """Every open page as it is known now, in the order in which they run."""
        with self._lock:
            queued = self._queued()
            return tuple(self._book.page(path, queued) for path in self._names())

    def page(self, path: str) -> PageView | None:
        """The open page called ``path``."""
        with self._lock:
            if path not in self._book.readings:
                return None
            return self._book.page(path, self._queued())

    def _queued(self) -> frozenset[str]:
        """Ids of the fences that wait, for a run or in the one that goes on."""
        waiting, now = self._waiting.queued(), self._now
        if now is None or now.kind == "judge":
            return waiting
        return waiting.union(f"{page}::{number}" for page, number in now.left)

    def tally(self) -> Tally:
        """How the open pages stand, in numbers; cheaper than looking at each."""
        with self._lock:
            return self._book.tally()

    @property
    def about(self) -> str:
        """The interpreter and what it has loaded; empty until it is ready."""
        return self._warm.about

    @property
    def root(self) -> Path:
        """The directory of the project."""
        assert self._base is not None, "started"
        return self._base.project.root

    @property
    def busy(self) -> bool:
        """Whether a run goes on, or waits for its turn."""
        with self._lock:
            return self._now is not None or self._waiting.any(self._can_run)

    def watched(self) -> frozenset[str]:
        """The absolute directories in which a change may concern an open page, or be a new one."""
        with self._lock:
            assert self._base is not None, "started"
            return self._opening.directories(self._base, self._book.readings.values())

    # What the author does.

    def saved(self, paths: Iterable[str] | None = None) -> None:
        """Read again what depends on these files (all without any), and run what that makes due.

        A run that goes on is ended where the save makes what it runs pointless. Paths may be
        anything that happened in a directory of ``watched()``; what is none of ours is ignored.
        """
        changed = None if paths is None else {os.path.abspath(path) for path in paths}
        with self._lock:
            if self._closing or self._base is None:
                return
            if changed is not None and not changed and not self._emptied:
                return
            known = {os.path.abspath(path) for path in self._book.readings}
            again = False
            if changed is None or any(self._opening.concerns(p, known) for p in changed):
                again = self._renew()
            for path in self._names():
                if again or changed is None or self._is_touched(path, changed):
                    self._read(path, anew=again, changed=changed)
            self._changed |= changed or set()
            self._news.notify_all()

    def run(self, ids: Iterable[str] | None = None) -> int:
        """Run these fences (``page.md::3``) or pages (``page.md``), all without any, long or not.

        Returns how many that are; ids that there are not are ignored.
        """
        with self._lock:
            named = self._book.readings if ids is None else ids
            return self._ask(self._waiting.asked, parse(named, self._book.readings))

    def run_stale(self) -> int:
        """Run every fence that is stale, also those that were held back; how many that are."""
        with self._lock:
            found = [(p, n) for p in self._names() for n in self._book.stale(p)]
            return self._ask(self._waiting.asked, found)

    def record(self, ids: Iterable[str] | None = None) -> int:
        """Run these fences or pages as `fencerun record` does; without any, all that differ.

        The page's own change does not make anything due. Returns how many fences that are.
        """
        with self._lock:
            if ids is None:
                found = [p for p, k in self._book.fences.items()
                         if k.verdict is not None and k.verdict.kind in _DIFFER]  # fmt: skip
            else:
                found = list(parse(ids, self._book.readings))
            return self._ask(self._waiting.record, found)

    def stop(self) -> None:
        """End the run that goes on, if any; what it did not get to stays stale."""
        with self._lock:
            self._waiting.clear()
            if self._now is not None:
                self._now.stopped = True
                self._warm.stop()
            self._news.notify_all()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing runs or waits for its turn; whether that is so."""
        with self._lock:
            return self._news.wait_for(lambda: not self.busy or self._closing, seconds)

    def close(self) -> None:
        """End the run and every process. Safe to call twice."""
        with self._lock:
            self._closing = True
            self._waiting.clear()
            self._news.notify_all()
        self._warm.abandon()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()
        self._warm.end()

    # Reading. The lock is held.

    def _names(self) -> tuple[str, ...]:
        assert self._base is not None, "started"
        return tuple(name for name in self._base.names if name in self._book.readings)

    def _renew(self) -> bool:
        """See which pages there are and how they are configured; whether the latter is new."""
        assert self._base is not None, "started"
        before = self._base
        try:
            self._base = self._opening.session(before)
        except FencerunError as error:
            self._in_trouble(error)
            return False
        self._in_trouble(None)
        for path in [name for name in self._book.readings if name not in self._base.names]:
            self._close_page(path)
        for path in self._base.names:
            if path not in self._book.readings:
                self._read(path)
        return self._base.gate is not before.gate

    def _is_touched(self, path: str, changed: Collection[str]) -> bool:
        """Whether a page, or what it depends on, is among absolute paths, or below one of them."""
        page = self._book.readings.get(path)
        if page is None or path in self._emptied:
            return True
        own = (os.path.abspath(path), os.path.realpath(path))
        return any(one in changed for one in own) or reading.touches(changed, page.depends)

    def _close_page(self, path: str) -> None:
        """A page is gone. What is known of its fences stays, should it come back."""
        gone = _nothing(self._book.readings.pop(path))
        self._waiting.renew(path, Due())
        self._end_if_pointless(gone)
        self._emit(PageRead(path, gone=True))

    def _read(
        self,
        path: str,
        *,
        opened: bool = False,
        anew: bool = False,
        changed: Collection[str] | None = None,
    ) -> None:
        """Read a page, and have wait what that makes due; ``anew`` as if for the first time."""
        assert self._base is not None, "started"
        before = self._book.readings.get(path)
        try:
            now = reading.read(self._base, path, None if anew else before, changed)
        except NoSuchPath as error:
            if not os.path.exists(path):
                if before is not None:
                    self._close_page(path)
                return
            now = reading.unreadable(path, error)
        if before is not None and before.data and now.data == b"" and path not in self._emptied:
            self._emptied.add(path)  # looked at once more, at the next call
            return
        self._emptied.discard(path)
        found = self._book.take(now, self._last_of(path), opened=opened)
        found = self._selected(path, found)
        # What was due at the last reading waits already, or runs, or somebody ended it.
        old = before.prints if before else {}
        news = {number for number, one in now.prints.items() if old.get(number) != one}
        self._waiting.renew(path, found, news)
        self._end_if_pointless(now)
        if not opened and (before is None or before.data != now.data or news):
            due, held = (
                tuple(f"{path}::{n}" for n in numbers if n in news)
                for numbers in (found.run, found.held)
            )
            self._emit(PageRead(path, due, held, now.page.problems))

    def _last_of(self, path: str) -> dict[int, state.Last]:
        assert self._base is not None, "started"
        head = f"{self._base.relative(path)}::"
        reading = self._last
        return {int(n[len(head) :]): one for n, one in reading.items() if n.startswith(head)}

    def _selected(self, path: str, found: Due) -> Due:
        """What of it the command line asked for."""
        assert self._base is not None, "started"
        if not any(target.fence or target.line for target in self._base.request.targets):
            return found
        selects, members = self._base.selects(), self._book.readings[path].members
        return Due(*(
            tuple(n for n in numbers if selects(members[n]))
            for numbers in (found.run, found.held, found.judge)
        ))  # fmt: skip

    def _end_if_pointless(self, now: Reading) -> None:
        if self._now is not None and self._now.kind != "judge" and self._now.loses(now):
            self._now.pointless = True
            self._warm.stop()

    def _ask(self, line: dict[Place, None], places: Iterable[Place]) -> int:
        found = dict.fromkeys(place for place in places if self._can_run(place))
        line.update(found)
        self._news.notify_all()
        return len(found)

    def _can_run(self, place: Place) -> bool:
        reading = self._book.readings.get(place[0])
        return reading is not None and not reading.broken and place[1] in reading.prints

    def _in_trouble(self, error: FencerunError | None) -> None:
        """Say what keeps everything from running, once, and once when it is over."""
        if str(error or "") != self._trouble:
            self._trouble = str(error or "")
            self._emit(Trouble(error.what, error.remedy) if error else Trouble())

    def _tell(self, event: LiveEvent) -> None:
        with self._lock:
            self._emit(event)

    # Running, on the thread. The lock is held for moments only.

    def _options(self) -> EngineOptions:
        assert self._base is not None, "started"
        return warm.options(self._base, self._book.readings.values())

    def _loop(self) -> None:
        self._prepare()
        while (run := self._next()) is not None:
            error: FencerunError | None = None
            try:
                self._run(run)
            except FencerunError as fault:
                error = fault
            except Exception as fault:
                traceback.print_exc()
                error = FencerunError(f"a fault of fencerun itself, {fault!r}", "please report it")
            with self._lock:
                if not self._closing:
                    self._in_trouble(error)
                self._over(run)
            self._prepare()
        self._warm.end()

    def _prepare(self) -> None:
        """Have a process ready for what comes next."""
        try:
            with self._lock:
                wanted = self._options()
            self._warm.ready(wanted).prepare()
        except KeyboardInterrupt:
            return
        except FencerunError as error:
            with self._lock:
                if not self._closing:
                    self._in_trouble(error)

    def _next(self) -> Run | None:
        """Wait for something to do; None when closing."""
        with self._lock:
            self._news.wait_for(lambda: self._closing or self._waiting.any(self._can_run))
            found = self._waiting.next(self._can_run)
            if self._closing or found is None:
                return None
            kind, places = found
            pages = [path for path in self._names() if any(p == path for p, _ in places)]
            self._now = Run(kind, places, {path: self._book.readings[path] for path in pages})
            if self._warm.engine is not None:
                self._warm.engine.resume()
            return self._now

    def _run(self, run: Run) -> None:
        assert self._base is not None, "started"
        with self._lock:
            base, wanted = self._base, self._options()
            changed, self._changed = self._changed, set()
        compiled.forget(changed)
        if run.kind == "judge":
            again = Replay(dict(self._outcomes), self._warm.about)
            run.session(base, lambda: again, self._on_judged).run()
            return
        outcomes: dict[Place, Outcome] = {}

        def engine() -> Engine:
            found = self._warm.ready(wanted)
            if run.stopped or run.pointless:
                raise KeyboardInterrupt
            found.outcomes = outcomes
            return found

        session = run.session(base, engine, self._on_event)
        try:
            done = session.run()
        finally:
            self._outcomes.update(outcomes)
            with self._lock:
                self._book.ran(outcomes, run.prints)
        if not self._closing:
            launch.remember(session, done)

    def _over(self, run: Run) -> None:
        """A run is over; what it was kept from goes on waiting."""
        self._now = None
        self._book.rest()
        if run.pointless and not run.stopped and run.kind == "check":
            changed = set(self._waiting.due)
            same = [p for p in run.left if p not in changed and self._holds(p, run)]
            self._waiting.asked.update(dict.fromkeys(same))
        self._news.notify_all()

    def _holds(self, place: Place, run: Run) -> bool:
        """Whether a fence is still what a run was to run."""
        return self._can_run(place) and (
            self._book.readings[place[0]].prints[place[1]].does == run.prints[place].does
        )

    def _on_event(self, event: Event) -> None:
        with self._lock:
            run = self._now
            if run is not None:
                self._book.note(event, run.prints, run.lines)
                if isinstance(event, FenceDone):
                    run.done.add((event.verdict.page, event.verdict.fence))
                elif isinstance(event, PageDone) and event.written:
                    self._on_written(event.page, run)
                elif isinstance(event, RunDone):
                    self._book.rest()
            self._emit(event)

    def _on_judged(self, event: Event) -> None:
        if isinstance(event, FenceDone):
            self._on_event(event)

    def _on_written(self, path: str, run: Run) -> None:
        """A page was recorded: what its fences rest on is the page as it is now."""
        assert self._base is not None, "started"
        with suppress(FencerunError):
            now = reading.read(self._base, path, self._book.readings.get(path), ())
            self._book.recorded(now, [n for p, n in run.done if p == path])
        self._read(path, changed=())


def _nothing(page: Reading) -> Reading:
    """A reading of a page that is there no more."""
    return Reading(page.path, None, page.page)
