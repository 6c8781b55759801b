"""The terminal of `fencerun watch`."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from fencerun.events import (
    EngineReady,
    FenceDone,
    FenceStarted,
    LiveEvent,
    PageRead,
    Problem,
    RunDone,
    RunStarted,
    Trouble,
    Verdict,
)
from fencerun.reporters.watch import WatchReporter
from fencerun.reporters.wording import Span
from fencerun.result import Leak


def verdict(kind: str = "passed", number: int = 1, *printed: str, **more: object) -> Verdict:
    return Verdict(
        f"a.md::{number}", kind, "a.md", number, 10 * number,  # type: ignore[arg-type]
        seconds=0.012, printed=printed, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def shown(*events: LiveEvent, keys: bool = False, verbose: int = 0) -> list[str]:
    stream = io.StringIO()
    reporter = WatchReporter(stream, keys=keys, verbose=verbose)
    for event in events:
        reporter.handle(event)
    return re.sub(r"\d\d:\d\d:\d\d", "TIME", stream.getvalue()).splitlines()


START = RunStarted("check", "", 1, 1)
DONE = RunDone(0, 0.034)

CASES: dict[str, tuple[list[LiveEvent], list[str]]] = {
    "ready": (
        [EngineReady("Python 3.11.7, torch 2.13.0", 2.1)],
        ["Python 3.11.7, torch 2.13.0, ready in 2.1 s"],
    ),
    "a save": (
        [PageRead("a.md", ("a.md::1", "a.md::2")), START, FenceDone(verdict("passed", 1, "one")),
         FenceDone(verdict("passed", 2)), DONE],
        ["TIME a.md: fences 1 and 2", "a.md:10: passed: fence 1 (12 ms)", "    | one",
         "a.md:20: passed: fence 2 (12 ms)", "2 passed in 34 ms"],
    ),
    "all that was asked for": (
        [START, FenceDone(verdict("passed", 1, "one")), DONE],
        ["1 passed in 34 ms"],
    ),
    "prose": ([PageRead("a.md")], []),
    "unrecorded": (
        [START, FenceDone(verdict("unrecorded", 1, "one", what="it printed")), DONE],
        ["a.md:10: unrecorded: fence 1, it printed (12 ms)", "    | one",
         "1 unrecorded in 34 ms"],
    ),
    "recorded": (
        [PageRead("a.md", ("a.md::1",)), START,
         FenceDone(verdict("recorded", 1, "one", what="its output is recorded")), DONE],
        ["TIME a.md: fence 1", "a.md:10: recorded: fence 1, its output is recorded (12 ms)",
         "1 recorded in 34 ms"],
    ),
    "hostile output": (
        [PageRead("a.md", ("a.md::1",)), FenceDone(verdict("passed", 1, "\x1b[2J\u202eevil"))],
        ["TIME a.md: fence 1", "a.md:10: passed: fence 1 (12 ms)", "    | \\x1b[2J\\u202eevil"],
    ),
    "held back": (
        [PageRead("a.md", (), ("a.md::1",)), PageRead("a.md", (), ("a.md::1",))],
        ["a.md: fence 1 held back (slow, or changing its own inputs): fencerun check a.md"],
    ),
    "problems, told once, and their end": (
        [PageRead("a.md", problems=(Problem("a.md", 3, "tag", "no such tag", "delete it"),)),
         PageRead("a.md", problems=(Problem("a.md", 3, "tag", "no such tag", "delete it"),)),
         PageRead("a.md")],
        ["a.md:3: problem: no such tag. Delete it [tag]", "a.md reads well again"],
    ),
    "gone": ([PageRead("a.md", gone=True)], ["a.md is gone"]),
    "trouble": (
        [Trouble("pyproject.toml: no", "correct it"), Trouble()],
        ["error: pyproject.toml: no. Correct it", "back to work"],
    ),
    "ended": (
        [START, FenceStarted("a.md::1", "a.md", 1, 10), RunDone(130, 0.5, interrupted=True)],
        ["ended early in 500 ms"],
    ),
    "nothing": ([START, DONE], ["nothing ran in 34 ms"]),
}  # fmt: skip


@pytest.mark.parametrize(("events", "lines"), CASES.values(), ids=CASES)
def test_what_is_shown(events: list[LiveEvent], lines: list[str]) -> None:
    assert shown(*events) == lines


def test_leaks_are_told_of_whatever_the_verdict() -> None:
    for kind in ("passed", "unrecorded", "changed"):
        leak = Leak("default dtype", "torch.float32", "torch.float64", undone=False)
        lines = shown(FenceDone(verdict(kind, 1, "one", leaks=(leak,))))
        assert "default dtype: torch.float32 → torch.float64, not undone" in " ".join(
            line.strip() for line in lines
        )


def test_long_output_loses_its_middle() -> None:
    many = [str(n) for n in range(100)]
    events = (PageRead("a.md", ("a.md::1",)), FenceDone(verdict("passed", 1, *many)))
    lines = shown(*events)
    assert "    | … 76 more lines (-v shows them)" in lines
    assert lines[2] == "    | 0" and lines[-1] == "    | 99"
    assert len(shown(*events, verbose=1)) > 100


def test_keys_are_offered_where_there_are_any() -> None:
    lines = shown(START, FenceDone(verdict("unrecorded", 1, "one")), DONE, keys=True)
    assert lines[-1] == "1 unrecorded in 34 ms  r records it"


def test_many_fences_are_not_all_named() -> None:
    ids = tuple(f"a.md::{n}" for n in range(1, 31))
    assert shown(PageRead("a.md", ids)) == ["TIME a.md: fences 1, 2, 3, 4, 5, 6 and 24 more"]


def test_the_last_line_says_how_things_stand_and_gives_way() -> None:
    stream = io.StringIO()
    now = [0.0]
    reporter = WatchReporter(stream, bottom=True, width=lambda: 30, clock=lambda: now[0])
    reporter.bottom((Span("faint", "q quit"),))
    reporter.handle(PageRead("a.md", gone=True))
    reporter.handle(FenceStarted("a.md::1", "a.md", 1, 10))
    now[0] = 2.0
    reporter.bottom((Span("faint", "q quit and a great deal more than fits"),))
    reporter.bottom((Span("faint", "q quit and a great deal more than fits"),))
    reporter.close()
    wipe = "\r\x1b[2K"
    assert stream.getvalue().split(wipe) == [
        "", "q quit", "a.md is gone\n", "q quit", "a.md::1 2.0 s · q quit and a", ""
    ]  # fmt: skip


def test_a_terminal_that_has_links_gets_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORCE_HYPERLINK", "1")
    (tmp_path / "a.md").touch()
    stream = io.StringIO()
    WatchReporter(stream, color=True).handle(FenceDone(verdict("failed", 1, what="no")))
    assert f"{tmp_path}/a.md#10\x1b\\a.md:10\x1b]8;;\x1b\\:" in stream.getvalue()
