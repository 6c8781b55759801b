"""What stands under a message."""

from __future__ import annotations

from typing import Any

import pytest

from fencerun.events import DiffLine, Verdict, VerdictKind
from fencerun.reporters.details import INDENT, details, report
from fencerun.reporters.wording import text
from fencerun.result import Failure

from .scripted import ASSERT, HOSTILE, LEAKY, NAME_ERROR, NESTED, TRACE, verdict


def lines(one: Verdict, verbose: int = 0) -> list[str]:
    return [text(line) for line in details(one, verbose)]


def failed(
    traceback: str, summary: str = "NameError: name 'opt' is not defined", **more: Any
) -> Verdict:
    failure = Failure("exception", summary, traceback=traceback)
    return verdict("failed", line=41, source="loss = opt.step()", failure=failure, **more)


def test_a_traceback_of_one_frame_is_its_source_and_caret() -> None:
    assert lines(failed(TRACE)) == ["    41 | loss = opt.step()", "       |        ^^^"]


@pytest.mark.parametrize(
    "traceback",
    [
        NESTED.failure.traceback if NESTED.failure else "",
        TRACE + "a note\n",
        "KeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\n"
        + TRACE,
        TRACE.replace("loss = opt", "other = opt"),
    ],
    ids=["frames", "note", "context", "other source"],
)
def test_a_traceback_that_says_more_is_shown(traceback: str) -> None:
    shown = lines(failed(traceback))
    assert f"       | {traceback.splitlines()[-1]}" in shown
    assert len(shown) == 1 + len(traceback.splitlines())


def test_a_syntax_error_shows_its_caret() -> None:
    trace = '  File "x.md", line 41\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n'
    failure = Failure("syntax", "SyntaxError: invalid syntax", traceback=trace)
    shown = lines(verdict("failed", line=41, source="  x = = 1", failure=failure))
    assert shown == ["    41 | x = = 1", "       |     ^"]


def test_verbose_shows_the_traceback_too() -> None:
    assert any("Traceback" in line for line in lines(NAME_ERROR, 1))


def test_values_of_an_assert() -> None:
    assert lines(ASSERT)[-3:] == [
        "    where",
        "       | x.sum() = 3.0",
        "       | x = tensor([1., 2.])",
    ]


@pytest.mark.parametrize(("verbose", "kept"), [(0, 12), (1, 100), (2, 5000), (9, 5000)])
def test_the_end_of_an_output(verbose: int, kept: int) -> None:
    output = "".join(f"{n}\n" for n in range(5000))
    shown = lines(verdict("failed", output=output), verbose)
    assert len(shown) == kept + 1
    assert shown[-1].endswith("| 4999")


@pytest.mark.parametrize(("verbose", "kept"), [(0, 60), (1, 1000), (2, 5000)])
def test_a_long_diff_is_cut(verbose: int, kept: int) -> None:
    diff = tuple(DiffLine("+", str(n)) for n in range(5000))
    shown = lines(verdict("changed", diff=diff), verbose)
    assert len(shown) == min(kept + 1, 5000)
    if kept < 5000:
        assert shown[-1].endswith(f"| {5000 - kept:,} more lines of the diff (-v shows them)")


def test_page_lines_of_a_diff_line_up() -> None:
    diff = (
        DiffLine(" ", "a", 9),
        DiffLine("-", "b", 10),
        DiffLine("+", "c"),
        DiffLine("~", "1 equal line"),
    )
    assert lines(verdict("changed", line=10, diff=diff)) == [
        "     9   | a",
        "    10 - | b",
        "       + | c",
        "       ~ | 1 equal line",
    ]


def test_of_long_lines_the_part_that_differs_is_shown() -> None:
    same = "x" * 70_000
    diff = (DiffLine("-", f"{same}old", 10), DiffLine("+", f"{same}new"))
    shown = lines(verdict("changed", diff=diff))
    assert [line[-3:] for line in shown] == ["old", "new"]
    assert all("(69,920 equal characters) …" in line for line in shown)
    assert max(map(len, shown)) < 200


def test_windows_pair_lines_of_one_run_only() -> None:
    long = "x" * 1000
    diff = (
        DiffLine("-", long + "a", 1),
        DiffLine(" ", "same", 2),
        DiffLine("+", long + "b"),
        DiffLine("-", long + "c", 3),
        DiffLine("-", long + "d", 4),
        DiffLine("+", long + "e"),
    )
    shown = lines(verdict("changed", diff=diff))
    assert ["equal characters" in line for line in shown] == [
        False,
        False,
        False,
        True,
        False,
        True,
    ]


def test_a_long_traceback_loses_its_middle() -> None:
    trace = "".join(f"line {n}\n" for n in range(500))
    shown = lines(failed(trace))
    assert len(shown) < 70
    assert any("… 440 lines of the traceback" in line for line in shown)
    assert shown[-1].endswith("| line 499")


def test_quoted_text_never_begins_a_line() -> None:
    failure = Failure("exception", HOSTILE, traceback=HOSTILE, values=((HOSTILE, HOSTILE),))
    diff = (DiffLine("-", HOSTILE, 3), DiffLine("+", HOSTILE))
    hostile = verdict(
        "failed",
        what=HOSTILE,
        source=HOSTILE,
        output=HOSTILE,
        stderr=HOSTILE,
        diff=diff,
        failure=failure,
        replaced=HOSTILE,
    )
    shown = [text(line) for line in report(hostile)]
    assert all("\n" not in line and "\x1b" not in line for line in shown)
    assert not [line for line in shown if line.strip().startswith(("::", "##["))]


@pytest.mark.parametrize("kind", ["failed", "unrecorded", "stale"])
def test_a_line_of_source_is_without_control_characters(kind: VerdictKind) -> None:
    shown = "".join(map(text, report(verdict(kind, source="print('\x1b[31m\r::error::x')"))))
    assert "\\x1b[31m\\r::error::x" in shown and shown.isprintable()


def test_nothing_is_said_of_a_fence_that_is_as_recorded() -> None:
    assert report(verdict("passed", seconds=0.1)) == ()
    assert report(verdict("passed", replaced="it had grown by 600 MB")) == ()


def test_a_leak_that_stays_is_said_of_a_passed_fence() -> None:
    shown = [text(line) for line in report(LEAKY)]
    assert shown == [
        "lessons/07.md:173: leak: fence 14, thread: Thread-1 (spin), not undone",
        f"{INDENT}the worker was replaced: a thread was left running",
    ]
    assert "undone" in text(report(LEAKY, 1)[1])
