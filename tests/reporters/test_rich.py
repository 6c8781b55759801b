"""The terminal: golden texts, styles, the live display."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest

from fencerun.events import FenceDone, FenceStarted, PageStarted, RunStarted
from fencerun.reporters.rich import STYLES, RichReporter
from fencerun.result import Failure

from .scripted import GREEN, HOSTILE, MIXED, NAME_ERROR, play, run, verdict

Golden = Callable[[str, str], None]

SGR = re.compile(r"\x1b\[([0-9;]*)m")


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_HYPERLINK", "0")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [80, 140])
def test_a_mixed_run(golden: Golden, width: int) -> None:
    shown = play("rich", MIXED, width=width, color=False)
    golden(f"rich-{width}.txt", shown)


def test_a_mixed_run_in_colour(golden: Golden) -> None:
    shown = play("rich", MIXED, width=80, color=True)
    golden("rich-80-colour.txt", shown.replace("\x1b", "␛"))
    assert SGR.sub("", shown) == play("rich", MIXED, width=80, color=False)


@pytest.mark.parametrize("width", [80, 140])
def test_quiet_when_all_is_well(width: int) -> None:
    assert play("rich", GREEN, width=width).count("\n") <= 4


@pytest.mark.parametrize("style", STYLES.values())
def test_styles_work_on_light_and_dark(style: str) -> None:
    assert set(style.split()) <= {"bold", "dim", "red", "green", "yellow", "magenta"}


def test_codes_are_those_of_the_eight_colours() -> None:
    codes = {
        code for codes in SGR.findall(play("rich", MIXED, color=True)) for code in codes.split(";")
    }
    assert codes <= {"", "0", "1", "2", "31", "32", "33", "35"}


def test_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    reporter = RichReporter(stream, width=80, live=False)
    for event in MIXED:
        reporter.handle(event)
    codes = {code for codes in SGR.findall(stream.getvalue()) for code in codes.split(";")}
    assert codes <= {"", "0", "1", "2"}


def test_a_pipe_gets_no_codes() -> None:
    assert "\x1b" not in play("rich", MIXED, width=80)


def test_paths_stay_whole() -> None:
    page = "lessons/" + "a-long-name-" * 9 + "of a page.md"
    shown = play("rich", run([verdict("failed", 4, 41, page, what="w " * 60)]), width=80)
    assert f"{page}:41:" in shown.split("\n")


@pytest.mark.parametrize("color", [True, False])
def test_hostile_output(color: bool) -> None:
    failure = Failure("exception", HOSTILE, traceback=HOSTILE, values=(("x", HOSTILE),))
    hostile = verdict("failed", what=HOSTILE, source=HOSTILE, output=HOSTILE, failure=failure)
    shown = play("rich", run([hostile]), color=color, width=400)
    assert shown.count("[red]not markup[/red]") == 5
    assert "\x1b" not in SGR.sub("", shown)
    assert "\x07" not in shown
    assert "\x1b[31mred" not in shown


def test_a_stream_that_has_no_glyphs() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", newline="\n")
    reporter = RichReporter(stream, width=80, live=True)
    for event in MIXED:
        reporter.handle(event)
    reporter.close()
    stream.flush()
    assert b"NameError" in raw.getvalue()


def test_the_live_display_is_drawn_and_taken_away() -> None:
    now = [0.0]
    stream = Terminal()
    reporter = RichReporter(stream, width=80, color=True, clock=lambda: now[0])
    reporter.handle(RunStarted("check", "", 1, 4))
    assert reporter.frame().plain == ""
    reporter.handle(PageStarted("lessons/07.md", 4))
    reporter.handle(FenceStarted("x::1", "lessons/07.md", 4, 10))
    now[0] = 2.0
    assert reporter.frame().plain == "lessons/07.md ──────────── 0/4 2.0 s · fence 4, 2.0 s"
    reporter.handle(FenceDone(NAME_ERROR))
    assert reporter.frame().plain == "\nlessons/07.md ━━━───────── 1/4 2.0 s"
    assert "NameError" in stream.getvalue()
    reporter.close()
    reporter.close()
    after = stream.getvalue().rpartition("\x1b[?25h")[2]
    assert "the run broke off" in after
    assert "━" not in after
    assert stream.getvalue().count("the run broke off") == 1


def test_a_dumb_terminal_has_no_live_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    reporter = RichReporter(stream, width=80)
    reporter.handle(RunStarted("check", "", 1, 4))
    reporter.close()
    assert "\x1b" not in stream.getvalue()


def test_one_reporter_shows_several_runs() -> None:
    once = play("rich", MIXED, width=80)
    assert play("rich", [*MIXED, *MIXED], width=80) == once * 2
