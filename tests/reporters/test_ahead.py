"""Where pages run side by side: how far they are is shown as it happens, all else in page order."""

from __future__ import annotations

import io

from fencerun.events import (
    Event,
    FenceDone,
    FenceStarted,
    PageDone,
    PageStarted,
    RunDone,
    RunStarted,
    Verdict,
)
from fencerun.reporters import Reporter, ahead, fan_out, make
from fencerun.reporters.rich import RichReporter


def verdict(page: str, kind: str = "passed") -> Verdict:
    return Verdict(f"{page}::1", kind, page, 1, 1, "why", "do")  # type: ignore[arg-type]


def events(page: str) -> list[Event]:
    return [
        PageStarted(page, 1),
        FenceStarted(f"{page}::1", page, 1, 1),
        FenceDone(verdict(page)),
        PageDone(page),
    ]


class Time:
    now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def test_the_live_display_follows_what_happens_and_not_what_is_told() -> None:
    reporter = RichReporter(io.StringIO(), color=False, width=80, live=False, clock=Time())
    reporter.handle(RunStarted("check", "about", 2, 2))
    one, two = events("one.md"), events("two.md")
    for event in two[:2]:
        reporter.ahead(event)
    shown = reporter.frame().plain
    assert "two.md" in shown
    assert "0/2 pages, 0/2 fences" in shown
    for event in (*two[2:], *one):
        reporter.ahead(event)
    assert "2/2 pages, 2/2 fences" in reporter.frame().plain
    for event in (*one, *two):
        reporter.handle(event)
    assert "2/2 pages, 2/2 fences" in reporter.frame().plain, "counted once"
    assert "one.md" not in reporter.frame().plain, "a page that is over does not come back"


def test_a_serial_run_is_shown_as_it_is_told() -> None:
    reporter = RichReporter(io.StringIO(), color=False, width=80, live=False, clock=Time())
    reporter.handle(RunStarted("check", "about", 2, 2))
    for event in events("one.md"):
        reporter.handle(event)
    assert "1/2 pages, 1/2 fences" in reporter.frame().plain


def test_the_run_after_one_side_by_side_is_shown_as_it_is_told() -> None:
    reporter = RichReporter(io.StringIO(), color=False, width=80, live=False, clock=Time())
    for event in events("one.md"):
        reporter.ahead(event)
    reporter.handle(RunDone(0, 1.0))
    reporter.handle(RunStarted("check", "about", 2, 2))
    for event in events("one.md"):
        reporter.handle(event)
    assert "1/2 pages, 1/2 fences" in reporter.frame().plain


class Heard:
    """A reporter that has nothing to show ahead of time, or has."""

    def __init__(self) -> None:
        self.handled: list[Event] = []

    def handle(self, event: Event) -> None:
        self.handled.append(event)

    def close(self) -> None:
        """Nothing."""


class HeardAhead(Heard):
    def __init__(self) -> None:
        super().__init__()
        self.early: list[Event] = []

    def ahead(self, event: Event) -> None:
        self.early.append(event)


def test_those_that_want_it_hear_ahead_of_time() -> None:
    one, two = Heard(), HeardAhead()
    event = PageDone("a.md")
    both: Reporter = fan_out([one, two])
    ahead(both)(event)
    assert (one.handled, two.handled, two.early) == ([], [], [event])
    ahead(one)(event)
    ahead(two)(event)
    assert (one.handled, two.early) == ([], [event, event])


def test_what_is_written_down_is_not_written_ahead() -> None:
    for name in ("plain", "github", "junit", "jsonl"):
        stream = io.StringIO()
        ahead(make(name, stream))(PageDone("a.md"))
        assert stream.getvalue() == ""
