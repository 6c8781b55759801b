"""Running one page's chains: steps in, judgements out, in plan order.

Turns planned steps into an engine's jobs and its events back into verdicts. Knows engines only
by their Protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace

from fencerun import known
from fencerun.engines.base import Blocked, Chain, Engine, Finished, Job, Started
from fencerun.events import Event, FenceStarted, Verdict
from fencerun.frozen import dataclass
from fencerun.judge import judge
from fencerun.judgement import Judgement
from fencerun.localmodules import Read
from fencerun.masks import Mask
from fencerun.members import Member
from fencerun.plan import PlannedChain, Step
from fencerun.redaction import NOTHING, Redaction
from fencerun.result import Failure
from fencerun.surroundings import Surroundings
from fencerun.transcript import Transcript

_COMPILERS = frozenset({"cxx", "nvcc"})


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
    passport: Callable[[Member, Judgement], tuple[str, str]] | None = None
    #: What sets the compiled code of a chain apart that ends with this member.
    tag: Callable[[Member], str] = lambda _: ""
    #: A reader of the files beside a page.
    beside: Callable[[str], Read] = lambda _: lambda _: None
    #: What no judgement may show.
    secrets: Redaction = NOTHING
    #: The step that failed and why, by chain: what comes after it there is blocked.
    failed: dict[str, tuple[Step, Failure]] = field(default_factory=dict)
    #: Seconds that each fence took, uncompared ones too, by id.
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self, chains: Sequence[PlannedChain]) -> Iterator[tuple[Step, Judgement]]:
        """Every compared step of ``chains`` with its judgement, as they end."""
        self.failed.clear()
        surroundings = Surroundings()
        steps: dict[str, Step] = {}
        jobs = (self._chain(c, i, steps, surroundings) for i, c in enumerate(chains))
        try:
            for event in self.engine.run(jobs):
                step = steps[event.key]
                if isinstance(event, Started):
                    self._started(step)
                    continue
                chain = event.key.partition(".")[0]
                surroundings.ended(chain)
                judgement = self._judged(event, step, chain)
                if step.compared:
                    yield step, judgement
        finally:
            surroundings.close()

    def _chain(
        self, chain: PlannedChain, index: int, steps: dict[str, Step], around: Surroundings
    ) -> Chain:
        """The engine's chain; notes in ``steps`` which step each job key stands for."""
        jobs = []
        for position, step in enumerate(chain.steps):
            key = f"{index}.{position}"
            steps[key] = step
            jobs.append(_job(key, step))
        last = chain.steps[-1].member
        isolated = any(_needs_own_process(step.member) for step in chain.steps)
        setup = around.setup(chain)
        compiles = setup is not None and "torch" in setup[1]
        for step in chain.steps:
            compiles = compiles or "torch" in step.member.fence.code
        return Chain(
            chain.page.path,
            around.directory(str(index), last, len(jobs)),
            tuple(jobs),
            isolated,
            self.tag(last) if compiles else "",
            setup,
            last.scratch,
        )

    def _started(self, step: Step) -> None:
        member = step.member
        line = member.fence.line
        self.emit(FenceStarted(member.id, member.page.path, member.fence.number, line))

    def _judged(self, event: Finished | Blocked, step: Step, chain: str) -> Judgement:
        if chain in self.failed:
            return Judgement(self._blocked(step.member, *self.failed[chain]))
        assert isinstance(event, Finished), "an engine blocks only what follows a failure"
        self.seconds[step.member.id] = event.outcome.seconds
        judgement = judge(
            step.member,
            event.outcome,
            self.masks,
            self.max_output,
            self.elsewhere(step.member),
            self.beside(step.member.page.path),
            self.secrets,
        )
        if judgement.verdict.failure is not None:
            # Also where a `raises:` was not kept: the engine goes on after those.
            self.failed[chain] = (step, judgement.verdict.failure)
        if self.passport is not None and step.compared:
            judgement = replace(judgement, verdict=self._carrying(step.member, judgement))
        tracked = self.excuse(step.member)
        if tracked is None:
            return judgement
        return Judgement(known.settle(judgement.verdict, tracked))

    def _blocked(self, member: Member, by: Step, why: Failure) -> Verdict:
        from fencerun.failing import blocked

        verdict = blocked(member, by.member, why)
        tracked = self.excuse(by.member)
        return verdict if tracked is None else known.excused(verdict, tracked)

    def _carrying(self, member: Member, judgement: Judgement) -> Verdict:
        """The verdict with all that another machine needs to take it in."""
        if self.passport is None:
            return judgement.verdict
        key, on = self.passport(member, judgement)
        return replace(
            judgement.verdict,
            printed=judgement.printed,
            values=judgement.values,
            figures=judgement.drawn,
            key=key,
            on=on,
        )


def _needs_own_process(member: Member) -> bool:
    """What a compiler made and a fence loaded stays loaded, and would cost the shared worker."""
    return bool(member.tags.isolated) or not _COMPILERS.isdisjoint(member.requires)


def _job(key: str, step: Step) -> Job:
    member, fence, tags = step.member, step.member.fence, step.member.tags
    return Job(
        key,
        fence.number,
        fence.code_in_place,
        fence.code_line,
        fence.language,
        timeout=tags.timeout or 60.0,
        op_namespace=member.op_namespace,
        allows=tags.allows or (),
        stderr=_takes_stderr(member),
        echo=bool(tags.echo),
        may_raise=tags.raises is not None or bool(tags.exit),
        turns=_turns(fence.transcript, fence.code_line) if fence.transcript else (),
        exit=tags.exit or 0,
        values=tuple((v.expression, v.spec) for v in fence.values) if fence.values else (),
        figure=tags.figure,
    )


def _takes_stderr(member: Member) -> bool:
    """Whether its stderr belongs to its output: on a console both are seen."""
    if member.tags.stderr is None:
        return member.fence.language == "console"
    return member.tags.stderr


def _turns(transcript: Transcript, line: int) -> tuple[tuple[str, int, bool], ...]:
    """What is typed in a transcript whose first line is page line ``line``."""
    return tuple((turn.code, line + turn.at, turn.raises) for turn in transcript.turns)
