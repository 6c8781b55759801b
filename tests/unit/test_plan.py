"""Chains, order and what does not run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fencerun.frontmatter import PageSettings, Records
from fencerun.members import Member, members
from fencerun.plan import Plan, build
from fencerun.reader import parse


def page(*infos: str, front: str = "") -> tuple[Member, ...]:
    """The members of a page whose fences have these info strings."""
    blocks = "\n".join(f"```{info}\nx\n```\n" for info in infos)
    read = parse((front + blocks).encode(), "p.md")
    assert not read.problems
    return members(read, PageSettings())


def plan(
    found: tuple[Member, ...],
    *numbers: int,
    unmet: Callable[[str], str | None] = lambda _: None,
) -> Plan:
    return build([found], lambda m: not numbers or m.fence.number in numbers, unmet)


def shape(made: Plan) -> list[list[int]]:
    """Fence numbers by chain; an uncompared step is negative."""
    return [
        [s.member.fence.number * (1 if s.compared else -1) for s in chain.steps]
        for chain in made.chains
    ]


def test_unlinked_fences_are_chains_of_one_in_page_order() -> None:
    assert shape(plan(page("python fence:2", "python fence:1"))) == [[2], [1]]


def test_linked_fences_are_one_chain() -> None:
    found = page("python fence:1", "python fence:2", "python fence:3 continues:1")
    assert shape(plan(found)) == [[1, 3], [2]]


def test_the_second_to_continue_a_fence_runs_its_past_again_uncompared() -> None:
    found = page(
        "python fence:1",
        "python fence:2 continues:1",
        "python fence:3 continues:2",
        "python fence:4 continues:2",
        "python fence:5 continues:1",
    )
    assert shape(plan(found)) == [[1, 2, 3], [-1, -2, 4], [-1, 5]]


def test_selecting_a_fence_runs_its_past_and_compares_it_alone() -> None:
    found = page(
        "python fence:1",
        "python fence:2 continues:1",
        "python fence:3 continues:2",
        "python fence:4",
    )
    assert shape(plan(found, 2)) == [[-1, 2]]


def test_continues_previous_passes_over_leaves() -> None:
    found = page(
        "python fence:1",
        "python fence:2 requires:cuda",
        "bash fence:3",
        "python fence:4",
        front="---\nfencerun:\n  continues: previous\n---\n\n",
    )
    assert [member.parent for member in found] == [None, 1, None, 1]


def test_an_unmet_requirement_reaches_what_continues_it() -> None:
    found = page(
        "python fence:1 requires:cuda",
        "python fence:2 continues:1",
        "python fence:3 continues:2 requires:slow",
        "python fence:4",
    )
    made = plan(found, unmet=lambda name: "no CUDA device" if name == "cuda" else None)
    assert shape(made) == [[4]]
    assert [(idle.member.fence.number, idle.reason) for idle in made.idle] == [
        (1, "requires:cuda"),
        (2, "requires:cuda"),
        (3, "requires:cuda"),
    ]
    assert made.idle[1].why == "it continues fence 1: no CUDA device"
    assert found[2].requires == ("cuda", "slow")


def test_an_unmet_first_heir_leaves_the_namespace_to_the_next() -> None:
    found = page(
        "python fence:1", "python fence:2 continues:1 requires:cuda", "python fence:3 continues:1"
    )
    assert shape(plan(found, unmet=lambda _: "no")) == [[1, 3]]


def test_requirements_of_unselected_fences_are_not_asked_about() -> None:
    asked: list[str] = []

    def unmet(name: str) -> str | None:
        asked.append(name)
        return None

    plan(page("python fence:1 requires:cuda", "python fence:2"), 2, unmet=unmet)
    assert asked == []


def test_a_skip_says_why_and_reaches_its_heirs() -> None:
    found = page('python fence:1 skip:"needs a licence"', "python fence:2 continues:1")
    made = plan(found)
    assert [idle.kind for idle in made.idle] == ["skip", "skip"]
    assert made.idle[1].why == "it continues fence 1: needs a licence"


def test_every_selected_fence_is_accounted_for_once() -> None:
    found = page(
        "python fence:1",
        "python fence:2 continues:1",
        "python fence:3 continues:1 requires:cuda",
        'python fence:4 continues:2 skip:"x"',
        "python fence:5 continues:2",
        "python fence:6 continues:2",
    )
    made = plan(found, unmet=lambda _: "no")
    compared = [s.member.fence.number for c in made.chains for s in c.steps if s.compared]
    idle = [i.member.fence.number for i in made.idle]
    assert sorted(compared + idle) == [1, 2, 3, 4, 5, 6]


def test_operator_namespaces_carry_the_fence_number() -> None:
    found = page("python fence:7", front="---\nfencerun: {op_namespace: pytc_m25}\n---\n")
    assert found[0].op_namespace == "pytc_m25_f7"


def test_previous_goes_on_through_sessions_of_python_and_past_shells() -> None:
    front = "---\nfencerun: {continues: previous}\n---\n"
    text = (
        "```pycon fence:1\n>>> x\n```\n\n```console fence:2\n$ x\n```\n\n"
        "<!-- fence:3 hidden\nx\n-->\n\n```python fence:4\nx\n```\n"
    )
    found = members(parse((front + text).encode()), PageSettings())
    assert shape(plan(found)) == [[1, 3, 4], [2]]


SILENT = "```python fence:1\nx\n```\n\n"
SAID = "```python fence:2\nx\n```\n\n```text output:2\nx\n```\n\n"
TYPED = "```pycon fence:3\n>>> x\n```\n\n"
SHOWN = "```pycon fence:4\n>>> x\n1\n```\n\n"
HIDDEN = "<!-- fence:5 hidden\nx\n-->\n"


@pytest.mark.parametrize(
    ("setting", "recorded"),
    [("all", {1, 2, 3, 4}), ("present", {2, 4}), ("none", set())],
)
def test_what_is_recorded(setting: Records, recorded: set[int]) -> None:
    read = parse((SILENT + SAID + TYPED + SHOWN + HIDDEN).encode())
    found = members(read, PageSettings(record=setting))
    assert {m.fence.number for m in found if m.recorded} == recorded


def test_a_page_with_files_runs_elsewhere() -> None:
    file = "```c file:a.c\n```\n"
    assert members(parse((SILENT + file).encode()), PageSettings())[0].scratch
    assert members(parse(SILENT.encode()), PageSettings(cwd="scratch"))[0].scratch
    assert not members(parse(SILENT.encode()), PageSettings())[0].scratch
    own = "<!-- fencerun: cwd=page -->\n\n"
    assert not members(parse((own + SILENT).encode()), PageSettings(cwd="scratch"))[0].scratch


@pytest.mark.parametrize("continued", [9, 2], ids=["one that is missing", "a later one"])
def test_members_of_a_page_that_continues_what_it_cannot(continued: int) -> None:
    text = f"```python fence:1 continues:{continued}\nx\n```\n\n```python fence:2\nx\n```\n"
    read = parse(text.encode(), "p.md")
    assert read.broken
    assert [m.fence.number for m in members(read, PageSettings())] == [1, 2]
