from __future__ import annotations

from typing import Any

import pytest

from fencerun.events import DiffLine, Verdict, VerdictKind
from fencerun.rendering import FenceState, decoration, panel
from fencerun.reporters.wording import ORDER
from fencerun.result import Failure, Leak

from .reading import Elements

HOSTILE = "<script>alert('x')</script>\"&\x1b[31m\u202e"


def state(kind: VerdictKind = "passed", **more: Any) -> FenceState:
    on = more.pop("on", "")
    return FenceState(
        Verdict("page.md::3", kind, "page.md", 3, more.pop("line", 41), **more), on=on
    )


@pytest.mark.parametrize(
    ("known", "word", "shown"),
    [
        (FenceState(), "unknown", ""),
        (FenceState(waiting=True), "waiting", "waiting"),
        (FenceState(running=3.4), "running", "running 3.4 s"),
        (state("passed", seconds=0.012), "ok", "passed 12 ms"),
        (state("changed", seconds=2), "outdated", "changed 2.0 s"),
        (state("failed"), "error", "failed"),
        (state("kept", on="nvidia-h200/torch-2.11.0/2026-11-29"), "note",
         "kept nvidia-h200, 2026-11-29"),
        (state("skipped", reason="no network"), "note", "skipped no network"),
        (state("missing", reason="requires:cuda"), "warning", "missing requires:cuda"),
        (state("elsewhere", seconds=1), "ok", "ran elsewhere 1.0 s"),
    ],
)  # fmt: skip
def test_badges(known: FenceState, word: str, shown: str) -> None:
    assert panel.word(known) == word
    badge = panel.badge(known)
    assert " ".join(Elements(badge).text.split()) == shown
    assert not badge or f'data-state="{word}"' in badge


@pytest.mark.parametrize("kind", ORDER)
def test_every_verdict_has_a_badge_and_a_panel_where_something_is_to_do(kind: VerdictKind) -> None:
    said = decoration(state(kind), "<i></i>")
    assert said.badge and said.actions == "<i></i>"
    quiet = {"passed", "recorded", "elsewhere", "known", "kept", "skipped"}
    assert (said.panel == "") == (kind in quiet)


def test_a_failure_is_shown_with_its_traceback_values_and_output() -> None:
    failure = Failure(
        "exception",
        "AssertionError",
        41,
        'Traceback (most recent call last):\n  File "page.md", line 41, in <module>\n',
        values=(("a < b", "1"),),
    )
    text = Elements(
        panel.panel(
            state("failed", failure=failure, output="printed", stderr="warned", remedy="try `x`")
        )
    ).text
    for part in ("AssertionError", "line 41", 'File "page.md"', "a < b", "printed", "warned", "x"):
        assert part in text


def test_leaks_are_shown_whatever_the_verdict() -> None:
    shown = panel.panel(state("passed", leaks=(Leak("default dtype", "float32", "float64"),)))
    assert "float32</code> → <code>float64" in shown and "undone" in shown


def test_code_between_backticks() -> None:
    assert "Run <code>a &lt; b</code> now" in panel.panel(state("stale", remedy="run `a < b` now"))
    assert "It`s" in panel.panel(state("stale", remedy="it`s"))


def test_a_command_to_paste_is_code() -> None:
    shown = panel.panel(state("failed", remedy="fencerun check 'a & b.md::3'\nmend it"))
    assert "<code>fencerun check &#x27;a &amp; b.md::3&#x27;</code><br>Mend it</p>" in shown


def test_long_outputs_lose_their_middle() -> None:
    lines = "\n".join(f"line {number}" for number in range(2000))
    text = Elements(panel.panel(state("failed", output=lines))).text
    assert "line 0" in text and "line 1999" in text and "line 1000" not in text
    assert "1,600 lines" in text


def test_nothing_that_a_fence_says_is_markup() -> None:
    failure = Failure("exception", HOSTILE, 1, HOSTILE, values=((HOSTILE, HOSTILE),))
    diff = (DiffLine("-", HOSTILE, 1), DiffLine("+", HOSTILE + "x"), DiffLine("~", HOSTILE))
    said = decoration(
        FenceState(
            Verdict(
                HOSTILE, "failed", HOSTILE, 3, 41, HOSTILE, HOSTILE, HOSTILE, 1.0, diff, failure,
                (Leak(HOSTILE, HOSTILE, HOSTILE),), HOSTILE, HOSTILE, HOSTILE, HOSTILE,
            ),
            on=HOSTILE,
        )
    )  # fmt: skip
    kept = decoration(state("kept", on=HOSTILE, what=HOSTILE))
    for html in (said.badge, said.panel, kept.badge):
        found = Elements(html)
        assert "script" not in [tag for tag, _ in found.found]
        assert found.open == [] and found.stray == []
        assert "\x1b" not in html and "\u202e" not in html
