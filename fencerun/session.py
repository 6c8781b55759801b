"""A run, start to end: the only place where the stages meet.

bytes → page → plan → events → verdicts → splices → bytes. `check` and `record` are the same run;
record then writes what it found. The engine and the gate are handed in, so that a test can drive
a session without a process.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fencerun import exits, files, known, preload, proof, reader
from fencerun.config import Project
from fencerun.engines.base import Engine, EngineOptions
from fencerun.events import (
    Event,
    FenceDone,
    PageDone,
    PageStarted,
    Problem,
    ProblemFound,
    RunDone,
    RunStarted,
    Verdict,
)
from fencerun.frontmatter import PageSettings
from fencerun.gate import Gate
from fencerun.judge import Judgement
from fencerun.masks import NAMED, Mask
from fencerun.page import Page
from fencerun.plan import Member, Plan, PlannedChain, Step, build, members, untouched
from fencerun.recorder import Judged, Recorder
from fencerun.running import Runner
from fencerun.selection import Target, selector
from fencerun.unrun import Unrun


class _Stopped(Exception):
    """A verdict that ends the run, as `-x` asks."""


#: What `record` puts right unless `--only` says otherwise.
RECORDABLE = ("unrecorded", "changed", "rounding")


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks for."""

    verb: Literal["check", "record"]
    targets: tuple[Target, ...] = ()
    #: `-k`: only fences whose id or code holds this.
    word: str | None = None
    #: `--lf`: only these ids, relative to the root.
    among: frozenset[str] | None = None
    #: The verdicts that record acts on.
    only: tuple[str, ...] = RECORDABLE
    dry_run: bool = False
    #: Whether a new recording is taken at its first word.
    once: bool = False
    allow_empty: bool = False
    leaks_are_errors: bool = False
    #: Whether provenance is freshened where the fence ran and agreed.
    renew: bool = False
    #: Whether verdicts carry what another machine needs to take them in.
    carry: bool = False
    #: Whether the first verdict that is not green ends the run.
    fail_fast: bool = False


@dataclass(slots=True)
class Session:
    """One run over the pages called ``names``. ``emit`` gets every event in order."""

    request: Request
    project: Project
    names: Sequence[str]
    gate: Gate
    #: The project's own masks.
    masks: Sequence[Mask]
    engine: Callable[[EngineOptions], Engine]
    python: str
    emit: Callable[[Event], None]
    unrun: Unrun
    verdicts: list[Verdict] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def run(self) -> RunDone:
        """Run, emit everything, and return the last event.

        Raises FencerunError for a call or a configuration that makes no sense.
        """
        begin = time.monotonic()
        interrupted = False
        try:
            self._run()
        except KeyboardInterrupt:
            interrupted = True
        except _Stopped:
            self.notes.append("stopped at the first fence that is not as recorded (-x)")
        done = self._done(time.monotonic() - begin, interrupted)
        self.emit(done)
        return done

    def read(self) -> tuple[list[Page], list[tuple[Member, ...]]]:
        """The pages, and the members of each that has fences and no error."""
        pages = list(self._load())
        settled = [members(page, self.defaults(page)) for page in pages if not page.broken]
        settled = [found for found in settled if found]
        for found in settled:
            self.unrun.settled[found[0].page.path] = {m.fence.number: m for m in found}
        return pages, settled

    def selects(self) -> Callable[[Member], bool]:
        """Whether a member is asked for."""
        named = selector(self.request.targets, self.request.word)
        among = self.request.among
        if among is None:
            return named
        return lambda m: named(m) and f"{self.relative(m.page.path)}::{m.fence.number}" in among

    def _run(self) -> None:
        pages, settled = self.read()
        plan = self._plan(settled, self.selects())
        if not plan.chains:
            self._start(self.python, pages, plan)
            for page in pages:
                self._finish(page, plan, [])
            return
        with self.engine(self._options(plan)) as engine:
            self._start(engine.describe(), pages, plan)
            runner = self._runner(engine)
            for page in pages:
                self._page(page, plan, runner)

    def _plan(self, settled: Sequence[Sequence[Member]], selects: Callable[[Member], bool]) -> Plan:
        if self.request.verb == "record" and self.unrun.told:
            return untouched(settled, selects)
        return build(settled, selects, self.gate.unmet)

    def _runner(self, engine: Engine) -> Runner:
        return Runner(
            engine,
            self.masks,
            self.project.max_output,
            self.emit,
            self._excuse,
            self.unrun.elsewhere,
            self.unrun.passport if self.request.carry else None,
        )

    def _load(self) -> Iterator[Page]:
        masks = {*NAMED, *(mask.name for mask in self.masks)}
        for name in self.names:
            page = self.gate.checked(reader.parse(files.read(name), name), masks)
            self.problems += page.problems
            yield page

    def defaults(self, page: Page) -> PageSettings:
        """The project's settings for ``page``."""
        return self.project.settings_for(self.relative(page.path))

    def _excuse(self, member: Member) -> str | None:
        page = self.relative(member.page.path)
        return known.reference(page, member.fence.number, self.project.known)

    def relative(self, path: str) -> str:
        """A page's path from the project's root, with ``/``."""
        return os.path.relpath(path, self.project.root).replace(os.sep, "/")

    def _options(self, plan: Plan) -> EngineOptions:
        codes = (step.member.fence.code for chain in plan.chains for step in chain.steps)
        return EngineOptions(
            self.python,
            self.project.env,
            preload.modules(codes),
            self.project.threads,
            self.project.width,
            leaks_are_errors=self.request.leaks_are_errors,
        )

    def _start(self, about: str, pages: Sequence[Page], plan: Plan) -> None:
        total = sum(plan.selected.values())
        self.emit(RunStarted(self.request.verb, about, len(pages), total))
        for problem in self.problems:
            self.emit(ProblemFound(problem))

    def _page(self, page: Page, plan: Plan, runner: Runner) -> None:
        chains = [chain for chain in plan.chains if chain.page.path == page.path]
        if plan.selected.get(page.path):
            self.emit(PageStarted(page.path, sum(s.compared for c in chains for s in c.steps)))
        if self.request.verb == "check":
            for _, judgement in runner.run(chains):
                self._emit(judgement.verdict)
            self._finish(page, plan, [])
            return
        judged: list[tuple[Step, Judgement]] = []
        for step, judgement in runner.run(chains):
            judged.append((step, judgement))
            if judgement.lines is None:
                self._emit(judgement.verdict)
        self._finish(page, plan, self._proven(chains, judged, runner))

    def _proven(self, chains: Sequence[PlannedChain], judged: Judged, runner: Runner) -> Judged:
        """What is left to record once every new recording was made twice."""
        if self.request.once:
            return judged
        again = proof.doubtful(chains, judged)
        return proof.settle(judged, runner.run(again), self.masks) if again else judged

    def _finish(self, page: Page, plan: Plan, judged: Judged) -> None:
        """Everything about a page that is not the running of its fences."""
        judged = [*judged, *self._idle(page, plan)]
        orphans = self._orphans(page, plan)
        written = False
        if self.request.verb == "record" and not page.broken:
            recorder = Recorder(
                frozenset(self.request.only), self.request.dry_run, self.unrun.stamp
            )
            verdicts, written = recorder.write(page, judged, orphans)
            shown = {verdict.id for verdict in self.verdicts}
            for verdict in verdicts:
                if verdict.id not in shown:
                    self._emit(verdict)
        else:
            for verdict in orphans:
                self._emit(verdict)
        if plan.selected.get(page.path) or orphans:
            self.emit(PageDone(page.path, written))
        self._stop_if_red([verdict for verdict in self.verdicts if verdict.page == page.path])

    def _idle(self, page: Page, plan: Plan) -> Iterator[tuple[Step, Judgement]]:
        """The fences that are not run: told at once, but for what is to be recorded of them."""
        for idle in plan.idle:
            if idle.member.page.path != page.path:
                continue
            judgement = self.unrun.judgement(idle)
            if self.request.verb == "check" or judgement.lines is None:
                self._emit(judgement.verdict)
            if judgement.rule is not None:
                yield Step(idle.member, True), judgement

    def _orphans(self, page: Page, plan: Plan) -> list[Verdict]:
        """Recordings without a fence, where the whole page was asked for."""
        if page.broken or plan.selected.get(page.path, 0) != len(page.fences):
            return []
        return [
            Verdict(
                f"{page.path}::{recording.number}",
                "orphan",
                page.path,
                recording.number,
                recording.block.line,
                f"its fence is gone, and output:{recording.number} is still here",
                f"fencerun record --only orphan {page.path}",
            )
            for recording in page.orphans
        ]

    def _emit(self, verdict: Verdict) -> None:
        self.verdicts.append(verdict)
        self.emit(FenceDone(verdict))
        if self.request.verb == "check":
            self._stop_if_red([verdict])

    def _stop_if_red(self, verdicts: Sequence[Verdict]) -> None:
        """End the run where `-x` says so; a page that is being recorded is finished first."""
        if self.request.fail_fast and exits.exit_code(verdicts, ())[0] in (1, 4):
            raise _Stopped

    def _done(self, seconds: float, interrupted: bool) -> RunDone:
        code, notes = exits.exit_code(
            self.verdicts, self.problems, allow_empty=self.request.allow_empty
        )
        code = exits.INTERRUPTED if interrupted else code
        return RunDone(
            code,
            seconds,
            tuple(self.verdicts),
            tuple(self.problems),
            interrupted,
            exits.rerun(self.verdicts) if code else "",
            (*notes, *self.notes),
        )
