"""The verb `audit`: from arguments to text and an exit code."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TextIO

from fencerun import exits, launch
from fencerun.audit import Audit, Dependence
from fencerun.plural import count
from fencerun.session import Request
from fencerun.status import problem_line


def audit(
    arguments: Sequence[str],
    word: str | None,
    python: str | None,
    seed: int | None,
    stream: TextIO,
    requires: Sequence[str] = (),
) -> int:
    """Audit the selected fences.

    The exit code is 4 where a result depends on order, repetition or company, 3 where a page has
    a problem, 5 where nothing ran, else 0.
    """

    def say(line: str) -> None:
        stream.write(line + "\n")
        stream.flush()

    request = Request("check", launch.targets(arguments), word, tuple(requires))
    session = launch.session(request, lambda event: None, python=python)
    _, settled = session.read()
    for line in (*session.notes, *map(problem_line, session.problems)):
        say(line)
    if exits.exit_code((), session.problems, allow_empty=True)[0]:
        return 3
    plan = session.plan(settled)
    if not plan.chains:
        say("no fence ran: nothing was audited")
        return 5
    chosen = random.SystemRandom().randrange(10_000) if seed is None else seed
    found = 0
    with session.engine(session.options(plan)) as engine:
        say(f"fencerun audit, {engine.describe()}")
        auditor = Audit(session.runner(engine), engine.fresh, session.masks, chosen, say)
        for dependence in auditor.run(plan.chains):
            found += 1
            say(_said(dependence))
    fences = sum(step.compared for chain in plan.chains for step in chain.steps)
    idle = f", {len(plan.idle)} not run here" if plan.idle else ""
    say(
        f"{count(fences, 'fence')} audited{idle}: "
        + (f"{found} depend{'s' if found == 1 else ''} on others" if found else "all independent")
    )
    return 4 if found else 0


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
