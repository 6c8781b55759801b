"""The fold over a run's events."""

from __future__ import annotations

from dataclasses import replace

from fencerun.events import FenceDone, ProblemFound, RunDone, RunStarted
from fencerun.reporters.tally import Tally

from .scripted import CHANGED, CRASH, GREEN, LEAKY, MIXED, NAME_ERROR, PROBLEM, verdict


def test_the_end_of_a_run_tells_nothing_twice() -> None:
    tally = Tally()
    news = [tally.add(event) for event in MIXED]
    assert news[-1].verdicts == ()
    assert news[-1].problems == ()


def test_the_end_of_a_run_may_tell_more() -> None:
    tally = Tally()
    tally.add(FenceDone(NAME_ERROR))
    news = tally.add(RunDone(4, 1.0, (NAME_ERROR, CHANGED), (PROBLEM, PROBLEM)))
    assert news.verdicts == (CHANGED,)
    assert news.problems == (PROBLEM,)


def test_a_later_verdict_replaces_the_earlier() -> None:
    tally = Tally()
    tally.add(FenceDone(CHANGED))
    final = replace(CHANGED, kind="recorded")
    assert tally.add(FenceDone(final)).verdicts == (final,)
    assert list(tally.counts()) == [("recorded", 1)]


def test_an_orphan_stands_beside_a_fence_of_its_number() -> None:
    tally = Tally()
    tally.add(FenceDone(verdict("passed", 3)))
    tally.add(FenceDone(verdict("orphan", 3)))
    assert list(tally.counts()) == [("passed", 1), ("orphan", 1)]


def test_a_problem_is_told_once() -> None:
    tally = Tally()
    assert tally.add(ProblemFound(PROBLEM)).problems == (PROBLEM,)
    assert tally.add(ProblemFound(PROBLEM)).problems == ()


def test_a_new_run_begins_from_nothing() -> None:
    tally = Tally()
    for event in MIXED:
        tally.add(event)
    tally.add(RunStarted("check", "", 0, 0))
    assert (tally.verdicts, tally.problems, tally.done) == ((), (), None)


def test_well() -> None:
    for events, well in ((GREEN, True), (MIXED, False), ([FenceDone(LEAKY)], False)):
        tally = Tally()
        for event in events:
            tally.add(event)
        assert tally.well is well
    tally.add(RunDone(5, 1.0))
    assert not tally.well


def test_slowest() -> None:
    tally = Tally()
    for n in range(1, 9):
        tally.add(FenceDone(verdict("passed", n, seconds=float(n))))
    tally.add(FenceDone(CRASH))
    assert [seconds for seconds, _ in tally.slowest()] == [12.3, 8.0, 7.0, 6.0, 5.0]
    assert [one.id for one in tally.replaced()] == [CRASH.id]
