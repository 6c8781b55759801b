"""The threads between a session and an engine's lanes: what runs, what is told, what ends it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType

import pytest

from fencerun.distributed.luggage import Luggage
from fencerun.engines.base import Chain, EngineError, EngineEvent
from fencerun.events import Event, FenceStarted, PageDone
from fencerun.lanes import Lane, Load, Lost
from fencerun.scheduling import IDLE, PLAIN, Reach
from fencerun.spread import Spread


class Nothing:
    """An engine without fences: what it is asked is all that matters."""

    isolates = True
    closed = False

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        return iter(())

    def describe(self) -> str:
        return "nothing"

    def fresh(self) -> None:
        """Nothing."""

    def close(self) -> None:
        self.closed = True

    def __enter__(self) -> Nothing:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Lanes(Nothing):
    """So many lanes; the first one takes pages that need accelerators."""

    def __init__(self, count: int, begin: Callable[[int], None], fragile: bool) -> None:
        self.fragile = fragile
        self.engines = [Nothing() for _ in range(count)]
        self._begin = begin
        self.halted = threading.Event()

    def lanes(self, loads: Sequence[Load]) -> list[Lane]:
        return [
            Lane(engine, Reach(0, 9) if engine is self.engines[0] else PLAIN, None, self._begin)
            for engine in self.engines
        ]

    def halt(self) -> None:
        self.halted.set()


@dataclass
class Course:
    """Pages ``0``, ``1``, … and what happens when each is run."""

    needs: Sequence[int]
    #: What a page does besides telling that it ran.
    does: Callable[[int], None] = lambda place: None
    begin: Callable[[int], None] = lambda place: None
    fragile: bool = False
    told: list[str] = field(default_factory=list)
    ahead: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    keeps: bool = False
    tells: Callable[[Event], None] = lambda event: None
    hears: Callable[[Event], None] = lambda event: None

    def run(self, lanes: int) -> Lanes:
        engine = Lanes(lanes, self.begin, self.fragile)

        def run_page(place: int, lane: Lane, emit: Callable[[Event], None]) -> Sequence[str]:
            emit(FenceStarted(f"{place}::1", str(place), 1, 1))
            # As while an engine is waited for.
            turn = spread._turn
            held = turn.locked()
            if held:
                turn.release()
            try:
                self.does(place)
            finally:
                if held:
                    turn.acquire()
            emit(PageDone(str(place)))
            return [f"note on {place}"]

        def tell(event: Event) -> None:
            self.told.append(_name(event))
            self.tells(event)

        def ahead(event: Event) -> None:
            self.ahead.append(_name(event))
            self.hears(event)

        spread = Spread(
            engine,
            run_page,
            [1.0] * len(self.needs),
            [Load(f"{place}.md", need, _no_luggage) for place, need in enumerate(self.needs)],
            tell,
            self.notes.append,
            ahead,
            keeps=self.keeps,
        )
        spread.run()
        return engine


def _name(event: Event) -> str:
    assert isinstance(event, (FenceStarted, PageDone))
    return f"{type(event).__name__} {event.page}"


def _no_luggage() -> Luggage:
    raise AssertionError("nothing travels")


def whole(*places: int) -> list[str]:
    return [f"{kind} {place}" for place in places for kind in ("FenceStarted", "PageDone")]


@pytest.mark.parametrize("fragile", [False, True], ids=["lasting", "fragile"])
@pytest.mark.parametrize("lanes", [1, 2, 5])
def test_all_is_told_in_page_order(lanes: int, fragile: bool) -> None:
    course = Course([0, 1, 0, IDLE, 0, 2, 0], fragile=fragile)
    engine = course.run(lanes)
    assert course.told == whole(*range(7))
    assert course.notes == [f"note on {place}" for place in range(7)]
    assert sorted(course.ahead) == sorted(whole(0, 1, 2, 4, 5, 6))
    assert all(one.closed for one in engine.engines), "a lane that has no more to do gives up"
    assert not engine.halted.is_set()


def test_pages_run_at_the_same_time_except_those_with_accelerators() -> None:
    plain = threading.Barrier(3)
    busy: list[int] = []

    def does(place: int) -> None:
        if place < 2:
            assert not busy, "two on one device"
            busy.append(place)
            if place == 0:
                plain.wait(20)
            busy.remove(place)
        else:
            plain.wait(20)

    course = Course([1, 1, 0, 0], does)
    course.run(3)
    assert course.told == whole(0, 1, 2, 3)


def test_a_page_that_is_lost_runs_again_and_is_told_once() -> None:
    lost: list[int] = []

    def does(place: int) -> None:
        if place == 1 and len(lost) < 2:
            lost.append(place)
            raise Lost("1 ran again: the node was lost")

    course = Course([0, 0, 0], does, fragile=True)
    course.run(2)
    assert course.told == whole(0, 1, 2)
    assert course.notes.count("1 ran again: the node was lost") == 2
    assert course.ahead.count("FenceStarted 1") == 3


def test_a_page_that_is_lost_before_it_began_runs_again_too() -> None:
    tries: list[int] = []

    def begin(place: int) -> None:
        tries.append(place)
        if len(tries) == 1:
            raise Lost("no node")

    course = Course([0], begin=begin, fragile=True)
    course.run(1)
    assert course.told == whole(0)


def test_a_page_that_is_lost_again_and_again_is_given_up_by_name() -> None:
    def does(place: int) -> None:
        if place == 1:
            raise Lost("the node was lost")

    course = Course([0, 0, 0], does, fragile=True, keeps=True)
    with pytest.raises(EngineError, match=r"1\.md was lost 3 times, and is given up: the node"):
        course.run(1)
    assert course.told == whole(0)


def test_an_error_on_a_lane_ends_the_run_and_is_raised() -> None:
    def does(place: int) -> None:
        if place == 2:
            raise ValueError("a fault of ours")

    course = Course([0] * 9, does, keeps=True)
    with pytest.raises(ValueError, match="a fault of ours"):
        course.run(1)
    assert course.told[:4] == whole(0, 1)
    assert "PageDone 3" not in course.told
    assert "fencerun-lane" not in [thread.name for thread in threading.enumerate()]


class Stop(Exception):
    """What a teller raises that wants no more."""


@pytest.mark.parametrize("keeps", [False, True], ids=["check", "record"])
def test_who_is_told_may_end_the_run(keeps: bool) -> None:
    ahead, stopped = threading.Event(), threading.Event()

    def does(place: int) -> None:
        if place == 0:
            ahead.wait(20)
        elif place == 1:
            ahead.set()
        else:
            stopped.wait(20)

    def tells(event: Event) -> None:
        if _name(event) == "PageDone 0":
            stopped.set()
            raise Stop

    course = Course([0] * 50, does, keeps=keeps, tells=tells)
    with pytest.raises(Stop):
        course.run(2)
    assert course.told[:2] == whole(0)
    # A page that was written must not go unsaid; one that was only read need not be said.
    assert ("PageDone 1" in course.told) is keeps
    assert "PageDone 49" not in course.told


@pytest.mark.parametrize("fragile", [False, True], ids=["lasting", "fragile"])
def test_ctrl_c_tells_of_what_was_done(fragile: bool) -> None:
    done = threading.Event()

    def hears(event: Event) -> None:
        if _name(event) == "PageDone 1":
            raise KeyboardInterrupt

    def does(place: int) -> None:
        if place == 0:
            done.wait(20)
        elif place == 2:
            done.set()

    course = Course([0, 0, 0], does, fragile=fragile, hears=hears)
    with pytest.raises(KeyboardInterrupt):
        course.run(2)
    assert "FenceStarted 1" in course.told or fragile
    assert course.told == sorted(course.told, key=lambda one: one[-1]), "in page order"
