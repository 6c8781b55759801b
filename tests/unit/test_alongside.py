"""Runs of an audit on lanes: what goes where, and what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from engines.scripted import ScriptedEngine, Turn

from fencerun.alongside import Alongside
from fencerun.audit import companies
from fencerun.engines.base import Chain, EngineOptions
from fencerun.lanes import Lane, Load
from fencerun.plan import Plan
from fencerun.scheduling import PLAIN, Reach
from fencerun.session import Session

from .course import Course, Run, fence


def prints(turn: Turn) -> str:
    return f"{turn.job.number}\n"


@dataclass
class OneLane(ScriptedEngine):
    """Prints each fence's number."""

    pristine: int = 0

    def fresh(self) -> None:
        self.pristine += 1

    @property
    def numbers(self) -> list[int]:
        return [job.number for chain in self.chains for job in chain.jobs]


@dataclass
class Lanes:
    """Two of them; notes what it was told of the loads."""

    first: OneLane = field(default_factory=lambda: OneLane(EngineOptions("python3"), prints))
    second: OneLane = field(default_factory=lambda: OneLane(EngineOptions("python3"), prints))
    needs: list[int] = field(default_factory=list)
    fragile = False
    isolates = True

    def lanes(self, loads: Sequence[Load]) -> list[Lane]:
        self.needs = [load.need for load in loads]
        most = max(self.needs)
        return [Lane(self.first, Reach(0, most)), Lane(self.second, PLAIN)]

    def halt(self) -> None:
        """Nothing runs."""


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    monkeypatch.chdir(tmp_path)
    return Course(tmp_path)


def planned(course: Course, *infos: str, holds: str = "") -> tuple[Session, Plan]:
    course.page(*(fence(info) for info in infos))
    session = course.session("check", (), {}, Run([], []))
    session.gate.answers |= dict.fromkeys(holds.split())
    _, settled = session.read()
    return session, session.plan(settled)


def test_what_was_seen_comes_back_in_order(course: Course) -> None:
    session, plan = planned(course, "fence:1", "fence:2", "fence:3")
    lanes = Lanes()
    wanted = companies(plan.chains, 0)
    seen = Alongside(lanes, session.runner, lambda member: None, ())(wanted)  # type: ignore[arg-type]
    assert [list(one) for one in seen] == [
        [step.member.id for chain in company.chains for step in chain.steps] for company in wanted
    ]
    assert {one.lines for seens in seen for one in seens.values()} == {("1",), ("2",), ("3",)}
    # Each alone, then three orders, one of them with all that ran before: 3 + 3 + 6 + 3 fences.
    assert len(lanes.first.numbers) + len(lanes.second.numbers) == 15
    assert lanes.first.pristine + lanes.second.pristine == len(wanted)


def test_what_needs_an_accelerator_stays_on_one_lane(course: Course) -> None:
    infos = ("fence:1", "fence:2 requires:cuda", "fence:3 continues:2", "fence:4")
    session, plan = planned(course, *infos, holds="cuda")
    lanes = Lanes()
    Alongside(lanes, session.runner, lambda member: None, ())(companies(plan.chains, 0))  # type: ignore[arg-type]
    # Alone: fence 1, the chain of 2 and 3, and 4. Then the orders, in which that chain is.
    assert lanes.needs == [0, 1, 0, 1, 1, 1]
    assert not {2, 3} & set(lanes.second.numbers)


def test_the_longest_begins_first(course: Course) -> None:
    session, plan = planned(course, "fence:1 requires:cuda", "fence:2 requires:cuda", holds="cuda")
    lanes = Lanes()
    took = {1: 1.0, 2: 9.0}
    Alongside(lanes, session.runner, lambda member: took[member.fence.number], ())(  # type: ignore[arg-type]
        companies(plan.chains, 0)
    )
    assert lanes.first.numbers[:4] == [1, 2, 1, 2], "twice in one process"
    assert lanes.first.numbers[-2:] == [2, 1], "each alone"


def test_a_fault_of_the_engine_ends_it(course: Course) -> None:
    session, plan = planned(course, "fence:1", "fence:2")

    class Broken(OneLane):
        def _chain(self, chain: Chain) -> None:  # type: ignore[override]
            raise RuntimeError("no more")

    options = EngineOptions("python3")
    lanes = Lanes(Broken(options, prints), Broken(options, prints))
    with pytest.raises(RuntimeError, match="no more"):
        Alongside(lanes, session.runner, lambda member: None, ())(companies(plan.chains, 0))  # type: ignore[arg-type]
