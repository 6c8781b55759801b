"""Pages run side by side, a thread for each lane; what they tell comes out in page order.

Between the session, which knows what a page is, and the engine, which has the lanes. The thread
that calls hears of everything and is the only one that tells anybody.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from threading import Event as Signal
from threading import Lock, Thread

from fencerun.engines.base import EngineError
from fencerun.events import Event
from fencerun.frozen import dataclass
from fencerun.inorder import InOrder
from fencerun.lanes import Lane, Load, Lost, SideBySide
from fencerun.scheduling import IDLE, Waiting
from fencerun.turns import TakingTurns

#: Runs the page at a place on a lane, telling of each event; gives notes on the page.
RunPage = Callable[[int, Lane, Callable[[Event], None]], Sequence[str]]

#: How long a lane may take to notice that it was halted before it is told so again, in seconds.
_PATIENCE = 0.05

#: How long events are gathered before they are told, in seconds: to be woken for each of them
#: would cost as much as all else that is done for a fence.
_MOMENT = 0.03

#: How often a page is run again that was lost with what ran it.
_TRIES = 3


@dataclass(frozen=True, slots=True)
class _Ended:
    """A page is over, or (``place`` is None) a lane, maybe with an error."""

    place: int | None
    notes: Sequence[str] = ()
    error: BaseException | None = None


class _News:
    """What lanes have to say. They never wait, and wake who listens only when a page is over."""

    def __init__(self) -> None:
        self._items: deque[tuple[int, Event] | _Ended] = deque()
        self._urgent = Signal()

    def put(self, item: tuple[int, Event] | _Ended) -> None:
        """Called by any lane."""
        self._items.append(item)
        if isinstance(item, _Ended):
            self._urgent.set()

    def wait(self) -> Iterator[tuple[int, Event] | _Ended]:
        """All there is, after a moment in which more may come."""
        self._urgent.wait(_MOMENT)
        self._urgent.clear()
        return self.rest()

    def rest(self) -> Iterator[tuple[int, Event] | _Ended]:
        """All there is."""
        while self._items:
            yield self._items.popleft()


@dataclass(slots=True)
class Spread:
    """One run, spread over the lanes of ``engine``.

    ``tell`` gets events in page order, ``note`` the sentences on each page after them, ``ahead``
    each event as it happens; ``ends`` says whether no page after this event's is wanted.
    """

    engine: SideBySide
    run_page: RunPage
    weights: Sequence[float]
    loads: Sequence[Load]
    tell: Callable[[Event], None]
    note: Callable[[str], None]
    ahead: Callable[[Event], None] = lambda _: None
    ends: Callable[[Event], bool] = lambda _: False
    #: Whether what ended is also told where the run does not get that far.
    keeps: bool = True
    _turn: Lock = field(default_factory=Lock)
    _news: _News = field(default_factory=lambda: _News())
    _halted: bool = False

    def run(self) -> None:
        """Run every page. What ``tell`` raises ends the run, and so does Ctrl-C."""
        waiting = Waiting(self.weights, [load.need for load in self.loads])
        threads = [
            Thread(target=self._work, args=(lane, waiting), name="fencerun-lane", daemon=True)
            for lane in self.engine.lanes(self.loads)
        ]
        order: InOrder[Event | str] = InOrder(
            self._say, range(len(self.weights)) if self.engine.fragile else ()
        )
        try:
            for place, load in enumerate(self.loads):
                if load.need == IDLE:
                    self._idle(place, order)
            for thread in threads:
                thread.start()
            self._listen(len(threads), order, waiting)
        except BaseException as error:
            self._halt(threads)
            interrupted = isinstance(error, KeyboardInterrupt)
            if self.keeps or interrupted:
                self._rest(order)
                order.finish(begun=interrupted)
            raise
        for thread in threads:
            thread.join()

    def _say(self, item: Event | str) -> None:
        if isinstance(item, str):
            self.note(item)
        else:
            self.tell(item)

    def _idle(self, place: int, order: InOrder[Event | str]) -> None:
        """A page that runs nothing needs no lane."""
        notes = self.run_page(place, Lane(self.engine), lambda event: order.add(place, event))
        self._end(order, _Ended(place, notes))

    def _work(self, lane: Lane, waiting: Waiting) -> None:
        """What a lane's thread does: page after page, as long as there are any for it."""
        error: BaseException | None = None
        engine = TakingTurns(lane.engine, self._turn, lambda: self._halted)
        try:
            while not self._halted:
                with self._turn:
                    place = waiting.take(lane.reach)
                if place is None:
                    break
                self._page(place, replace(lane, engine=engine))
            lane.engine.close()
        except BaseException as one:
            error = None if self._halted else one
        self._news.put(_Ended(None, error=error))

    def _page(self, place: int, lane: Lane) -> None:
        for left in reversed(range(_TRIES)):
            try:
                lane.begin(place)
                with self._turn:
                    notes = self.run_page(place, lane, lambda event: self._news.put((place, event)))
            except Lost as error:
                if not left:
                    what = f"{self.loads[place].page} was lost {_TRIES} times, and is given up"
                    raise EngineError(f"{what}: {error.what}") from None
                self._news.put(_Ended(place, error=error))
            else:
                self._news.put(_Ended(place, notes))
                return

    def _listen(self, lanes: int, order: InOrder[Event | str], waiting: Waiting) -> None:
        while lanes:
            for news in self._news.wait():
                lanes -= self._hear(news, order, waiting)

    def _hear(
        self, news: tuple[int, Event] | _Ended, order: InOrder[Event | str], waiting: Waiting
    ) -> bool:
        """Pass on what a lane said; whether that lane is over."""
        if not isinstance(news, _Ended):
            place, event = news
            self.ahead(event)
            if self.ends(event):
                waiting.cut(place)
            order.add(place, event)
        elif news.place is not None and isinstance(news.error, Lost):
            order.drop(news.place)
            self.note(news.error.what)
        elif news.error is not None:
            raise news.error
        elif news.place is None:
            return True
        else:
            self._end(order, news)
        return False

    def _end(self, order: InOrder[Event | str], page: _Ended) -> None:
        assert page.place is not None
        for note in page.notes:
            order.add(page.place, note)
        order.end(page.place)

    def _rest(self, order: InOrder[Event | str]) -> None:
        """Tell of what was done although the run broke off."""
        for news in self._news.rest():
            if not isinstance(news, _Ended):
                order.add(*news)
            elif news.place is not None and news.error is None:
                self._end(order, news)

    def _halt(self, threads: Sequence[Thread]) -> None:
        self._halted = True
        for thread in threads:
            while thread.ident is not None and thread.is_alive():
                self.engine.halt()
                thread.join(_PATIENCE)
