"""The verb `audit`: from arguments to text and an exit code."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TextIO, cast

from fencerun import exits, launch
from fencerun.alongside import Alongside
from fencerun.audit import Audit, Dependence, see
from fencerun.engines import choice
from fencerun.engines.base import Engine
from fencerun.plan import Plan
from fencerun.plural import count
from fencerun.session import Request, Session
from fencerun.status import problem_line

if TYPE_CHECKING:
    from fencerun.lanes import SideBySide


def audit(
    arguments: Sequence[str],
    word: str | None,
    python: str | None,
    seed: int | None,
    stream: TextIO,
    requires: Sequence[str] = (),
    jobs: int | None = None,
) -> int:
    """Audit the selected fences, ``jobs`` runs side by side (0: as many as there are cores).

    The exit code is 4 where a result depends on order, repetition or company, 3 where a page has
    a problem, 5 where nothing ran, else 0.
    """

    def say(line: str) -> None:
        stream.write(line + "\n")
        stream.flush()

    request = Request("check", launch.targets(arguments), word, tuple(requires))
    session = launch.session(
        request, lambda event: None, python=python, engine=choice.engine(jobs=jobs)
    )
    _, settled = session.read()
    for line in (*session.notes, *map(problem_line, session.problems)):
        say(line)
    if exits.exit_code((), session.problems, allow_empty=True)[0]:
        return 3
    plan = session.plan(settled)
    if not plan.chains:
        say("no fence ran: nothing was audited")
        return 5
    return _audited(session, plan, seed, say)


def _audited(session: Session, plan: Plan, seed: int | None, say: Callable[[str], None]) -> int:
    """Audit what runs of ``plan``, say what was found, and return the exit code."""
    chosen = random.SystemRandom().randrange(10_000) if seed is None else seed
    found: list[Dependence] = []
    with session.engine(session.options(plan)) as engine:
        for dependence in _auditor(session, engine, chosen, say).run(plan.chains):
            found.append(dependence)
            say(_said(dependence))
    fences = sum(step.compared for chain in plan.chains for step in chain.steps)
    idle = f", {len(plan.idle)} not run here" if plan.idle else ""
    say(f"{count(fences, 'fence')} audited{idle}: {_sum(found)}")
    return 4 if found else 0


def _sum(found: Sequence[Dependence]) -> str:
    dependent = sum(one.culprit is not None for one in found)
    alone = len(found) - dependent
    told = []
    if dependent:
        told.append("1 depends on others" if dependent == 1 else f"{dependent} depend on others")
    if alone:
        told.append("1 varies by itself" if alone == 1 else f"{alone} vary by themselves")
    return ", ".join(told) or "all independent"


def _auditor(session: Session, engine: Engine, seed: int, say: Callable[[str], None]) -> Audit:
    """What audits on that engine, after its name was said."""
    about, side_by_side = engine.describe(), None
    if hasattr(engine, "lanes"):
        lanes = cast("SideBySide", engine)
        about = f"{lanes.lanes(())[0].engine.describe()}, side by side"
        side_by_side = Alongside(lanes, session.runner, session.took(), session.gate.own)
    say(f"fencerun audit, {about}")
    look = partial(see, session.runner(engine), engine.fresh)
    return Audit(look, session.masks, seed, say, side_by_side)


def _said(found: Dependence) -> str:
    member = found.step.member
    where = f"{member.page.path}:{member.fence.line}: depends: fence {member.fence.number}"
    text = f"{where}, {found.when}: {found.what}"
    if found.culprit is None:
        return f"{text}\n    nothing that runs before it makes that difference: it varies by itself"
    culprit = found.culprit.member
    at = f"{culprit.page.path}:{culprit.fence.line}"
    return (
        f"{text}\n    the earliest that makes the difference is fence {culprit.fence.number} ({at})"
    )
