"""What browsers are told of events, with a live core that is a table."""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from fencerun.events import (
    FenceDone,
    FenceStarted,
    LiveEvent,
    PageRead,
    RunDone,
    RunStarted,
    Trouble,
    Verdict,
)
from fencerun.live import FenceView, Live, PageView
from fencerun.reader import parse
from fencerun.serve import faces
from fencerun.serve.desk import Desk
from fencerun.serve.hub import Hub
from fencerun.serve.state import Order

from .calling import TOKENS

TWO = b"# Two\n\n```python fence:1\n1\n```\n\n```python fence:2\n2\n```\n"


class Table:
    """A live core that shows what it is told to, and notes what it is asked."""

    def __init__(self) -> None:
        self.views: dict[str, PageView] = {}
        self.asked: list[tuple[str, list[str]]] = []

    def put(self, path: str, text: bytes, **state: Any) -> None:
        page = parse(text, path)
        fences = tuple(
            FenceView(f"{path}::{f.number}", path, f.number, f.line) for f in page.fences
        )
        self.views[path] = PageView(path, page, fences, page.problems)

    def set(self, path: str, number: int, **state: Any) -> None:
        view = self.views[path]
        fences = tuple(replace(f, **state) if f.number == number else f for f in view.fences)
        self.views[path] = replace(view, fences=fences)

    def pages(self) -> tuple[PageView, ...]:
        return tuple(self.views.values())

    def page(self, path: str) -> PageView | None:
        return self.views.get(path)

    def run(self, ids: Iterable[str] | None = None) -> int:
        self.asked.append(("run", ["everything"] if ids is None else list(ids)))
        return 1

    def run_stale(self) -> int:
        self.asked.append(("stale", []))
        return 0

    def record(self, ids: Iterable[str]) -> int:
        self.asked.append(("record", list(ids)))
        return 1

    def stop(self) -> None:
        self.asked.append(("stop", []))


class Heard(Hub):
    """A hub that keeps what is published."""

    def __init__(self) -> None:
        super().__init__("boot")
        self.sent: list[tuple[str, dict[str, Any], str | None]] = []

    def publish(self, kind: str, data: dict[str, Any], page: str | None = None) -> None:
        json.dumps(data)
        super().publish(kind, data, page)
        self.sent.append((kind, data, page))

    def kinds(self) -> list[str]:
        found = [kind for kind, _, _ in self.sent]
        self.sent.clear()
        return found


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Table:
    monkeypatch.chdir(tmp_path)
    table = Table()
    table.put("a.md", TWO)
    table.put("b.md", b"# B\n")
    return table


@pytest.fixture
def desk(table: Table, tmp_path: Path) -> Iterator[Desk]:
    events: queue.SimpleQueue[LiveEvent | None] = queue.SimpleQueue()
    desk = Desk(cast(Live, table), events, tmp_path, TOKENS, Heard())
    desk.open()
    yield desk
    desk.close()


def test_a_desk_that_is_closed_before_it_was_opened_lets_all_go(
    table: Table, tmp_path: Path
) -> None:
    desk = Desk(cast(Live, table), queue.SimpleQueue(), tmp_path, TOKENS, Heard())
    assert not desk.opened
    desk.close()
    assert desk.lines() == []
    desk.close()


def test_what_was_there_is_not_told(table: Table, tmp_path: Path) -> None:
    events: queue.SimpleQueue[LiveEvent | None] = queue.SimpleQueue()
    desk = Desk(cast(Live, table), events, tmp_path, TOKENS, Heard())
    desk.open()
    table.set("a.md", 1, verdict=verdict())
    events.put(FenceDone(verdict()))
    desk.close()
    assert heard(desk).kinds() == ["fence", "line"]


def heard(desk: Desk) -> Heard:
    assert isinstance(desk.hub, Heard)
    return desk.hub


def verdict(kind: Any = "passed", **more: Any) -> Verdict:
    return Verdict("a.md::1", kind, "a.md", 1, 3, **more)


def test_nothing_is_told_twice(desk: Desk) -> None:
    desk.teller.tell([PageRead("a.md")])
    assert heard(desk).kinds() == []


def test_a_fence_that_starts_and_ends(desk: Desk, table: Table) -> None:
    table.set("a.md", 1, running_since=0.0)
    desk.teller.tell([FenceStarted("a.md::1", "a.md", 1, 3)])
    (kind, data, page), (listed, line, everyone) = heard(desk).sent
    assert (kind, data["number"], data["state"], page) == ("fence", 1, "running", "a.md")
    assert data["running"] > 0
    assert (listed, line["state"], everyone) == ("line", "running", None)
    heard(desk).kinds()
    table.set("a.md", 1, running_since=None, verdict=verdict(seconds=0.2))
    desk.teller.tell([FenceDone(verdict())])
    assert [d.get("state") for _, d, _ in heard(desk).sent] == ["ok", "ok"]


def test_what_no_event_names_is_told_with_the_next_one(desk: Desk, table: Table) -> None:
    table.set("a.md", 2, queued=True)
    desk.teller.tell([RunStarted("check", "python", 1, 2)])
    assert heard(desk).kinds() == ["fence", "line", "run"]


def test_many_events_at_once_are_told_once(desk: Desk, table: Table) -> None:
    table.set("a.md", 1, verdict=verdict())
    desk.teller.tell(
        [FenceStarted("a.md::1", "a.md", 1, 3), FenceDone(verdict()), PageRead("a.md")]
    )
    assert heard(desk).kinds() == ["fence", "line"]


def test_a_page_that_changes_comes_and_goes(desk: Desk, table: Table) -> None:
    table.put("a.md", TWO + b"\nMore.\n")
    desk.teller.tell([PageRead("a.md")])
    assert heard(desk).kinds() == ["page"]
    del table.views["a.md"]
    desk.teller.tell([PageRead("a.md", gone=True)])
    assert heard(desk).sent == [("gone", {"path": "a.md"}, None)]
    heard(desk).kinds()
    table.views = {"0.md": PageView("0.md", parse(b"# New\n", "0.md"), ()), **table.views}
    desk.teller.tell([PageRead("0.md")])
    kinds = {kind: data for kind, data, _ in heard(desk).sent}
    assert kinds["line"]["title"] == "New"
    assert kinds["line"]["next"] == "b.md"


def test_a_fault_of_ours_does_not_silence_the_rest(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events: queue.SimpleQueue[LiveEvent | None] = queue.SimpleQueue()
    desk = Desk(cast(Live, table), events, tmp_path, TOKENS, Heard())
    desk.open()
    table.views["a.md"] = cast(PageView, "no page at all")
    events.put(PageRead("a.md"))
    while not events.empty():
        time.sleep(0.01)
    table.put("b.md", b"# B, which changed\n")
    events.put(PageRead("b.md"))
    desk.close()
    assert heard(desk).kinds() == ["page", "line"]
    assert "Traceback" in capsys.readouterr().err


def test_runs_and_trouble_are_told_and_remembered(desk: Desk) -> None:
    desk.teller.tell([RunStarted("record", "python", 1, 2)])
    run = {"running": True, "verb": "record", "fences": 2, "done": 0}
    assert desk.status()["run"] == run
    desk.teller.tell([FenceDone(verdict()), FenceDone(verdict())])
    assert desk.status()["run"] == {**run, "done": 2}
    desk.teller.tell([RunDone(1, 0.5, (verdict(), verdict("changed")), notes=("a note",))])
    assert desk.status()["run"]["counts"] == {"passed": 1, "changed": 1}
    desk.teller.tell([Trouble("no such setting", "correct it")])
    assert desk.status()["trouble"]["what"] == "no such setting"
    desk.teller.tell([Trouble()])
    assert desk.status()["trouble"] == {}


def test_a_lesson_is_its_page_with_what_is_known(desk: Desk, table: Table) -> None:
    table.set("a.md", 1, verdict=verdict("failed", what="<b>it failed</b>"))
    lesson = desk.lesson("a.md")
    assert lesson is not None
    assert "&lt;b&gt;it failed&lt;/b&gt;" in lesson.body
    assert lesson.body.count('data-act="run"') == 2
    assert lesson.at == desk.hub.number
    assert desk.lesson("none.md") is None


def test_pages_are_called_relative_to_the_base(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    table.views = {}
    table.put("../x/a b.md", TWO)
    desk = Desk(cast(Live, table), queue.SimpleQueue(), tmp_path, TOKENS, Heard())
    desk.open()
    assert [line.path for line in desk.lines()] == ["x/a b.md"]
    lesson = desk.lesson("x/a b.md")
    assert lesson is not None
    assert lesson.called == "../x/a b.md"
    assert desk.directories() == [tmp_path / "x"]
    assert desk.act(Order("run", "x/a b.md", (2,))) == ""
    assert table.asked == [("run", ["../x/a b.md::2"])]
    desk.close()


def test_names_that_are_no_text_can_be_addressed(table: Table, tmp_path: Path) -> None:
    """A browser makes addresses of UTF-8, so a name has to be that."""
    table.views = {}
    for name in ("caf\udce9.md", "caf\udce8.md", "two\nlines.md"):
        table.put(str(tmp_path / name), TWO)
    desk = Desk(cast(Live, table), queue.SimpleQueue(), tmp_path, TOKENS, Heard())
    desk.open()
    names = [line.path for line in desk.lines()]
    assert names == ["caf\\udce9.md", "caf\\udce8.md", "two\\nlines.md"]
    for name in names:
        lesson = desk.lesson(name.encode().decode())
        assert lesson is not None and lesson.line.path == name
    desk.close()


@pytest.mark.parametrize(
    ("order", "asked"),
    [
        (Order("run", "a.md"), ("run", ["a.md"])),
        (Order("run", "a.md", (2, 1)), ("run", ["a.md::2", "a.md::1"])),
        (Order("record", "a.md", (1,)), ("record", ["a.md::1"])),
        (Order("record", "a.md"), ("record", ["a.md"])),
        (Order("stop"), ("stop", [])),
        (Order("run"), ("run", ["everything"])),
    ],
    ids=str,
)
def test_orders(desk: Desk, table: Table, order: Order, asked: tuple[str, list[str]]) -> None:
    assert desk.act(order) == ""
    assert table.asked == [asked]


def test_what_is_stale_is_run(desk: Desk, table: Table) -> None:
    assert desk.act(Order("stale")) == "there is nothing to run"
    table.asked.clear()
    assert desk.act(Order("stale", "a.md")) == "nothing is stale"
    table.set("a.md", 2, stale=True)
    assert desk.act(Order("stale", "a.md")) == ""
    assert table.asked == [("run", ["a.md::2"])]


@pytest.mark.parametrize(
    ("order", "why"),
    [
        (Order("run", "none.md"), "no such lesson"),
        (Order("run", "a.md", (9,)), "no fence 9"),
        (Order("run", "../a.md"), "no such lesson"),
    ],
    ids=str,
)
def test_orders_that_cannot_be(desk: Desk, table: Table, order: Order, why: str) -> None:
    assert why in desk.act(order)
    assert table.asked == []


def test_a_page_with_a_problem_runs_nothing(desk: Desk, table: Table) -> None:
    table.put("a.md", TWO.replace(b"fence:2", b"fence:1"))
    assert "problem" in desk.act(Order("run", "a.md"))
    assert table.asked == []
    assert desk.lines()[0].state == "problem"


@pytest.mark.parametrize(
    ("state", "word", "said"),
    [
        ({}, "unknown", ""),
        ({"before": "passed"}, "unknown", "passed"),
        ({"stale": True}, "stale", "not run yet"),
        ({"stale": True, "before": "passed"}, "stale", "changed since it ran"),
        ({"stale": True, "held": True, "seconds": 12.0}, "stale", "took 12"),
        ({"queued": True, "stale": True}, "waiting", "waiting"),
        ({"running_since": 0.0, "stale": True}, "running", "running"),
        ({"verdict": verdict("changed")}, "outdated", "changed"),
    ],
    ids=str,
)
def test_badges(table: Table, state: dict[str, Any], word: str, said: str) -> None:
    view = replace(table.views["a.md"].fences[0], **state)
    message = faces.message(view, table.views["a.md"].page)
    assert message["state"] == word
    assert said in message["badge"]


def test_a_fence_that_never_ran_here_says_where_it_was_recorded() -> None:
    recording = "```text output:1 key:1.2 on:h200/2.11/2026-01-02\n1\n```\n"
    page = parse(f"```python fence:1 requires:cuda\n1\n```\n\n{recording}".encode(), "a.md")
    for before, said in ((None, "recorded"), ("kept", "kept")):
        badge = faces.message(FenceView("a.md::1", "a.md", 1, 1, before=before), page)["badge"]
        assert said in badge
        assert "h200, 2026-01-02" in badge


def test_the_gravest_fence_names_the_state_of_a_lesson(desk: Desk, table: Table) -> None:
    table.set("a.md", 1, verdict=verdict())
    assert desk.lines()[0].state == "ok"
    table.set("a.md", 2, verdict=verdict("changed"))
    assert desk.lines()[0].state == "outdated"
    assert desk.lines()[0].counts == (("ok", 1), ("outdated", 1))
    assert desk.lines()[1].state == "empty"
