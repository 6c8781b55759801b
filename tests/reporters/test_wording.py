"""The words, and which verdicts matter."""

from __future__ import annotations

from typing import get_args

import pytest

from fencerun.events import Problem, VerdictKind
from fencerun.exits import exit_code
from fencerun.reporters.wording import (
    ORDER,
    duration,
    leak_head,
    location,
    message,
    needs_attention,
    problem_also,
    problem_head,
    severity,
    text,
)
from fencerun.result import Failure, Leak

from .scripted import HOSTILE, NAME_ERROR, verdict


def test_message() -> None:
    assert message(NAME_ERROR) == (
        "lessons/07.md:41: failed: fence 4, NameError: name 'opt' is not defined"
    )


def test_the_failure_speaks_where_the_verdict_is_silent() -> None:
    silent = verdict("failed", failure=Failure("timeout", "no end after 60 s"))
    assert message(silent) == "lessons/07.md:10: failed: fence 1, no end after 60 s"


def test_a_message_is_one_line() -> None:
    assert "\n" not in message(verdict("failed", what=HOSTILE, page="a\nb.md"))


@pytest.mark.parametrize("kind", get_args(VerdictKind))
def test_every_kind_has_words_and_a_severity(kind: VerdictKind) -> None:
    bare = verdict(kind)
    assert message(bare).removeprefix(f"lessons/07.md:10: {kind}: fence 1, ")
    assert severity(kind) in ("error", "outdated", "warning", "note", "ok")
    assert kind in ORDER


@pytest.mark.parametrize("kind", ["passed", "recorded", "elsewhere", "known", "kept", "skipped"])
def test_green_kinds(kind: VerdictKind) -> None:
    assert not needs_attention(verdict(kind))


@pytest.mark.parametrize("kind", get_args(VerdictKind))
def test_what_turns_a_run_red_is_shown_and_nothing_else(kind: VerdictKind) -> None:
    status, _ = exit_code([verdict("passed", 2), verdict(kind)], [])
    assert needs_attention(verdict(kind)) is (status != 0)
    expected = {1: "outdated", 4: "error", 5: "warning"}
    assert status == 0 or severity(kind) == expected[status]


def test_problem() -> None:
    problem = Problem("x.md", 3, "twice", "fence 3 is there twice", "Renumber one.")
    expected = "x.md:3: problem: fence 3 is there twice. Renumber one. [twice]"
    assert text(problem_head(problem)) == expected


def test_warning() -> None:
    problem = Problem("x.md", 3, "cites", "is fence 9 gone?", severity="warning", also=(4,))
    assert text(problem_head(problem)) == "x.md:3: warning: is fence 9 gone? [cites]"
    assert [text(line) for line in problem_also(problem)] == ["x.md:4: also here"]


@pytest.mark.parametrize(
    ("leak", "expected"),
    [
        (Leak("cwd", "/a", "/b"), "x.md:9: leak: fence 2, cwd: /a → /b, undone"),
        (Leak("thread", "", "T-1", undone=False), "x.md:9: leak: fence 2, thread: T-1, not undone"),
        (Leak("umask", line=7, fence=1), "x.md:7: leak: fence 1, umask, undone"),
    ],
)
def test_leak(leak: Leak, expected: str) -> None:
    assert text(leak_head(verdict("passed", 2, 9, "x.md"), leak)) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.0, "0 ms"),
        (-0.1, "0 ms"),
        (0.0124, "12 ms"),
        (0.9994, "999 ms"),
        (0.9999, "1.0 s"),
        (3.24, "3.2 s"),
        (59.96, "1 min 00 s"),
        (245, "4 min 05 s"),
        (3599.7, "1 h 00 min"),
        (3725, "1 h 02 min"),
    ],
)
def test_duration(seconds: float, expected: str) -> None:
    assert duration(seconds) == expected


def test_a_path_never_begins_a_ci_command() -> None:
    assert location("::error::x.md", 3) == "./::error::x.md:3"
    assert location(" ::error::x.md", 3) == "./ ::error::x.md:3"  # the runner drops the blank
