"""Recordings that prove themselves: what is run again, and which tag would settle it."""

from __future__ import annotations

import pytest

from fencerun.events import Verdict
from fencerun.frontmatter import PageSettings
from fencerun.judge import rule_of
from fencerun.judgement import Judgement
from fencerun.masks import Mask
from fencerun.members import members
from fencerun.plan import PlannedChain, Step
from fencerun.proof import LIMIT, doubtful, settle
from fencerun.reader import parse

OWN = (Mask("run", r"run-[0-9]+", "<run>"),)


def chain(*infos: str) -> PlannedChain:
    """A chain of fences whose info strings end like this; the first one is not compared."""
    text = "\n".join(f"```python fence:{n} {info}\nx\n```\n" for n, info in enumerate(infos, 1))
    page = parse(text.encode(), "p.md")
    found = members(page, PageSettings())
    return PlannedChain(page, tuple(Step(m, place > 0) for place, m in enumerate(found)))


def judged(step: Step, *lines: str, new: bool = True, kind: str = "unrecorded") -> Judgement:
    member = step.member
    verdict = Verdict(member.id, kind, "p.md", member.fence.number, 1)  # type: ignore[arg-type]
    return Judgement(verdict, lines if new else None, rule_of(member.tags, OWN), lines)


@pytest.mark.parametrize(
    ("new", "seconds", "again"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"p.md::1": LIMIT, "p.md::2": 0.1}, False),
        (True, {"p.md::1": LIMIT}, True),
    ],
    ids=["new", "as recorded", "too long with what is not compared", "just short enough"],
)
def test_what_is_run_again(new: bool, seconds: dict[str, float], again: bool) -> None:
    made = chain("", "continues:1")
    step = made.steps[1]
    found = doubtful([made], [(step, judged(step, "a", new=new))], seconds)
    assert found == ((made,) if again else ())


def _twice(tags: str, one: tuple[str, ...], two: tuple[str, ...], kind: str = "") -> Verdict:
    step = chain("", tags).steps[1]
    first, second = judged(step, *one), judged(step, *two, kind=kind or "unrecorded")
    ((_, settled),) = settle([(step, first)], [(step, second)], OWN)
    assert (settled.lines is None) == (settled.verdict.kind == "refused")
    return settled.verdict


@pytest.mark.parametrize(
    ("tags", "one", "two", "remedy"),
    [
        ("", ("run-1",), ("run-2",), "add `varies:run` to the fence"),
        ("", ("1.5 ms",), ("1.7 ms",), "add `varies:time` to the fence"),
        (
            "",
            ("<a at 0x7f3a01c4d5e0>",),
            ("<a at 0x7f3a01c4d6f0>",),
            "add `mask:address` to the fence",
        ),
        ("", ("loss 0.2501",), ("loss 0.2502",), "add `rtol:1e-3` to the fence"),
        ("", ("a", "b"), ("b", "a"), "add `match:unordered` to the fence"),
        ("", ("0.9",), ("0.2",), "make it repeatable"),
        ("", ("a",), ("b",), "make it repeatable"),
        ("varies:time", ("run-1 3 s",), ("run-2 4 s",), "add `varies:run` to the fence"),
    ],
)
def test_the_tag_that_would_settle_it(
    tags: str, one: tuple[str, ...], two: tuple[str, ...], remedy: str
) -> None:
    verdict = _twice(tags, one, two)
    assert verdict.kind == "refused"
    assert verdict.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("tags", "one", "two"),
    [
        ("", ("a",), ("a",)),
        ("varies:time", ("3 s",), ("4 s",)),
        ("rtol:1e-2", ("0.250",), ("0.251",)),
        ("match:unordered", ("a", "b"), ("b", "a")),
        ("match:any", ("a",), ("b", "c")),
    ],
)
def test_its_own_tags_count(tags: str, one: tuple[str, ...], two: tuple[str, ...]) -> None:
    assert _twice(tags, one, two).kind == "unrecorded"


def test_what_is_said_of_a_difference() -> None:
    assert _twice("", ("a", "b"), ("a",)).what.endswith("it printed 2 lines, then 1")
    assert "line 2 of its output was 'b', then 'c'" in _twice("", ("a", "b"), ("a", "c")).what


def test_failing_the_second_time_is_a_difference() -> None:
    verdict = _twice("", ("a",), (), kind="failed")
    assert verdict.what.startswith("it ran, and failed when run again in a fresh process")


def test_what_was_not_run_again_stands() -> None:
    step = chain("", "").steps[1]
    first = judged(step, "a")
    assert settle([(step, first)], [], ()) == [(step, first)]
