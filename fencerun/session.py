"""A run, start to end: the only place where the stages meet.

bytes → page → plan → events → verdicts → splices → bytes. `check` and `record` are the same run;
record then writes what it found. The engine and the gate are handed in, so that a test can drive
a session without a process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, cast

from fencerun import exits, known, preload, state
from fencerun.config import Project
from fencerun.engines.base import Engine, EngineOptions
from fencerun.errors import UsageError
from fencerun.events import (
    Event,
    FenceDone,
    PageDone,
    Problem,
    ProblemFound,
    RunDone,
    RunStarted,
    Verdict,
)
from fencerun.frontmatter import PageSettings
from fencerun.frozen import dataclass
from fencerun.gate import Gate
from fencerun.intake import Intake
from fencerun.judgement import Judgement
from fencerun.masks import Mask
from fencerun.members import Member, members
from fencerun.page import Page
from fencerun.pagerun import PageRun, orphaned
from fencerun.pasting import pasted
from fencerun.plan import Plan, Share, build, shares, untouched
from fencerun.redaction import NOTHING, Redaction
from fencerun.request import RECORDABLE, Request
from fencerun.running import Runner
from fencerun.selection import requiring, selector, unmatched
from fencerun.unrun import Unrun

if TYPE_CHECKING:
    # Loaded where pages run side by side; a serial run has no need of them.
    from fencerun.lanes import Lane, SideBySide

__all__ = ["RECORDABLE", "Request", "Session", "orphaned"]


class _Stopped(Exception):
    """A verdict that ends the run, as `-x` asks."""


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
    #: What no page and no report may show.
    secrets: Redaction = NOTHING
    verdicts: list[Verdict] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    #: Ids of fences that have their verdict.
    told: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    #: Each page with what of it was asked for, once that is planned.
    parts: Sequence[Share] = ()
    #: What `read` gives, where a front end that keeps pages open has read them before.
    loaded: tuple[list[Page], list[tuple[Member, ...]]] | None = None
    #: Where pages run side by side, gets each event when it happens; ``emit`` when it is its turn.
    ahead: Callable[[Event], None] = lambda _: None
    _intake: Intake = field(init=False)
    _stopped: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._intake = Intake(self.project, self.gate, self.masks, self.unrun.beside)

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
        """The pages, and the members of each that has fences and no error.

        Raises UsageError for a page that cannot be read, and a target that names no fence.
        """
        if self.loaded is not None:
            return self.loaded
        pages = []
        recording = self.request.verb == "record"
        for page in self._intake.pages(self.names, recording=recording):
            self.problems += page.problems
            # The tokens are nine tenths of a page's memory; only what is written needs them.
            pages.append(page if recording else replace(page, tokens=()))
        settled = [members(page, self.defaults(page)) for page in pages if not page.broken]
        settled = [found for found in settled if found]
        for found in settled:
            self.unrun.settled[found[0].page.path] = {m.fence.number: m for m in found}
        self._insist(pages, settled)
        return pages, settled

    def _insist(self, pages: Sequence[Page], settled: Iterable[Sequence[Member]]) -> None:
        """Refuse a target that names no fence: beside others it would go unnoticed."""
        broken = {page.path for page in pages if page.broken}
        everyone = (member for found in settled for member in found)
        for target in unmatched(self.request.targets, everyone):
            if target.path not in broken:
                what = "no fence is on that line" if target.line else "the page has no such fence"
                remedy = f"`fencerun status {pasted(target.path)}` lists them"
                raise UsageError(f"{target}: {what}", remedy)

    def selects(self) -> Callable[[Member], bool]:
        """Whether a member is asked for."""
        named = selector(self.request.targets, self.request.word)
        needs = requiring(self.request.requires, self.gate.own)
        among = self.request.among
        if among is None:
            return lambda m: named(m) and needs(m)
        ids = among
        return lambda m: (
            named(m) and needs(m) and f"{self.relative(m.page.path)}::{m.fence.number}" in ids
        )

    def _run(self) -> None:
        pages, settled = self.read()
        plan = self.plan(settled)
        parts = self.parts = shares(pages, plan)
        if not plan.chains:
            self._start(self.python, parts)
            for share in parts:
                self.notes += self._page(share, None)
            return
        with self.engine(self.options(plan)) as engine:
            self._start(engine.describe(), parts)
            if hasattr(engine, "lanes"):
                self._spread(cast("SideBySide", engine), parts)
                return
            for share in parts:
                self.notes += self._page(share, self.runner(engine, self._tell))

    def _page(
        self,
        share: Share,
        runner: Runner | None,
        emit: Callable[[Event], None] | None = None,
        unrun: Unrun | None = None,
    ) -> Sequence[str]:
        """Run one page, and give notes on it."""
        emit, base = emit or self._tell, self.defaults(share.page)
        page = PageRun(self.request, share, unrun or self.unrun, base, emit, self.secrets)
        page.run(runner)
        if self.request.verb == "record" and share.selected:
            for problem in self._intake.recorded(share.page):
                emit(ProblemFound(problem))
        return page.notes

    def _spread(self, engine: SideBySide, parts: Sequence[Share]) -> None:
        """Run the pages on the engine's lanes."""
        from fencerun.lanes import load
        from fencerun.scheduling import weigh
        from fencerun.spread import Spread

        def run(place: int, lane: Lane, emit: Callable[[Event], None]) -> Sequence[str]:
            share, unrun = parts[place], self.unrun
            if lane.gate is not None:
                share, unrun = self._there(share, lane.gate)
            return self._page(share, self.runner(lane.engine, emit, unrun), emit, unrun)

        # What stops at the first one had better come to the first one.
        weights = [0.0] * len(parts) if self.request.fail_fast else weigh(parts, self.took())
        Spread(
            engine,
            run,
            weights,
            [load(share, self.unrun, self.gate.own) for share in parts],
            self._tell,
            self.notes.append,
            self.ahead,
            lambda event: self.request.fail_fast and _is_red(event),
            self.request.verb == "record",
        ).run()

    def _there(self, share: Share, gate: Gate) -> tuple[Share, Unrun]:
        """A page's share, and what is known of its recordings, where other things may run."""
        settled = self.unrun.settled.get(share.page.path)
        if not settled or not share.selected:
            return share, self.unrun
        plan = build([tuple(settled.values())], self.selects(), gate.unmet)
        return shares([share.page], plan)[0], replace(self.unrun, gate=gate)

    def took(self) -> Callable[[Member], float | None]:
        """How long a fence took the last time, in seconds."""
        last = state.load(self.project.root)

        def took(member: Member) -> float | None:
            known = last.get(f"{self.relative(member.page.path)}::{member.fence.number}")
            return known.seconds if known else None

        return took

    def plan(self, settled: Sequence[Sequence[Member]]) -> Plan:
        """What of the members runs, and what does not."""
        selects = self.selects()
        if self.request.verb == "record" and self.unrun.told:
            return untouched(settled, selects)
        return build(settled, selects, self.gate.unmet)

    def runner(
        self,
        engine: Engine,
        emit: Callable[[Event], None] | None = None,
        unrun: Unrun | None = None,
    ) -> Runner:
        """A runner of this session's fences on ``engine``."""
        unrun = unrun or self.unrun
        return Runner(
            engine,
            self.masks,
            self.project.max_output,
            emit or self.emit,
            self._excuse,
            unrun.elsewhere,
            self._passport(unrun),
            unrun.tag,
            unrun.beside,
            self.secrets,
        )

    def _passport(self, unrun: Unrun) -> Callable[[Member, Judgement], tuple[str, str]] | None:
        """What verdicts say of their origin beside what was printed; None where they need not."""
        if self.request.carry:
            return unrun.passport
        return _no_passport if self.request.show else None

    def page(self, name: str, data: bytes) -> Page:
        """The page called ``name`` that ``data`` holds, with every problem that it has."""
        return self._intake.page(name, data)

    def defaults(self, page: Page) -> PageSettings:
        """The project's settings for ``page``."""
        return self._intake.defaults(page)

    def _excuse(self, member: Member) -> str | None:
        if not self.project.known:
            return None
        page = self.relative(member.page.path)
        return known.reference(page, member.fence.number, self.project.known)

    def relative(self, path: str) -> str:
        """A page's path from the project's root, with ``/``."""
        return self._intake.relative(path)

    def options(self, plan: Plan) -> EngineOptions:
        """How an engine is to run ``plan``."""
        codes = [step.member.fence.code for chain in plan.chains for step in chain.steps]
        codes += self._around(plan)
        return EngineOptions(
            self.python,
            self.project.env,
            preload.modules(codes),
            self.project.threads,
            self.project.width,
            leaks_are_errors=self.request.leaks_are_errors,
        )

    def _around(self, plan: Plan) -> Iterator[str]:
        """The texts that pages bring along besides fences: their files, and set-up files."""
        for member in {c.page.path: c.steps[0].member for c in plan.chains}.values():
            yield from (block.text for block in member.page.files)
            if member.setup:
                data = self.unrun.beside(member.page.path)(member.setup) or b""
                yield data.decode("utf-8", "replace")

    def _start(self, about: str, parts: Sequence[Share]) -> None:
        pages = sum(1 for share in parts if share.selected or orphaned(share))
        total = sum(share.selected for share in parts)
        self.emit(RunStarted(self.request.verb, about, pages, total))
        for problem in self.problems:
            self.emit(ProblemFound(problem))

    def _tell(self, event: Event) -> None:
        """Pass on what becomes of a page, and end the run where `-x` says so."""
        if isinstance(event, FenceDone):
            self.verdicts.append(event.verdict)
            self.told.add(event.verdict.id)
        elif isinstance(event, ProblemFound):
            self.problems.append(event.problem)
        self.emit(event)
        if not self.request.fail_fast:
            return
        if isinstance(event, FenceDone) and self.request.verb == "check":
            self._stop_if_red([event.verdict])
        elif isinstance(event, PageDone):
            # A page that is being recorded is finished first.
            self._stop_if_red([v for v in self.verdicts if v.page == event.page])

    def _stop_if_red(self, verdicts: Sequence[Verdict]) -> None:
        if not self._stopped and exits.exit_code(verdicts, ())[0] in (1, 4):
            self._stopped = True
            raise _Stopped

    def _done(self, seconds: float, interrupted: bool) -> RunDone:
        code, notes = exits.exit_code(
            self.verdicts, self.problems, allow_empty=self.request.allow_empty
        )
        again = exits.rerun(self.verdicts) if code else ""
        if interrupted:  # what a whole run's verdicts would come to is not known
            code, notes, again = exits.INTERRUPTED, (), self._rest() or again
        return RunDone(
            code,
            seconds,
            tuple(self.verdicts),
            tuple(self.problems),
            interrupted,
            again,
            (*notes, *self.notes),
        )

    def _rest(self) -> str:
        """The command that goes on where an interrupted run was: what it was asked and not told."""
        left: list[str] = []
        for share in self.parts:
            steps = [step.member for chain in share.chains for step in chain.steps if step.compared]
            untold = [one.id for one in steps if one.id not in self.told]
            whole = share.selected == len(share.page.fences)
            left += [share.page.path] if whole and untold else untold
        return " ".join(("fencerun", self.request.verb, *map(pasted, left))) if left else ""


def _no_passport(member: Member, judgement: Judgement) -> tuple[str, str]:
    return "", ""


def _is_red(event: Event) -> bool:
    return isinstance(event, FenceDone) and exits.exit_code([event.verdict], ())[0] in (1, 4)
