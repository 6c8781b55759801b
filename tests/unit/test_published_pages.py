"""A run says what the project's site makes of its pages, at the right time, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencerun.events import PageDone, ProblemFound

from .course import Course, Run, fence


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "_quarto.yml").write_text("project: {type: book}\n")
    return Course(tmp_path)


def _said(run: Run) -> list[tuple[str, int]]:
    problems = [event.problem for event in run.of(ProblemFound)]
    assert list(run.done.problems) == problems
    assert all(problem.severity == "warning" for problem in problems)
    return [(problem.code, problem.line) for problem in problems]


SHORTCODE = "{{< x >}}"
BRACED = "```python {fence=1}\nx\n```\n"
RECORDED = BRACED + "\n```text {output=1}\n{{< x >}}\n```\n"


def test_a_check_looks_at_what_is_recorded(course: Course) -> None:
    course.page(RECORDED)
    run = course.check(script={1: SHORTCODE})
    assert _said(run) == [("template", 6)]
    assert run.code == 0


def test_a_check_does_not_look_at_what_is_printed(course: Course) -> None:
    course.page(BRACED)
    assert not _said(course.check(script={1: SHORTCODE}))


def test_a_recording_is_looked_at_when_it_is_written(course: Course) -> None:
    course.page(BRACED)
    run = course.record(script={1: SHORTCODE})
    assert _said(run) == [("template", 6)]
    assert run.shape.index("ProblemFound") > run.shape.index("PageDone")
    assert run.code == 0


def test_a_recording_that_is_mended_is_not_warned_of(course: Course) -> None:
    course.page(RECORDED)
    run = course.record(script={1: "mended"})
    assert not _said(run)
    assert run.of(PageDone)[0].written


def test_a_recording_that_stays_is_warned_of(course: Course) -> None:
    course.page(RECORDED)
    assert _said(course.record(script={1: SHORTCODE})) == [("template", 6)]


@pytest.mark.parametrize("verb", ["check", "record"])
def test_one_warning_for_tags_that_are_shown(course: Course, verb: str) -> None:
    course.page(fence("fence:1", "a"), fence("fence:2", "a"))
    run = (
        course.check(script={1: "a", 2: "a"})
        if verb == "check"
        else course.record(script={1: "a", 2: "a"})
    )
    assert _said(run) == [("carrier", 1)]


def test_a_page_that_is_gone_when_it_was_to_be_written(course: Course, tmp_path: Path) -> None:
    page = course.page(BRACED)

    def script(turn: object) -> str:
        page.unlink(missing_ok=True)
        return SHORTCODE

    run = course.record(script=script)
    assert run.kinds == {"1": "refused"}
    assert not _said(run)


def test_pages_without_fences_cost_no_look(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    course.page("# Prose\n", name="a.md")

    def looked(*_: object) -> None:
        pytest.fail("it looked for settings")

    monkeypatch.setattr("fencerun.publishing.finding.Sites.site", looked)
    course.check()
