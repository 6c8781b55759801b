"""The live lines, as functions of events and time."""

from __future__ import annotations

from fencerun.events import Event, FenceDone, FenceStarted, PageDone, PageStarted, RunStarted
from fencerun.reporters.progress import Progress
from fencerun.reporters.wording import text

from .scripted import KEPT, verdict


def shown(
    events: list[tuple[float, Event]], now: float, width: int = 80, height: int = 9
) -> list[str]:
    progress = Progress()
    for at, event in events:
        progress.add(event, at)
    return [text(line) for line in progress.lines(now, width, height)]


ONE: list[tuple[float, Event]] = [
    (0.0, RunStarted("check", "", 1, 5)),
    (0.0, PageStarted("lessons/07.md", 4)),
    (0.0, FenceStarted("x::1", "lessons/07.md", 1, 10)),
    (2.0, FenceDone(verdict("passed", 1))),
    (2.0, FenceDone(KEPT)),
    (2.0, FenceStarted("x::2", "lessons/07.md", 2, 20)),
]


def test_a_page() -> None:
    assert shown(ONE, 2.5) == ["lessons/07.md ━━━───────── 1/4 2.5 s"]


def test_the_fence_in_flight_is_named_once_it_takes_long() -> None:
    assert shown(ONE, 3.5) == ["lessons/07.md ━━━───────── 1/4 3.5 s · fence 2, 1.5 s"]


def test_a_fence_that_begins_ends_the_one_before() -> None:
    """`record` has no verdict of a fence before its page is written."""
    events = [*ONE, (4.0, FenceStarted("x::3", "lessons/07.md", 3, 30))]
    assert shown(events, 4.5) == ["lessons/07.md ━━━━━━────── 2/4 4.5 s"]
    again = [*events, (5.0, FenceStarted("x::2", "lessons/07.md", 2, 20))]
    assert shown(again, 6.5) == ["lessons/07.md ━━━━━━━━━─── 3/4 6.5 s · fence 2, 1.5 s"]


def test_wide_terminals_have_a_longer_bar() -> None:
    assert shown(ONE, 2.5, 140) == ["lessons/07.md ━━━━━─────────────── 1/4 2.5 s"]


def test_before_the_first_page_and_after_the_last() -> None:
    assert shown(ONE[:1], 1.0) == []
    assert shown([*ONE, (3.0, PageDone("lessons/07.md"))], 3.0) == []


def test_several_pages() -> None:
    events: list[tuple[float, Event]] = [(0.0, RunStarted("check", "", 30, 400))]
    events += [(0.0, PageStarted(f"{n}.md", 2)) for n in range(20)]
    events += [(1.0, FenceDone(verdict("failed", 1, page="3.md")))]
    lines = shown(events, 2.0, height=6)
    assert len(lines) == 6
    assert lines[-2:] == ["and 16 more pages", "0/30 pages, 1/400 fences, 2.0 s, 1 failed"]


def test_a_long_name_loses_its_middle() -> None:
    events: list[tuple[float, Event]] = [(0.0, PageStarted("lessons/" + "x" * 80 + "/07.md", 4))]
    (line,) = shown(events, 0.0)
    assert line.startswith("lessons/xxx")
    assert "…" in line
    assert "/07.md ──" in line
    assert len(line) < 80


def test_a_page_without_fences_divides_nothing() -> None:
    assert "0/0" in shown([(0.0, PageStarted("x.md", 0))], 0.0)[0]


def test_more_done_than_announced_stays_a_bar() -> None:
    events = [*ONE[:2], *((1.0, FenceDone(verdict("passed", n))) for n in range(9))]
    assert "━━━━━━━━━━━━ 4/4" in shown(events, 1.0)[0]
