"""Figures of a page: compared, written with it or not at all, kept, brought in from elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from engines.scripted import Turn

from fencerun import figurefiles, files
from fencerun.events import ProblemFound
from fencerun.figures import Figure
from fencerun.reader import parse
from fencerun.result import Outcome
from fencerun.runs import Told

from .course import Course, Run, fence

FENCE = fence("fence:1 figure:loss.svg")
REGION = "\n<!-- output:1 -->\n\n![loss](figures/loss.svg)\n\n<!-- /output:1 -->\n"


def svg(*texts: str, x: float = 10) -> str:
    inner = "".join(f'<g id="text_{n}"><text x="{x}">{t}</text></g>' for n, t in enumerate(texts))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{inner}</svg>\n'


def drew(*drawings: str, printed: str = "") -> Outcome:
    return Outcome(printed.encode(), figures=drawings)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    monkeypatch.chdir(tmp_path)
    return Course(tmp_path)


def drawn(course: Course) -> dict[str, str]:
    found = sorted((course.directory / "figures").glob("*"))
    return {path.name: path.read_text() for path in found}


def test_a_first_figure(course: Course) -> None:
    course.page(FENCE)
    run = course.check(script={1: drew(svg("a"))})
    assert run.verdict("1").what == "it drew 1 figure and has no recording"
    assert run.code == 1
    assert course.record(script={1: drew(svg("a"))}).kinds == {"1": "recorded"}
    assert course.text() == FENCE + REGION
    assert drawn(course) == {"loss.svg": svg("a") + "<!-- fencerun: p.md -->\n"}
    assert course.check(script={1: drew(svg("a"))}).kinds == {"1": "passed"}


def test_what_was_printed_and_drawn(course: Course) -> None:
    course.page(FENCE)
    script = {1: drew(svg("a"), svg("b"), printed="one\n")}
    run = course.check(script=script)
    assert run.verdict("1").what == "it drew 2 figures and printed 1 line and has no recording"
    course.record(script=script)
    assert "```text\none\n```\n\n![loss-1](figures/loss-1.svg)\n\n![loss-2]" in course.text()
    assert sorted(drawn(course)) == ["loss-1.svg", "loss-2.svg"]


@pytest.mark.parametrize(
    ("now", "what"),
    [
        pytest.param(drew(svg("b")), "figures/loss.svg: `text` in `text_0` says 'b', and said 'a'",
                     id="other-text"),
        pytest.param(drew(svg("a", x=12)), "differs by 2, and 1 is allowed", id="moved"),
        pytest.param(drew(svg("a"), svg("b")),
                     "it drew loss-1.svg, loss-2.svg, and its recording shows loss.svg", id="more"),
        pytest.param(drew(svg("a"), printed="text\n"), "it printed other text than recorded",
                     id="text"),
        pytest.param(drew(svg("b"), printed="text\n"),
                     "it printed other text than recorded; figures/loss.svg: `text` in", id="both"),
    ],
)  # fmt: skip
def test_changed(course: Course, now: Outcome, what: str) -> None:
    course.page(FENCE)
    course.record(script={1: drew(svg("a"))})
    run = course.check(script={1: now})
    assert (run.kinds, run.code) == ({"1": "changed"}, 1)
    assert what in run.verdict("1").what
    assert course.record(script={1: now}).kinds == {"1": "recorded"}
    assert course.check(script={1: now}).kinds == {"1": "passed"}


def test_a_figure_that_moved_within_the_tolerance_stays_as_it_is(course: Course) -> None:
    course.page(FENCE)
    course.record(script={1: drew(svg("a"))})
    run = course.record(script={1: drew(svg("a", x=10.5))})
    assert run.kinds == {"1": "passed"}
    assert svg("a") in drawn(course)["loss.svg"]


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (lambda path: path.unlink(), "there is no such file"),
        (lambda path: path.write_text("<svg"), "it is no SVG"),
        (lambda path: path.write_bytes(b"\xff"), "it is no SVG"),
        (lambda path: path.write_text(svg("edited")), "says 'a', and said 'edited'"),
    ],
    ids=["gone", "broken", "bytes", "edited"],
)
def test_a_file_that_was_touched(course: Course, damage: object, what: str) -> None:
    course.page(FENCE)
    course.record(script={1: drew(svg("a"))})
    damage(course.directory / "figures/loss.svg")  # type: ignore[operator]
    run = course.check(script={1: drew(svg("a"))})
    assert what in run.verdict("1").what
    page = course.text()
    assert course.record(script={1: drew(svg("a"))}).kinds == {"1": "recorded"}
    assert svg("a") in drawn(course)["loss.svg"]
    assert course.text() == page


def test_alt_text_is_the_authors(course: Course) -> None:
    course.page(FENCE + REGION.replace("![loss]", "![The loss falls]"))
    course.record(script={1: drew(svg("a"))})
    assert course.check(script={1: drew(svg("a"))}).kinds == {"1": "passed"}
    course.record(script={1: drew(svg("b"), printed="text\n")})
    assert "```text\ntext\n```\n\n![The loss falls](figures/loss.svg)\n" in course.text()


def test_files_that_are_shown_no_more_go(course: Course) -> None:
    course.page(FENCE)
    course.record(script={1: drew(svg("a"), svg("b"))})
    course.record(script={1: drew(svg("a"))})
    assert sorted(drawn(course)) == ["loss.svg"]
    course.page("text", REGION)
    run = course.record(only=("orphan",))
    assert run.kinds == {"1": "recorded"}
    assert not (course.directory / "figures").exists()


def test_dry_runs_and_refused_pages_leave_the_files_alone(course: Course) -> None:
    path = course.page(FENCE)
    assert course.record(script={1: drew(svg("a"))}, dry_run=True).code == 1
    assert not (course.directory / "figures").exists()
    path.chmod(0o444)
    run = course.record(script={1: drew(svg("a"))})
    assert run.kinds == {"1": "refused"}
    assert not (course.directory / "figures").exists()
    path.chmod(0o644)
    course.record(script={1: drew(svg("a"))})
    path.chmod(0o444)
    course.record(script={1: drew(svg("b"), printed="text")})
    assert svg("a") in drawn(course)["loss.svg"]


def test_a_fence_that_was_edited_meanwhile_writes_no_figure(course: Course) -> None:
    path = course.page(FENCE, fence("fence:2 figure:other.svg"))

    def script(turn: Turn) -> Outcome:
        if turn.job.number == 1:
            path.write_text(path.read_text().replace("x\n", "y\n", 1))
        return drew(svg("a"))

    assert course.record(script=script, once=True).kinds == {"1": "refused", "2": "recorded"}
    assert sorted(drawn(course)) == ["other.svg"]


def test_what_is_drawn_differently_each_time_is_refused(course: Course) -> None:
    course.page(FENCE)
    run = course.record(script={1: [drew(svg("a")), drew(svg("b"))]})
    assert run.kinds == {"1": "refused"}
    assert "drew something else in a fresh process: `text` in `text_0`" in run.verdict("1").what
    assert not (course.directory / "figures").exists()
    run = course.record(script={1: [drew(svg("a"), printed="1"), drew(svg("a"), printed="2")]})
    assert "line 1 of its output was '1', then '2'" in run.verdict("1").what


def test_a_file_that_is_not_ours_is_not_written_over(course: Course) -> None:
    course.page(FENCE)
    (course.directory / "figures").mkdir()
    (course.directory / "figures/loss.svg").write_text("<svg/>")
    run = course.record(script={1: drew(svg("a"))})
    assert run.kinds == {"1": "refused"}
    assert "fencerun did not write it" in run.verdict("1").what
    assert drawn(course) == {"loss.svg": "<svg/>"}
    assert course.text() == FENCE


def test_two_pages_do_not_share_a_figure(course: Course) -> None:
    course.page(FENCE, name="a--b.md")
    course.record(script={1: drew(svg("a"))})
    course.page(FENCE, name="q.md")
    run = course.record("q.md", script={1: drew(svg("q"))})
    [found] = run.of(ProblemFound)
    assert (found.problem.line, found.problem.code) == (1, "figure")
    assert "figures/loss.svg is a figure of a--b.md" in found.problem.what
    (course.directory / "a--b.md").unlink()
    assert course.record("q.md", script={1: drew(svg("q"))}).kinds == {"q.md::1": "recorded"}


def test_two_pages_do_not_share_a_figure_that_they_draw_alike(course: Course) -> None:
    """Neither in one run, nor in two: whichever changed first would undo the other's."""
    for name in ("a.md", "q.md"):
        course.page(FENCE, name=name)
    run = course.record(script={1: drew(svg("a"))})
    assert run.kinds == {"a.md::1": "recorded", "q.md::1": "refused"}
    assert "it is a figure of a.md" in run.verdict("q.md::1").what
    assert run.verdict("q.md::1").remedy == "give one of the two another name"
    assert course.text("q.md") == FENCE
    course.page(FENCE + REGION, name="q.md")
    run = course.check(script={1: drew(svg("a"))})
    assert run.kinds == {"a.md::1": "passed"}
    [found] = run.of(ProblemFound)
    assert (found.problem.page, found.problem.code) == ("q.md", "figure")


def test_a_figure_may_move_from_one_page_to_another(course: Course) -> None:
    course.page(FENCE, name="a.md")
    course.record(script={1: drew(svg("a"))})
    course.page("nothing", name="a.md")
    course.page(FENCE, name="q.md")
    assert course.record("q.md", script={1: drew(svg("q"))}).kinds == {"q.md::1": "recorded"}
    assert "fencerun: q.md" in drawn(course)["loss.svg"]


def test_files_that_no_fence_draws_are_told(course: Course) -> None:
    course.page(FENCE)
    course.record(script={1: drew(svg("a"))})
    (course.directory / "figures/by-hand.svg").write_text("<svg/>")
    course.page(fence("fence:1 figure:other.svg"))
    run = course.check(script={1: drew(svg("a"))})
    [warning] = run.of(ProblemFound)
    assert warning.problem.severity == "warning"
    assert "figures/loss.svg was drawn for this page" in warning.problem.what
    assert "rm figures/loss.svg" in warning.problem.remedy


def gated(course: Course) -> Run:
    course.page(fence("fence:1 requires:cuda figure:loss.svg"))
    return course.record(script={1: drew(svg("a"), printed="text\n")})


def kept(course: Course) -> tuple[str, str]:
    course.machine.missing["cuda"] = "no CUDA device"
    verdict = course.check(script={}, allow_empty=True).verdict("1")
    return verdict.kind, verdict.what


def test_a_figure_is_kept_where_it_cannot_be_drawn(course: Course) -> None:
    gated(course)
    assert kept(course)[0] == "kept"
    path = course.directory / "figures/loss.svg"
    path.write_text(svg("a").replace("><", ">\n<"))
    assert kept(course)[0] == "kept", "a formatter changes no drawing"
    page = course.directory / "p.md"
    page.write_text(page.read_text().replace("![loss]", "![The loss]"))
    assert kept(course)[0] == "kept", "alt text is the author's"
    path.write_text(svg("b"))
    assert kept(course) == (
        "edited",
        "its recorded text, or a figure that it shows, was changed by hand",
    )
    path.unlink()
    assert kept(course) == ("edited", "a figure that it shows is not there, or is no SVG")


def test_a_padded_table_is_kept(course: Course) -> None:
    path = course.page(fence("fence:1 requires:cuda as:markdown"))
    course.record(script={1: "|a|b|\n|-|-|\n|1|2|\n"})
    text = path.read_text()
    path.write_text(text.replace("|a|b|\n|-|-|", "| a | b |\n| --- | --- |"))
    assert kept(course)[0] == "kept"
    path.write_text(text.replace("|1|2|", "|1|3|"))
    assert kept(course)[0] == "edited"


def test_another_device_draws_otherwise(course: Course) -> None:
    gated(course)
    course.machine.name = "nvidia-a100"
    run = course.check(script={1: drew(svg("b"), printed="text\n")})
    assert run.kinds == {"1": "elsewhere"}
    assert "its figures were not compared" in run.verdict("1").what
    (course.directory / "figures/loss.svg").unlink()
    run = course.check(script={1: drew(svg("b"), printed="text\n")})
    assert run.kinds == {"1": "changed"}


def test_figures_come_in_from_another_machine(course: Course) -> None:
    path = course.page(fence("fence:1 requires:cuda figure:loss.svg"))
    bare = path.read_bytes()
    there = course.record(script={1: drew(svg("a"), printed="text\n")}, carry=True).verdict("1")
    page = course.text()
    path.write_bytes(bare)
    figurefiles.delete("p.md", ["figures/loss.svg"])
    course.machine.missing["cuda"] = "no CUDA device"
    run = Run([], [])
    session = course.session("record", (), lambda _: "", run)
    session.unrun.told = {there.id: [Told("run.jsonl", replace(there, kind="unrecorded"))]}
    session.run()
    assert run.kinds == {"1": "recorded"}
    assert course.text() == page
    assert svg("a") in drawn(course)["loss.svg"]


def test_a_failure_inside_restores_what_was_there(course: Course) -> None:
    course.page(FENCE)
    old = Figure("figures/a.svg", svg("old"))
    with figurefiles.written("p.md", [old]):
        pass
    new = [Figure("figures/a.svg", svg("new")), Figure("figures/b.svg", svg("b"))]
    with pytest.raises(ZeroDivisionError), figurefiles.written("p.md", new):
        raise ZeroDivisionError
    assert list(drawn(course)) == ["a.svg"]
    assert "old" in drawn(course)["a.svg"]


def test_a_second_figure_that_cannot_be_written_takes_back_the_first(course: Course) -> None:
    course.page(FENCE)
    (course.directory / "figures").mkdir()
    (course.directory / "figures/b.svg").mkdir()
    new = [Figure("figures/a.svg", svg("a")), Figure("figures/b.svg", svg("b"))]
    with pytest.raises(files.NotWritten), figurefiles.written("p.md", new):
        raise AssertionError
    assert not (course.directory / "figures/a.svg").exists()


def test_a_directory_that_cannot_be_made(course: Course) -> None:
    course.page(FENCE)
    (course.directory / "figures").write_text("a file")
    run = course.record(script={1: drew(svg("a"))})
    assert run.kinds == {"1": "refused"}
    assert course.text() == FENCE


def test_orphans_of_a_page_alone(course: Course) -> None:
    for name in ("p.md", "q.md"):
        with figurefiles.written(name, [Figure(f"figures/{name}.svg", svg(name))]):
            pass
    assert list(figurefiles.orphans(parse(b"text", "p.md"))) == ["figures/p.md.svg"]
    assert list(figurefiles.orphans(parse(b"text", "r.md"))) == []
