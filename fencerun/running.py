"""Running one page's chains: steps in, judgements out, in plan order.

Turns planned steps into an engine's jobs and its events back into verdicts. Knows engines only
by their Protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fencerun import known
from fencerun.engines.base import Blocked, Chain, Engine, Finished, Job, Started
from fencerun.events import Event, FenceStarted, Verdict
from fencerun.judge import Judgement, blocked, judge
from fencerun.masks import Mask
from fencerun.plan import Member, PlannedChain, Step
from fencerun.result import Failure


@dataclass(slots=True)
class Runner:
    """Runs chains on one engine and judges what they print."""

    engine: Engine
    masks: Sequence[Mask]
    max_output: int
    emit: Callable[[Event], None]
    #: Where a fence's fault is tracked that the configuration knows of, else None.
    excuse: Callable[[Member], str | None] = lambda _: None
    #: Whether a fence was recorded on another device than the one it runs on here.
    elsewhere: Callable[[Member], bool] = lambda _: False
    #: The key of these lines and where they were made, where verdicts are to carry that.
    passport: Callable[[Member, Sequence[str]], tuple[str, str]] | None = None
    #: Failures of steps by job key, so that a blocked fence can say what blocked it.
    failures: dict[str, Failure] = field(default_factory=dict)

    def run(self, chains: Sequence[PlannedChain]) -> Iterator[tuple[Step, Judgement]]:
        """Every compared step of ``chains`` with its judgement, as they end."""
        steps: dict[str, Step] = {}
        jobs = [_chain(chain, index, steps) for index, chain in enumerate(chains)]
        self.failures.clear()
        for event in self.engine.run(jobs):
            step = steps[event.key]
            if isinstance(event, Started):
                self._started(step)
                continue
            judgement = self._judged(event, step, steps)
            if step.compared:
                yield step, judgement

    def _started(self, step: Step) -> None:
        member = step.member
        line = member.fence.line
        self.emit(FenceStarted(member.id, member.page.path, member.fence.number, line))

    def _judged(
        self, event: Finished | Blocked, step: Step, steps: Mapping[str, Step]
    ) -> Judgement:
        if isinstance(event, Blocked):
            by = steps[event.by].member
            return Judgement(blocked(step.member, by, self.failures.get(event.by)))
        if event.outcome.failure is not None:
            self.failures[event.key] = event.outcome.failure
        judgement = judge(
            step.member, event.outcome, self.masks, self.max_output, self.elsewhere(step.member)
        )
        if self.passport is not None and step.compared:
            judgement = replace(judgement, verdict=self._carrying(step.member, judgement))
        tracked = self.excuse(step.member)
        if tracked is None:
            return judgement
        return Judgement(known.settle(judgement.verdict, tracked))

    def _carrying(self, member: Member, judgement: Judgement) -> Verdict:
        """The verdict with all that another machine needs to take it in."""
        if self.passport is None:
            return judgement.verdict
        key, on = self.passport(member, judgement.printed or ())
        return replace(judgement.verdict, printed=judgement.printed, key=key, on=on)


def _chain(chain: PlannedChain, index: int, steps: dict[str, Step]) -> Chain:
    """The engine's chain; notes in ``steps`` which step each job key stands for."""
    jobs = []
    for position, step in enumerate(chain.steps):
        key = f"{index}.{position}"
        steps[key] = step
        jobs.append(_job(key, step))
    # A symlinked page runs where it is named, beside the files its author sees there.
    directory = str(Path(chain.page.path).absolute().parent)
    isolated = any(step.member.tags.isolated for step in chain.steps)
    return Chain(chain.page.path, directory, tuple(jobs), isolated)


def _job(key: str, step: Step) -> Job:
    member = step.member
    tags = member.tags
    return Job(
        key,
        member.fence.number,
        member.fence.code,
        member.fence.code_line,
        member.fence.language,
        timeout=tags.timeout or 60.0,
        op_namespace=member.op_namespace,
        allows=tags.allows or (),
        stderr=bool(tags.stderr),
        echo=bool(tags.echo),
        raises=tags.raises is not None,
    )
