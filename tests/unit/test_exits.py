"""Exit codes, and never green by accident."""

from __future__ import annotations

from typing import get_args

import pytest

from fencerun.events import Problem, Verdict, VerdictKind
from fencerun.exits import exit_code, rerun


def verdicts(*kinds: VerdictKind) -> list[Verdict]:
    return [Verdict(f"p.md::{n}", kind, "p.md", n, n) for n, kind in enumerate(kinds, 1)]


CODES: dict[VerdictKind, int] = {
    "passed": 0,
    "recorded": 0,
    "elsewhere": 0,
    "known": 0,
    "kept": 0,
    "skipped": 0,
    "changed": 1,
    "rounding": 1,
    "unrecorded": 1,
    "edited": 1,
    "orphan": 1,
    "refused": 1,
    "failed": 4,
    "blocked": 4,
    "stale": 5,
    "missing": 5,
    "expired": 5,
}


def test_every_verdict_has_a_code() -> None:
    assert set(CODES) == set(get_args(VerdictKind))


@pytest.mark.parametrize(("kind", "code"), CODES.items())
def test_beside_a_fence_that_passed(kind: VerdictKind, code: int) -> None:
    assert exit_code(verdicts("passed", kind), ())[0] == code


@pytest.mark.parametrize("kind", ["kept", "skipped", "stale", "missing"])
def test_a_run_that_ran_nothing_is_never_green(kind: VerdictKind) -> None:
    assert exit_code(verdicts(kind, kind), ())[0] == 5


def test_selecting_nothing_is_not_green() -> None:
    code, notes = exit_code((), ())
    assert code == 5
    assert "nothing was checked" in notes[0]
    assert exit_code((), (), allow_empty=True)[0] == 0


@pytest.mark.parametrize(
    ("kinds", "code"),
    [(("changed", "failed"), 4), (("changed", "stale"), 1), (("passed", "stale", "failed"), 4)],
)
def test_the_gravest_wins(kinds: tuple[VerdictKind, ...], code: int) -> None:
    assert exit_code(verdicts(*kinds), ())[0] == code


def test_a_problem_outweighs_verdicts_and_a_warning_does_not() -> None:
    error = Problem("p.md", 1, "x", "broken")
    warning = Problem("p.md", 1, "x", "odd", severity="warning")
    assert exit_code(verdicts("failed"), [error])[0] == 3
    assert exit_code(verdicts("passed"), [warning])[0] == 0


def test_rerun_names_fences_then_pages() -> None:
    assert rerun(verdicts("passed", "changed")) == "fencerun check p.md::2"
    many: list[VerdictKind] = ["failed"] * 9
    assert rerun(verdicts(*many)) == "fencerun check p.md"
    assert rerun(verdicts("passed", "kept")) == ""


def test_rerun_quotes_for_the_shell() -> None:
    odd = [Verdict("a b.md::1", "failed", "a b.md", 1, 1)]
    assert rerun(odd) == "fencerun check 'a b.md::1'"


def test_where_it_is_allowed_that_nothing_runs_recordings_must_still_be_fresh() -> None:
    assert exit_code(verdicts("kept", "skipped"), (), allow_empty=True)[0] == 0
    for kind in ("stale", "missing", "expired"):
        assert exit_code(verdicts("kept", kind), (), allow_empty=True)[0] == 5
