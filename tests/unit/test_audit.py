"""Audit: which results depend on order, repetition or company, and on whose."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from engines.scripted import Act, ScriptedEngine, Turn, raised

from fencerun.audit import Audit, Company, Dependence, Seens, see
from fencerun.engines.base import EngineOptions
from fencerun.plan import PlannedChain

from .course import Course, Run, fence


@dataclass
class World:
    """Processes that remember: which fences ran since the last fresh one."""

    prints: Callable[[int, Sequence[int]], Act]
    #: Numbers of the fences that ran in this process, and how many ran in all.
    ran: list[int] = field(default_factory=list)
    total: int = 0
    pristine: int = 0

    def __call__(self, turn: Turn) -> Act:
        self.total += 1
        act = self.prints(turn.job.number, tuple(self.ran))
        self.ran.append(turn.job.number)
        return act

    def fresh(self) -> None:
        self.pristine += 1
        self.ran.clear()


@dataclass
class Audited:
    found: list[Dependence]
    said: list[str]
    world: World
    chains: Sequence[PlannedChain]

    @property
    def told(self) -> list[tuple[int, str, int | None]]:
        """Of each dependence its fence, when it shows, and the culprit."""
        return [
            (
                one.step.member.fence.number,
                one.when.partition(" (")[0],
                one.culprit.member.fence.number if one.culprit else None,
            )
            for one in self.found
        ]


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    monkeypatch.chdir(tmp_path)
    return Course(tmp_path)


def audit(
    course: Course,
    prints: Callable[[int, Sequence[int]], Act],
    *targets: str,
    seed: int = 0,
    side_by_side: Callable[[Sequence[Company]], Sequence[Seens]] | None = None,
) -> Audited:
    world = World(prints)
    session = course.session("check", targets, world, Run([], []))
    _, settled = session.read()
    plan = session.plan(settled)
    engine = ScriptedEngine(EngineOptions("python3"), world)
    said: list[str] = []
    look = partial(see, session.runner(engine), world.fresh)
    auditor = Audit(look, (), seed, said.append, side_by_side)
    return Audited(list(auditor.run(plan.chains)), said, world, plan.chains)


def four(course: Course, *infos: str) -> None:
    course.page(*(fence(info) for info in infos or [f"fence:{n}" for n in (1, 2, 3, 4)]))


def test_independent_fences(course: Course) -> None:
    four(course)
    audited = audit(course, lambda number, ran: f"{number}\n")
    assert audited.found == []
    assert audited.said == [
        "alone: 4 chains, each in a process of its own",
        "in page order: 4 chains in one process",
        "when run again in the same process: 4 chains in one process",
        "shuffled (seed 0): 4 chains in one process",
    ]
    # Each alone, then one process an order: 4 + 4 + 8 + 4 fences.
    assert (audited.world.pristine, audited.world.total) == (7, 20)


def test_a_fence_before_it(course: Course) -> None:
    four(course)
    audited = audit(course, lambda n, ran: "2 ran" if n == 4 and 2 in ran else "")
    assert audited.told == [(4, "in page order", 2)]
    assert audited.found[0].what == "it prints 1 line; alone, 0"


def test_the_earliest_of_several_is_named(course: Course) -> None:
    course.page(*(fence(f"fence:{n}") for n in range(1, 10)))
    audited = audit(course, lambda n, ran: "x" if n == 9 and {3, 5, 7} & set(ran) else "y")
    assert audited.told == [(9, "in page order", 3)]
    assert audited.found[0].what == "line 1 of its output is 'x'; alone, 'y'"


def test_its_own_first_run(course: Course) -> None:
    """A counter that survives."""
    four(course)
    audited = audit(course, lambda n, ran: f"{ran.count(n)}" if n == 3 else "")
    assert audited.told == [(3, "when run again in the same process", 3)]


def test_a_fence_after_it(course: Course) -> None:
    four(course)
    audited = audit(course, lambda n, ran: "late" if n == 1 and 4 in ran else "")
    assert audited.told == [(1, "when run again in the same process", 4)]


def test_what_only_a_shuffle_shows(course: Course) -> None:
    four(course)

    def first_to_last(seed: int) -> list[int]:
        order = [1, 2, 3, 4]
        random.Random(seed).shuffle(order)
        return order

    seed = next(s for s in range(100) if first_to_last(s)[:2] == [3, 1])
    audited = audit(course, lambda n, ran: "odd" if n == 1 and ran[-1:] == (3,) else "", seed=seed)
    assert audited.told == [(1, "shuffled", 3)]
    assert audited.found[0].when == f"shuffled (seed {seed})"


def test_what_varies_by_itself_is_nobodys_doing(course: Course) -> None:
    four(course)
    times = iter(range(1000))
    audited = audit(course, lambda n, ran: str(next(times)) if n == 3 else "")
    assert audited.told == [(3, "in page order", None)]


def test_what_shows_once_only_has_no_culprit(course: Course) -> None:
    four(course)
    seen: list[int] = []

    def prints(number: int, ran: Sequence[int]) -> Act:
        if number == 3 and 1 in ran and not seen:
            seen.append(1)
            return "once"
        return ""

    assert audit(course, prints).told == [(3, "in page order", None)]


def test_failures_count(course: Course) -> None:
    four(course)
    error = raised("ValueError", "twice")
    audited = audit(course, lambda n, ran: error if n == 2 and 1 in ran else "fine")
    assert audited.told == [(2, "in page order", 1)]
    assert audited.found[0].what == "failed: ValueError: twice; alone, it passes"


def test_a_failure_alone_counts_where_it_passes_in_company(course: Course) -> None:
    four(course)
    error = raised("NameError", "x")
    audited = audit(course, lambda n, ran: "" if n != 2 or 1 in ran else error)
    assert audited.told == [(2, "in page order", 1)]
    assert audited.found[0].what == "it passes; alone, failed: NameError: x"


def test_what_its_tags_allow_is_no_difference(course: Course) -> None:
    four(course, "fence:1", "fence:2 rtol:0.1", "fence:3 varies:time", "fence:4 match:unordered")
    prints = {2: ("1.0", "1.01"), 3: ("took 3 ms", "took 99 ms"), 4: ("a\nb", "b\na")}

    def said(number: int, ran: Sequence[int]) -> Act:
        return prints[number][bool(ran)] if number in prints else ""

    assert audit(course, said).found == []


def test_a_chain_is_one(course: Course) -> None:
    """What a fence makes of the fences that it continues is no dependence."""
    four(course, "fence:1", "fence:2 continues:1", "fence:3", "fence:4 continues:3")
    audited = audit(course, lambda n, ran: str(ran[-1:] == (n - 1,)) if n in (2, 4) else "")
    assert audited.found == []
    audited = audit(course, lambda n, ran: str(1 in ran) if n == 4 else "")
    # The chain of fence 1, by its last fence.
    assert audited.told == [(4, "in page order", 2)]


def test_only_what_was_asked_for_is_told(course: Course) -> None:
    four(course, "fence:1", "fence:2 continues:1", "fence:3")
    audited = audit(course, lambda n, ran: str(ran.count(n)), "p.md::2")
    assert [len(chain.steps) for chain in audited.chains] == [2]
    assert audited.told == [(2, "when run again in the same process", 2)]


def test_pages_keep_company_too(course: Course) -> None:
    course.page(fence("fence:1"), name="a.md")
    course.page(fence("fence:2"), name="b.md")
    audited = audit(course, lambda n, ran: str(1 in ran) if n == 2 else "")
    (found,) = audited.found
    assert found.step.member.page.path == "b.md"
    assert found.culprit is not None
    assert found.culprit.member.page.path == "a.md"
