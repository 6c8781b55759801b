"""A run from pages to exit code, with an engine whose fences print what they are told to."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from engines.scripted import Act, Script, Turn, raised

from fencerun.errors import UsageError
from fencerun.events import (
    Event,
    FenceDone,
    FenceStarted,
    PageDone,
    PageStarted,
    ProblemFound,
    RunStarted,
    VerdictKind,
)
from fencerun.masks import Mask
from fencerun.result import Failure, Leak, Outcome

from .course import Course, Run, fence

CRASH = Failure("crash", "the process died of SIGSEGV (signal 11)", line=2)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    monkeypatch.chdir(tmp_path)
    return Course(tmp_path)


# The stream of events.


def test_events_come_in_order(course: Course) -> None:
    course.page(fence("fence:1", "a"), fence("fence:2"), name="a.md")
    course.page(fence("fence:1", "b"), name="b.md")
    run = course.check(script=lambda turn: turn.page[0] if turn.job.number == 1 else "")
    fenced = ["FenceStarted", "FenceDone"]
    assert run.shape == [
        "RunStarted",
        *["PageStarted", *fenced, *fenced, "PageDone"],
        *["PageStarted", *fenced, "PageDone"],
        "RunDone",
    ]
    assert run.events[0] == RunStarted("check", "scripted", 2, 3)
    assert run.of(PageStarted) == [PageStarted("a.md", 2), PageStarted("b.md", 1)]
    assert run.of(PageDone) == [PageDone("a.md"), PageDone("b.md")]
    assert run.of(FenceStarted)[1] == FenceStarted("a.md::2", "a.md", 2, 9)
    assert run.code == 0


PAGES: dict[str, dict[str, str]] = {
    "one": {"a.md": fence()},
    "no fence": {"a.md": "# Prose\n"},
    "no fence beside one": {"a.md": fence(), "b.md": "# Prose\n"},
    "broken": {"a.md": fence() + fence(), "b.md": fence()},
    "all broken": {"a.md": fence() + fence()},
    "orphan alone": {"a.md": "```text output:1\nx\n```\n"},
    "nothing runs": {"a.md": fence('fence:1 skip:"why"')},
    "unselected": {"a.md": fence(code="word"), "b.md": fence()},
    "warned": {"a.md": "```python\nuntagged\n```\n"},
}


@pytest.mark.parametrize("verb", ["check", "record"])
@pytest.mark.parametrize("pages", PAGES.values(), ids=list(PAGES))
def test_a_run_announces_the_pages_that_it_will_report(
    course: Course, pages: dict[str, str], verb: str
) -> None:
    course.untagged = "warn"
    for name, text in pages.items():
        course.page(text, name=name)
    for word in (None, "word"):
        run = course.run(verb, word=word)
        assert run.of(RunStarted)[0].pages == len(run.of(PageDone))
        assert {event.page for event in run.of(PageStarted)} <= {e.page for e in run.of(PageDone)}


def test_each_fence_has_one_verdict_whatever_happens(course: Course) -> None:
    course.page(
        fence("fence:1"),
        fence("fence:2 continues:1"),
        fence("fence:3 continues:2"),
        fence("fence:4 continues:1"),
        fence('fence:5 continues:1 skip:"why"'),
        fence("fence:6 requires:cuda"),
        fence("fence:7"),
    )
    course.machine.missing = {"cuda": "no CUDA device"}
    run = course.check(script={2: CRASH, 7: raised("KeyError", "k")})
    assert run.kinds == {
        "1": "passed",
        "2": "failed",
        "3": "blocked",
        "4": "passed",
        "5": "skipped",
        "6": "missing",
        "7": "failed",
    }
    assert run.of(RunStarted)[0].fences == 7


# Verdicts.

Arrange = Callable[[Course], Run]


def _gated(act: Act, before: str = "1", after: str = "1", **change: Any) -> Arrange:
    """A fence that needs CUDA and was recorded, then its page changed, then CUDA taken away."""

    def arrange(course: Course) -> Run:
        course.page(fence("fence:1 requires:cuda", code=before), fence("fence:2"))
        assert course.record(script={1: act}).code == 0
        text = course.text().replace(f"\n{before}\n```", f"\n{after}\n```", 1)
        course.page(text.replace(*change.get("text", ("", ""))))
        course.machine.missing = {"cuda": "no CUDA device"}
        course.settings = change.get("settings", {})
        course.today += datetime.timedelta(days=change.get("days", 0))
        return course.check()

    return arrange


def _plain(block: str, act: Act | list[Act], verb: str = "check", **settings: Any) -> Arrange:
    def arrange(course: Course) -> Run:
        course.page(block, fence("fence:2"))
        course.settings = settings
        return course.run(verb, script={1: act})

    return arrange


def _orphan(course: Course) -> Run:
    course.page("```text output:1\ngone\n```\n", fence("fence:2"))
    return course.check()


def _elsewhere(course: Course) -> Run:
    course.page(fence("fence:1 requires:cuda"), fence("fence:2"))
    course.record(script={1: "loss 0.25\n"})
    course.machine.name = "nvidia-a100"
    return course.check(script={1: "loss 0.26\n"})


VERDICTS: dict[VerdictKind, tuple[Arrange, int, str]] = {
    "passed": (_plain(fence(output="a"), "a\n"), 0, ""),
    "changed": (_plain(fence(output="a"), "b\n"), 1, "it printed other text than recorded"),
    "rounding": (_plain(fence(output="0.25"), "0.26\n"), 1, "0.25 recorded, 0.26 printed"),
    "unrecorded": (_plain(fence(), "a\nb\n"), 1, "it printed 2 lines and has no recording"),
    "recorded": (_plain(fence(), "a\n", "record"), 0, "its output is recorded"),
    "failed": (_plain(fence(), raised("KeyError", "k")), 4, "KeyError: k"),
    "blocked": (
        _plain(fence() + "\n" + fence("fence:3 continues:1"), CRASH),
        4,
        "fence 1 before it failed: the process died of SIGSEGV (signal 11)",
    ),
    "known": (_plain(fence(), CRASH, known={"p.md::1": "pytorch#1"}), 0, "the process died"),
    "kept": (_gated("7\n"), 0, "recorded on nvidia-h200 with torch-2.13.0, today"),
    "stale": (_gated("7\n", after="2"), 5, "its code changed since it was recorded"),
    "edited": (
        _gated("7\n", text=("\n7\n", "\n8\n")),
        1,
        "its recorded text was changed by hand",
    ),
    "missing": (
        _gated("7\n", text=("output:1", "output:9")),
        1,
        "never recorded (no CUDA device)",
    ),
    "expired": (
        _gated("7\n", settings={"max_kept_days": 30}, days=31),
        5,
        "31 days ago; the project allows 30 days",
    ),
    "orphan": (_orphan, 1, "its fence is gone, and output:1 is still here"),
    "elsewhere": (_elsewhere, 0, "recorded on nvidia-h200/torch-2.13.0/2026-11-29"),
    "skipped": (_plain(fence('fence:1 skip:"no licence"'), ""), 0, "no licence"),
    "refused": (_plain(fence(), ["a\n", "b\n"], "record"), 1, "line 1 of its output was 'a'"),
}


@pytest.mark.parametrize(("kind", "case"), VERDICTS.items(), ids=list(VERDICTS))
def test_each_kind_of_verdict(
    course: Course, kind: VerdictKind, case: tuple[Arrange, int, str]
) -> None:
    arrange, code, what = case
    run = arrange(course)
    found = [verdict for verdict in run.done.verdicts if verdict.kind == kind]
    assert [v.fence for v in found if v.fence != 2] == [3 if kind == "blocked" else 1]
    assert what in next(v for v in found if v.fence != 2).what
    assert run.code == code


def test_every_kind_of_verdict_is_tried() -> None:
    assert set(VERDICTS) == set(get_args(VerdictKind))


def test_a_failure_is_placed_and_explained(course: Course) -> None:
    course.page(fence("fence:1", code="opt = 1"), fence("fence:2", code="a\nopt.step()"))
    failure = raised("NameError", "name 'opt' is not defined", line=7, missing_name="opt")
    run = course.check(script={2: Outcome(b"before\n", b"warned\n", failure=failure)})
    verdict = run.verdict("2")
    assert (verdict.line, verdict.source) == (7, "opt.step()")
    assert (verdict.output, verdict.stderr) == ("before", "warned")
    assert verdict.remedy == ("`opt` is made by fence 1 (line 1): write `fence:2 continues:1`")
    assert run.done.rerun == "fencerun check p.md::2"


def test_leaks_and_a_replaced_worker_are_passed_on(course: Course) -> None:
    course.page(fence())
    leak = Leak("thread left running", now="pump", undone=False)
    run = course.check(script={1: Outcome(leaks=(leak,), replaced="thread pump")})
    assert run.verdict("1").leaks == (leak,)
    assert run.verdict("1").replaced == "thread pump"
    assert course.check(leaks_are_errors=True).engines[0].options.leaks_are_errors


def test_a_quiet_fence_only_has_to_run(course: Course) -> None:
    course.page(fence("fence:1 quiet"), fence("fence:2 quiet"))
    run = course.check(script={1: "anything\n", 2: CRASH})
    assert run.kinds == {"1": "passed", "2": "failed"}


RAISES: dict[str, tuple[str, Act, str, str]] = {
    "right": ("raises:KeyError", raised("KeyError", "'k'"), "passed", ""),
    "dotted": (
        "raises:errors.Bad",
        Failure("exception", "Bad: x", mro=("pkg.errors.Bad", "Exception"), message="'k'"),
        "changed",
        "other text",
    ),
    "a base": ("raises:Exception", raised("KeyError", "'k'"), "passed", ""),
    "its text": ('raises:"KeyError: k"', raised("KeyError", "'k'"), "passed", ""),
    "other text": (
        'raises:"KeyError: z"',
        raised("KeyError", "'k'"),
        "failed",
        "`raises:KeyError` with 'z', and it raised KeyError: 'k'",
    ),
    "other type": (
        "raises:ValueError",
        raised("KeyError", "'k'"),
        "failed",
        "`raises:ValueError`, and it raised KeyError: 'k'",
    ),
    "nothing": ("raises:KeyError", "", "failed", "`raises:KeyError`, and nothing was raised"),
    "a crash": ("raises:KeyError", CRASH, "failed", "SIGSEGV"),
}


@pytest.mark.parametrize(("tag", "act", "kind", "what"), RAISES.values(), ids=list(RAISES))
def test_raises(course: Course, tag: str, act: Act, kind: str, what: str) -> None:
    course.page(fence(f"fence:1 {tag}", "KeyError: 'k'"))
    run = course.check(script={1: act})
    assert run.kinds == {"1": kind}
    assert what in run.verdict("1").what


def test_a_message_of_several_lines_is_recorded_as_lines(course: Course) -> None:
    course.page(fence("fence:1 raises:RuntimeError"))
    script = {1: Outcome(b"no line end", failure=raised("RuntimeError", "a\tb \n  c\x07\n\nmore"))}
    assert course.record(script=script).code == 0
    assert course.text().endswith(
        "```text output:1\nno line end\nRuntimeError: a\tb\n  c\\x07\n```\n"
    )
    assert course.check(script=script).kinds == {"1": "passed"}


def test_what_an_expected_exception_leaves_goes_on(course: Course) -> None:
    course.page(fence("fence:1 raises:KeyError", "KeyError"), fence("fence:2 continues:1"))
    run = course.check(script={1: raised("KeyError")})
    assert run.kinds == {"1": "passed", "2": "passed"}


@pytest.mark.parametrize("act", ["", raised("ValueError")], ids=["none", "another"])
def test_an_exception_that_was_expected_in_vain_blocks(course: Course, act: Act) -> None:
    course.page(
        fence("fence:1 raises:KeyError"),
        fence("fence:2 continues:1"),
        fence("fence:3 continues:2"),
    )
    for targets in ((), ("p.md::2", "p.md::3")):
        run = course.check(*targets, script={1: act})
        assert {run.kinds["2"], run.kinds["3"]} == {"blocked"}
        assert "fence 1 before it failed: `raises:KeyError`" in run.verdict("3").what


# Chains.


def test_a_chain_is_one_script_and_a_second_heir_runs_its_past_again(course: Course) -> None:
    course.page(
        fence("fence:1", "1"),
        fence("fence:2 continues:1", "2"),
        fence("fence:3 continues:1", "3"),
    )
    run = course.check(script=lambda turn: str(turn.job.number))
    assert run.ran == ["p.md::1", "p.md::2", "p.md::1", "p.md::3"]
    assert run.kinds == {"1": "passed", "2": "passed", "3": "passed"}
    assert run.of(PageStarted) == [PageStarted("p.md", 3)]


def test_what_an_uncompared_step_prints_is_nobodys_concern(course: Course) -> None:
    course.page(fence("fence:1", "as ever"), fence("fence:2 continues:1"))
    run = course.check("p.md::2", script={1: "something else"})
    assert run.kinds == {"2": "passed"}
    assert run.code == 0


def test_an_uncompared_step_that_fails_blocks_by_name(course: Course) -> None:
    course.page(fence("fence:1"), fence("fence:2 continues:1"), fence("fence:3 continues:2"))
    run = course.check("p.md::3", script={1: raised("KeyError", "k")})
    assert run.kinds == {"3": "blocked"}
    assert run.verdict("3").what == "fence 1 before it failed: KeyError: k"
    assert run.verdict("3").remedy == "mend fence 1 (line 1)"
    assert run.code == 4


@pytest.mark.parametrize(
    ("infos", "isolated"),
    [
        (("fence:1", "fence:2 continues:1 isolated"), [True]),
        (("fence:1", "fence:2 isolated"), [False, True]),
        (("fence:1 requires:cxx", "fence:2 continues:1"), [True]),
        (("fence:1 requires:nvcc", "fence:2"), [True, False]),
    ],
)
def test_chains_that_get_a_process_of_their_own(
    course: Course, infos: tuple[str, ...], isolated: list[bool]
) -> None:
    """Those that ask for it, and those that load what a compiler made."""
    course.page(*map(fence, infos))
    (engine,) = course.check().engines
    assert [chain.isolated for chain in engine.chains] == isolated


def test_jobs_carry_what_the_page_says(course: Course) -> None:
    front = "---\nfencerun: {op_namespace: pytc, timeout: 7}\n---\n\n"
    tags = "stderr echo timeout:2.5 allows:aten,lab raises:KeyError"
    course.page(fence(f"fence:1 {tags}", code="a\nb"), fence("fence:2"), front=front)
    first, second = (chain.jobs[0] for chain in course.check().engines[0].chains)
    assert (first.stderr, first.echo, first.timeout) == (True, True, 2.5)
    assert (first.op_namespace, first.allows) == ("pytc_f1", ("aten", "lab"))
    assert (first.code, first.line, first.may_raise) == ("a\nb\n", 6, True)
    assert (second.timeout, second.may_raise, second.echo) == (7, False, False)


# Selection.


def test_selection_by_fence_line_and_word(course: Course) -> None:
    course.page(fence("fence:1", code="apple"), fence("fence:2", "b", code="pear"))
    assert course.check("p.md::2").kinds.keys() == {"2"}
    assert course.check("p.md:2").kinds.keys() == {"1"}
    assert course.check("p.md:11").kinds.keys() == {"2"}
    assert course.check(word="PEAR").kinds.keys() == {"2"}
    assert course.check(word="nowhere").code == 5
    assert course.check(word="nowhere", allow_empty=True).code == 0


@pytest.mark.parametrize("target", ["p.md::9", "p.md:4"])
def test_a_target_that_names_no_fence_is_a_mistake_in_the_call(course: Course, target: str) -> None:
    course.page(fence("fence:1"))
    for targets in ((target,), ("p.md::1", target)):
        with pytest.raises(UsageError, match=target):
            course.check(*targets)


def test_only_the_chosen_pages_are_read(course: Course) -> None:
    course.page(fence(), name="a.md")
    course.page("```python fence:0\n", name="broken.md")
    assert course.check("a.md").code == 0


# Problems.


def test_a_broken_page_does_not_stop_the_others(course: Course) -> None:
    course.page(fence() + fence(), name="a.md")
    course.page(fence(), name="b.md")
    course.page("```python fence:1 requires:cudaa varies:tyme\n```\n", name="c.md")
    course.page(b"\xff".decode("latin-1"), name="d.md")
    run = course.check()
    assert run.kinds == {"b.md::1": "passed"}
    found = [(event.problem.page, event.problem.code) for event in run.of(ProblemFound)]
    assert found == [("a.md", "number-twice"), ("c.md", "requires"), ("c.md", "varies")]
    assert run.code == 3
    assert run.shape.index("ProblemFound") == 1


def test_a_broken_page_is_not_recorded(course: Course) -> None:
    text = fence() + fence() + "\n```text output:7\norphan\n```\n"
    course.page(text)
    run = course.record(script=lambda _: "out", only=("unrecorded", "orphan"))
    assert (course.text(), run.kinds, run.code) == (text, {}, 3)


def test_requirements_are_asked_once(course: Course) -> None:
    course.page(fence("fence:1 requires:cuda"), fence("fence:2 requires:cuda"))
    course.check()
    assert course.machine.asked == ["cuda"]


# Recording.


def test_record_then_check(course: Course) -> None:
    course.page(fence("fence:1"), fence("fence:2", "old"), fence("fence:3", "same"))
    script: Script = {1: "one\ntwo\n", 2: "new\n", 3: "same\n"}
    run = course.record(script=script)
    assert run.kinds == {"1": "recorded", "2": "recorded", "3": "passed"}
    assert course.text() == "\n".join(
        [fence("fence:1", "one\ntwo"), fence("fence:2", "new"), fence("fence:3", "same")]
    )
    assert run.of(PageDone) == [PageDone("p.md", written=True)]
    assert run.code == 0
    assert course.check(script=script).code == 0


def test_what_prints_nothing_any_more_loses_its_recording(course: Course) -> None:
    course.page(fence("fence:1", "old"))
    assert course.record().kinds == {"1": "recorded"}
    assert course.text() == fence("fence:1")


def test_only_what_passed_is_recorded(course: Course) -> None:
    page = course.page(
        fence("fence:1", "old"),
        fence("fence:2 continues:1", "old"),
        fence('fence:3 skip:"why"', "old"),
        fence("fence:4 requires:cuda", "old"),
        fence("fence:5", "old"),
    )
    course.machine.missing = {"cuda": "no CUDA device"}
    before = page.read_text()
    run = course.record(script={1: raised("KeyError"), 5: "new\n"})
    assert run.kinds == {
        "1": "failed",
        "2": "blocked",
        "3": "skipped",
        "4": "stale",
        "5": "recorded",
    }
    assert course.text() == before.replace("output:5\nold", "output:5\nnew")
    assert run.code == 4


def test_an_unchanged_page_keeps_its_mtime(course: Course) -> None:
    page = course.page(fence("fence:1", "a"))
    os.utime(page, ns=(1, 1))
    run = course.record(script={1: "a\n"})
    assert page.stat().st_mtime_ns == 1
    assert run.of(PageDone) == [PageDone("p.md", written=False)]


def test_a_dry_run_writes_nothing_and_says_what_it_would(course: Course) -> None:
    text = "\n".join([fence("fence:1"), fence("fence:2 requires:cuda", "a")])
    page = course.page(text)
    os.utime(page, ns=(1, 1))
    run = course.record(script={1: "a\n", 2: "a\n"}, dry_run=True)
    assert run.kinds == {"1": "unrecorded", "2": "passed"}
    assert run.verdict("1").diff
    assert (course.text(), page.stat().st_mtime_ns, run.code) == (text, 1, 1)
    assert [path.name for path in course.directory.iterdir()] == ["p.md"]


ONLY: dict[tuple[str, ...], set[str]] = {
    ("unrecorded",): {"1"},
    ("changed",): {"2"},
    ("rounding",): {"3"},
    ("orphan",): {"9"},
    ("unrecorded", "rounding"): {"1", "3"},
}


@pytest.mark.parametrize(("only", "recorded"), ONLY.items(), ids=map(",".join, ONLY))
def test_only(course: Course, only: tuple[str, ...], recorded: set[str]) -> None:
    orphan = "```text output:9\ngone\n```\n"
    course.page(fence("fence:1"), fence("fence:2", "a"), fence("fence:3", "0.1"), orphan)
    before = course.text()
    run = course.record(script={1: "x\n", 2: "b\n", 3: "0.101\n"}, only=only)
    assert {id for id, kind in run.kinds.items() if kind == "recorded"} == recorded
    assert ("output:1" in course.text()) == ("1" in recorded)
    assert ("\nb\n" in course.text()) == ("2" in recorded)
    assert ("0.101" in course.text()) == ("3" in recorded)
    assert ("gone" in course.text()) == ("9" not in recorded)
    assert run.code == 1
    assert course.text() != before


def test_an_orphan_is_removed_only_when_asked(course: Course) -> None:
    orphan = "```text output:9\ngone\n```\n"
    course.page(fence("fence:1"), orphan)
    run = course.record()
    assert run.kinds == {"1": "passed", "9": "orphan"}
    assert run.verdict("9").remedy == "fencerun record --only orphan p.md"
    assert "gone" in course.text()
    run = course.record(only=("orphan",))
    assert (run.kinds["9"], run.code) == ("recorded", 0)
    assert course.text() == fence("fence:1")


def test_no_orphan_is_seen_from_a_part_of_its_page(course: Course) -> None:
    course.page(fence("fence:1"), fence("fence:2"), "```text output:9\ngone\n```\n")
    run = course.record("p.md::1", only=("orphan",))
    assert run.kinds == {"1": "passed"}
    assert "gone" in course.text()


def test_pages_are_written_as_they_end_and_an_interrupt_keeps_them(course: Course) -> None:
    for name in ("a.md", "b.md", "c.md"):
        course.page(fence("fence:1"), fence("fence:2"), name=name)

    def script(turn: Turn) -> Act:
        if turn.page == "b.md" and turn.job.number == 2:
            assert "output:2" in course.text("a.md")
            raise KeyboardInterrupt
        return "out\n"

    run = course.record(script=script)
    assert (run.code, run.done.interrupted) == (130, True)
    assert course.text("a.md").count("out\n") == 2
    assert "output" not in course.text("b.md") + course.text("c.md")
    assert run.kinds.keys() == {"a.md::1", "a.md::2"}
    assert run.engines[0].closed
    assert run.done.rerun == "fencerun record b.md c.md"
    assert not run.done.notes


def test_an_interrupt_before_anything_ran_says_how_to_go_on_and_nothing_false(
    course: Course,
) -> None:
    course.page(fence("fence:1"), fence("fence:2"))

    def script(turn: Turn) -> Act:
        raise KeyboardInterrupt

    run = course.check("p.md::1", script=script)
    assert (run.code, run.done.notes) == (130, ())
    assert run.done.rerun == "fencerun check p.md::1"


def test_what_is_known_of_no_fence_is_a_warning(course: Course) -> None:
    course.settings = {"known": {"p.md::1": "x#1", "p.md::7": "x#2", "q.md::7": "x#3"}}
    course.page(fence("fence:1"))
    run = course.check("p.md", script={1: Failure("exception", "no")})
    assert [(p.severity, p.code) for p in run.done.problems] == [("warning", "known")]
    assert "p.md::7" in run.done.problems[0].what
    assert run.code == 0


def test_stopping_at_the_first(course: Course) -> None:
    course.page(fence("fence:1", "a"), fence("fence:2", "a"), fence("fence:3"), name="a.md")
    course.page(fence("fence:1"), name="b.md")
    run = course.check(script={1: "a", 2: "b"}, fail_fast=True)
    assert run.kinds == {"a.md::1": "passed", "a.md::2": "changed"}
    assert run.code == 1
    assert "-x" in run.done.notes[0]


def test_stopping_at_the_first_ends_a_page_that_is_recorded(course: Course) -> None:
    course.page(fence("fence:1"), fence("fence:2"), fence("fence:3"), name="a.md")
    course.page(fence("fence:1"), name="b.md")
    run = course.record(script={1: "a", 2: CRASH, 3: "c"}, fail_fast=True)
    assert run.kinds == {"a.md::1": "recorded", "a.md::2": "failed", "a.md::3": "recorded"}
    assert "output:3" in course.text("a.md")


# Edits while a page runs.


def _editing(course: Course, old: str, new: str, acts: dict[int, Act]) -> Script:
    """Edits the page, as an author would, while fence 1 runs."""

    def script(turn: Turn) -> Act:
        if turn.job.number == 1 and turn.time == 1:
            path = course.directory / "p.md"
            assert old in path.read_text()
            path.write_text(path.read_text().replace(old, new, 1))
        return acts.get(turn.job.number, "")

    return script


def test_an_edit_made_meanwhile_survives(course: Course) -> None:
    course.page("Prose.\n", fence("fence:1", code="a"), fence("fence:2", code="b"))
    script = _editing(course, "Prose.\n", "Better prose.\n\nMore of it.\n", {1: "1", 2: "2"})
    run = course.record(script=script)
    assert run.kinds == {"1": "recorded", "2": "recorded"}
    assert course.text().startswith("Better prose.\n\nMore of it.\n")
    assert "output:1\n1\n" in course.text() and "output:2\n2\n" in course.text()


def test_a_fence_edited_meanwhile_is_refused_by_name(course: Course) -> None:
    course.page(
        fence("fence:1", code="aa"),
        fence("fence:2", code="bb"),
        fence("fence:3 continues:2", code="cc"),
    )
    run = course.record(script=_editing(course, "bb", "BB", {1: "1", 2: "2", 3: "3"}))
    assert run.kinds == {"1": "recorded", "2": "refused", "3": "refused"}
    assert run.verdict("2").what == "it was edited while it ran"
    assert run.verdict("2").remedy == "fencerun record p.md::2"
    assert run.code == 1
    assert "BB" in course.text() and "output:1" in course.text()
    assert "output:2" not in course.text() and "output:3" not in course.text()


def test_a_projects_continues_previous_counts_as_a_link(course: Course) -> None:
    from fencerun.frontmatter import PageSettings
    from fencerun.tags import Tags

    course.settings = {"defaults": PageSettings(defaults=Tags(continues="previous"))}
    course.page(fence("fence:1", code="aa"), fence("fence:2", code="bb"))
    run = course.record(script=_editing(course, "aa", "AA", {2: "2"}))
    assert run.kinds == {"1": "passed", "2": "refused"}


def test_a_page_that_cannot_be_written_does_not_stop_the_others(course: Course) -> None:
    course.page(fence("fence:1"), name="a.md").chmod(0o444)
    course.page(fence("fence:1"), name="b.md")
    gone = course.page(fence("fence:1"), name="c.md")

    def script(turn: Turn) -> Act:
        if turn.page == "c.md":
            gone.unlink(missing_ok=True)
        return "out"

    run = course.record(script=script)
    assert run.kinds == {"a.md::1": "refused", "b.md::1": "recorded", "c.md::1": "refused"}
    assert "read-only" in run.verdict("a.md::1").what
    assert "chmod u+w" in run.verdict("a.md::1").remedy
    assert run.code == 1
    assert "output" not in course.text("a.md")


# Proof.


def test_what_differs_in_the_second_run_is_refused(course: Course) -> None:
    course.page(fence("fence:1"), fence("fence:2"))
    run = course.record(script={1: ["a\ntook 1.2 s\n", "a\ntook 3.4 s\n"], 2: "fine\n"})
    assert run.kinds == {"1": "refused", "2": "recorded"}
    verdict = run.verdict("1")
    assert verdict.what == (
        "it printed something else in a fresh process: "
        "line 2 of its output was 'took 1.2 s', then 'took 3.4 s'"
    )
    assert verdict.remedy == "add `varies:time` to the fence"
    assert run.code == 1
    assert "output:1" not in course.text() and "output:2" in course.text()


def test_only_what_is_new_is_run_twice(course: Course) -> None:
    course.page(fence("fence:1", "same"), fence("fence:2"), fence("fence:3 continues:1"))
    run = course.record(script={1: "same", 2: "new"})
    assert run.ran == ["p.md::1", "p.md::3", "p.md::2", "p.md::2"]
    assert course.record(script={1: "same", 2: "new"}).ran == ["p.md::1", "p.md::3", "p.md::2"]


def test_once(course: Course) -> None:
    course.page(fence("fence:1"))
    run = course.record(script={1: ["a\n", "b\n"]}, once=True)
    assert (run.kinds, run.ran) == ({"1": "recorded"}, ["p.md::1"])


def test_what_takes_long_is_not_run_twice(course: Course) -> None:
    course.page(fence("fence:1"), fence("fence:2 continues:1"))
    slow: Script = {1: Outcome(seconds=1.9), 2: [Outcome(b"a\n", seconds=0.2), "b\n"]}
    assert course.record("p.md::2", script=slow).kinds == {"2": "recorded"}


# Known faults, untagged blocks.


def test_known_faults(course: Course) -> None:
    course.settings = {"known": {"p.md::1": "pytorch#1", "p.md::3": "x#2"}}
    course.page(fence("fence:1"), fence("fence:2 continues:1"), fence("fence:3"))
    run = course.check(script={1: raised("KeyError")})
    assert run.kinds == {"1": "known", "2": "known", "3": "failed"}
    assert "listed as known to fail (x#2)" in run.verdict("3").what
    assert (run.verdict("1").reason, run.verdict("2").reason) == ("pytorch#1", "pytorch#1")


def test_a_known_difference_is_not_recorded(course: Course) -> None:
    course.settings = {"known": {"p.md::1": "pytorch#1"}}
    course.page(fence("fence:1", "right"))
    run = course.record(script={1: "wrong"})
    assert (run.kinds, run.code) == ({"1": "known"}, 0)
    assert course.text() == fence("fence:1", "right")


@pytest.mark.parametrize(("untagged", "code"), [("ignore", 0), ("warn", 0), ("error", 3)])
def test_untagged_blocks(course: Course, untagged: str, code: int) -> None:
    course.untagged = untagged
    course.page(fence("fence:1"), "```python\nx\n```\n", "```python fence:none\nx\n```\n")
    run = course.check()
    assert run.code == code
    assert [e.problem.line for e in run.of(ProblemFound)] == [5] * (untagged != "ignore")


# Requirements.


def _on(course: Course) -> str:
    """What the recordings of the page say of where they are from, without the keys."""
    lines = [line for line in course.text().split("\n") if "output:" in line]
    return " ".join(word for line in lines for word in line.split() if word.startswith("on:"))


def test_provenance_says_where_and_stays_until_something_changes(course: Course) -> None:
    course.page(fence("fence:1 requires:cuda", code="a"), fence("fence:2 requires:slow"))
    script: Script = {1: "7\n"}
    assert course.record(script=script).code == 0
    assert _on(course) == "on:nvidia-h200/torch-2.13.0/2026-11-29 on:cpu/torch-2.13.0/2026-11-29"
    assert "output:2 key:" in course.text(), "a gated fence is recorded even when it is silent"

    first = course.text()
    course.today += datetime.timedelta(days=3)
    assert not course.record(script=script).of(PageDone)[0].written
    assert course.text() == first

    course.page(first.replace("\na\n", "\nb\n"))
    run = course.record(script=script)
    assert run.kinds == {"1": "passed", "2": "passed"}
    assert run.of(PageDone)[0].written
    assert _on(course) == "on:nvidia-h200/torch-2.13.0/2026-12-02 on:cpu/torch-2.13.0/2026-11-29"

    assert course.record(script=script, renew=True).of(PageDone)[0].written
    assert _on(course) == "on:nvidia-h200/torch-2.13.0/2026-12-02 on:cpu/torch-2.13.0/2026-12-02"


def test_stale_recordings_are_freshened_only_when_asked(course: Course) -> None:
    course.page(fence("fence:1 requires:cuda", code="a"))
    course.record(script={1: "7\n"})
    course.page(course.text().replace("\na\n", "\nb\n"))
    stale = course.text()
    for only in (("orphan",), ("changed",)):
        course.record(script={1: "7\n"}, only=only)
        assert course.text() == stale
    course.record(script={1: "8\n"}, only=("unrecorded",))
    assert course.text() == stale
    run = course.record(script={1: "8\n"}, only=("stale",))
    assert run.kinds == {"1": "recorded"}
    assert "\n8\n" in course.text()
    course.machine.missing = {"cuda": "none"}
    assert course.check().kinds == {"1": "kept"}


def test_a_stamp_that_is_refused_is_told(course: Course) -> None:
    course.page(fence("fence:1"), fence("fence:2 requires:cuda", "7", code="bb"))
    run = course.record(script=_editing(course, "bb", "BB", {2: "7\n"}))
    assert run.kinds == {"1": "passed", "2": "refused"}
    assert run.code == 1


def test_on_another_device_numbers_are_free_and_provenance_stays(course: Course) -> None:
    course.page(fence("fence:1 requires:cuda", code="a"))
    course.record(script={1: "loss 0.25 of 3\n"})
    recorded = course.text()
    course.machine.name = "nvidia-a100"
    for renew in (False, True):
        run = course.record(script={1: "loss 0.26 of 3\n"}, renew=renew)
        assert run.kinds == {"1": "elsewhere"}
        assert course.text() == recorded
    assert course.check(script={1: "loss 0.26 of 4\n"}).kinds == {"1": "changed"}


def test_another_device_is_no_excuse_once_the_code_changed(course: Course) -> None:
    course.page(fence("fence:1 requires:cuda", code="a"))
    course.record(script={1: "loss 0.25\n"})
    course.machine.name = "nvidia-a100"
    course.page(course.text().replace("\na\n", "\nb\n"))
    assert course.check(script={1: "loss 0.26\n"}).kinds == {"1": "rounding"}
    assert course.record(script={1: "loss 0.26\n"}).kinds == {"1": "recorded"}
    assert "0.26" in course.text() and "nvidia-a100" in _on(course)


def test_requirements_reach_what_continues_them(course: Course) -> None:
    course.page(fence("fence:1 requires:cuda"), fence("fence:2 continues:1", code="b"))
    course.record(script={2: "7\n"})
    assert course.text().count("key:") == 2
    course.machine.missing = {"cuda": "no CUDA device"}
    assert course.check().kinds == {"1": "kept", "2": "kept"}
    assert course.check().code == 5, "nothing ran"
    course.page(course.text().replace("\nx\n", "\ny\n"))
    assert course.check().kinds == {"1": "stale", "2": "stale"}


def test_a_module_beside_the_page_belongs_to_the_code(course: Course) -> None:
    course.page(fence("fence:1 requires:cuda", code="import helper"), fence("fence:2"))
    (course.directory / "helper.py").write_text("x = 1\n")
    course.record(script={1: "7\n"})
    course.machine.missing = {"cuda": "no CUDA device"}
    assert course.check().kinds["1"] == "kept"
    (course.directory / "helper.py").write_text("x = 2\n")
    assert course.check().kinds["1"] == "stale"


def test_masks_of_the_project(course: Course) -> None:
    course.masks = (Mask("run", r"run-[0-9]+", "<run>"),)
    course.page(fence("fence:1 mask:run"))
    assert course.record(script={1: ["see run-17\n", "see run-18\n"]}).code == 0
    assert course.text() == fence("fence:1 mask:run", "see <run>")
    assert course.check(script={1: "see run-19\n"}).code == 0
    course.page(fence("fence:1 mask:runs"))
    run = course.check()
    assert run.code == 3
    assert run.of(ProblemFound)[0].problem.remedy == "did you mean `run`?"


def test_verdicts_are_told_as_they_come(course: Course) -> None:
    """Check tells each fence before the next one starts."""
    course.page(fence("fence:1"), fence("fence:2"))
    seen: list[Event] = []
    course.watch = seen.append

    def script(turn: Turn) -> Act:
        assert sum(isinstance(event, FenceDone) for event in seen) == turn.job.number - 1
        return ""

    course.check(script=script)


def test_a_page_that_cannot_be_read_is_its_own_problem(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.page(fence(), name="a.md")
    course.page(fence(), name="b.md")
    opened = os.open

    def closed(path: str, *how: int) -> int:
        if path == "a.md":
            raise PermissionError(13, "Permission denied")
        return opened(path, *how)

    monkeypatch.setattr(os, "open", closed)
    run = course.check(script={1: ""})
    assert run.kinds == {"b.md::1": "passed"}
    [found] = run.done.problems
    assert (found.page, found.code, found.severity) == ("a.md", "unreadable", "error")
    assert found.what == "it cannot be read: Permission denied"
    assert found.remedy.startswith("run `chmod u+r a.md`")
    assert run.code == 3
