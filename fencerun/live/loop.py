"""Runs what waits, one run after the other, on a thread of its own.

The lock is held for moments only; a run that goes on is ended from other threads.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable

from fencerun import launch
from fencerun.engines.base import Engine, EngineOptions
from fencerun.engines.standing import Place
from fencerun.errors import FencerunError
from fencerun.events import Event, FenceDone, FenceStarted, LiveEvent, PageDone, RunDone
from fencerun.live import compiled, warm
from fencerun.live.reading import Reading
from fencerun.live.replay import Replay
from fencerun.live.runs import Run
from fencerun.live.shelf import Shelf
from fencerun.result import Outcome

#: Bytes of output that are kept of a fence, to be judged anew; one that prints more runs again.
_KEPT = 1 << 20


class Loop:
    """The thread, its engine and what it runs. ``news`` is notified whenever that changes."""

    def __init__(
        self, shelf: Shelf, news: threading.Condition, emit: Callable[[LiveEvent], None]
    ) -> None:
        self._shelf, self._news, self._emit = shelf, news, emit
        shelf.on_reading = self._on_reading
        self._warm = warm.Warm(self._tell)
        self._outcomes: dict[Place, Outcome] = {}
        #: The run that goes on.
        self.now: Run | None = None
        self.closing = False
        self._thread = threading.Thread(target=self._loop, name="fencerun-live", daemon=True)

    @property
    def about(self) -> str:
        """The interpreter and what it has loaded; empty until it is ready."""
        return self._warm.about

    @property
    def busy(self) -> bool:
        """Whether a run goes on, or waits for its turn. The lock is held."""
        return self.now is not None or self._shelf.waiting.any(self._shelf.can_run)

    def start(self) -> None:
        """Begin to load what fences need, and to run what waits. The lock is held."""
        self._warm.start(self._options())
        self._thread.start()

    def stop(self) -> None:
        """End the run that goes on, if any. The lock is held."""
        if self.now is not None:
            self.now.stopped = True
            self._warm.stop()

    def close(self) -> None:
        """End the run and every process. Safe to call twice; the lock is not held."""
        with self._news:
            self.closing = True
            self._news.notify_all()
        self._warm.abandon()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()
        self._warm.end()

    def on_event(self, event: Event) -> None:
        """Take in what a run tells, and pass it on.

        Raises KeyboardInterrupt, which ends the run, where another is more urgent.
        """
        with self._news:
            run = self.now
            if run is not None:
                if run.yields and isinstance(event, FenceStarted):
                    raise KeyboardInterrupt
                self._shelf.book.note(event, run.prints, run.lines)
                if isinstance(event, FenceDone):
                    run.done.add((event.verdict.page, event.verdict.fence))
                elif isinstance(event, PageDone) and event.written:
                    own = [number for page, number in run.done if page == event.page]
                    self._shelf.written(event.page, own)
                elif isinstance(event, RunDone):
                    self._shelf.book.rest()
            self._emit(event)

    def _on_judged(self, event: Event) -> None:
        if isinstance(event, FenceDone):
            self.on_event(event)

    def _on_reading(self, now: Reading) -> None:
        """End the run that goes on where a new reading makes it pointless.

        Where that only makes other fences due, these come next: an author looks at what was saved.
        """
        run = self.now
        if run is None or run.kind == "judge":
            return
        if run.loses(now):
            run.pointless = True
            self._warm.stop()
        elif run.kind == "check" and any(page == now.path for page, _ in self._shelf.waiting.due):
            run.yields = True

    def _tell(self, event: LiveEvent) -> None:
        with self._news:
            self._emit(event)

    def _options(self) -> EngineOptions:
        return warm.options(self._shelf.base, self._shelf.book.readings.values())

    # On the thread.

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
            with self._news:
                if not self.closing:
                    self._shelf.in_trouble("running", error)
                self._over(run)
            self._prepare()
        self._warm.end()

    def _prepare(self) -> None:
        """Have a process ready for what comes next."""
        try:
            with self._news:
                wanted = self._options()
            self._warm.ready(wanted).prepare()
        except KeyboardInterrupt:
            return
        except FencerunError as error:
            with self._news:
                if not self.closing:
                    self._shelf.in_trouble("running", error)

    def _next(self) -> Run | None:
        """Wait for something to do; None when closing."""
        shelf = self._shelf
        with self._news:
            self._news.wait_for(lambda: self.closing or shelf.waiting.any(shelf.can_run))
            found = shelf.waiting.next(shelf.can_run)
            if self.closing or found is None:
                return None
            kind, places = found
            pages = {page for page, _ in places}
            readings = {p: shelf.book.readings[p] for p in shelf.names if p in pages}
            self.now = Run(kind, places, readings)
            if self._warm.engine is not None:
                self._warm.engine.resume()
            return self.now

    def _run(self, run: Run) -> None:
        with self._news:
            base, wanted = self._shelf.base, self._options()
            changed, self._shelf.changed = self._shelf.changed, set()
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

        session = run.session(base, engine, self.on_event)
        try:
            done = session.run()
        finally:
            kept = {p: o for p, o in outcomes.items() if len(o.output) + len(o.stderr) <= _KEPT}
            self._outcomes.update(kept)
            with self._news:
                self._shelf.book.ran(kept, run.prints)
        if not self.closing:
            launch.remember(session, done)

    def _over(self, run: Run) -> None:
        """A run is over; what it was kept from goes on waiting."""
        self.now = None
        self._shelf.book.rest()
        if (run.pointless or run.yields) and not run.stopped and run.kind == "check":
            due = self._shelf.waiting.due
            same = [place for place in run.left if place not in due and self._holds(place, run)]
            self._shelf.waiting.asked.update(dict.fromkeys(same))
        self._news.notify_all()

    def _holds(self, place: Place, run: Run) -> bool:
        """Whether a fence is still what a run was to run."""
        page, number = place
        return self._shelf.can_run(place) and (
            self._shelf.book.readings[page].prints[number].does == run.prints[place].does
        )
