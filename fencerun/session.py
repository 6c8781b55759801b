"""A run, start to end: the only place where the stages meet.

bytes → page → plan → events → verdicts → splices → bytes. `check` and `record` are the same run;
record then writes what it found. The engine and the gate are handed in, so that a test can drive
a session without a process.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from fencerun import exits, files, known, preload, reader, setupfile
from fencerun.config import Project
from fencerun.engines.base import Engine, EngineOptions
from fencerun.errors import UsageError
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
from fencerun.figures import DIRECTORY
from fencerun.frontmatter import PageSettings
from fencerun.frozen import dataclass
from fencerun.gate import Gate
from fencerun.judgement import Judgement
from fencerun.masks import NAMED, Mask
from fencerun.page import Page
from fencerun.plan import Member, Plan, Share, Step, build, members, shares, untouched
from fencerun.redaction import NOTHING, Redaction
from fencerun.running import Runner
from fencerun.selection import Target, requiring, selector, unmatched
from fencerun.unrun import Unrun

if TYPE_CHECKING:
    # Loaded when something is recorded; a check has no need of them.
    from fencerun.recorder import Judged, Recorder


class _Stopped(Exception):
    """A verdict that ends the run, as `-x` asks."""


#: What `record` puts right unless `--only` says otherwise.
RECORDABLE = ("unrecorded", "changed", "rounding", "stale")


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks for."""

    verb: Literal["check", "record"]
    targets: tuple[Target, ...] = ()
    #: `-k`: only fences whose id or code holds this.
    word: str | None = None
    #: `--requires`: only fences that need one of these, themselves or through what they continue.
    requires: tuple[str, ...] = ()
    #: `--since`: only pages that differ from this git ref, or use a file that does.
    since: str | None = None
    #: `--shard`: only this share of the pages, such as ``2/5``.
    shard: str | None = None
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
    #: What no page and no report may show.
    secrets: Redaction = NOTHING
    verdicts: list[Verdict] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    #: Ids of fences that have their verdict.
    told: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    #: Each page with what of it was asked for, once that is planned.
    parts: Sequence[Share] = ()
    _relative: dict[str, str] = field(default_factory=dict)

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
        pages = list(self._load())
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
                raise UsageError(f"{target}: {what}", f"`fencerun status {target.path}` lists them")

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
                self._finish(share, [])
            return
        with self.engine(self.options(plan)) as engine:
            self._start(engine.describe(), parts)
            runner = self.runner(engine)
            for share in parts:
                self._page(share, runner)

    def plan(self, settled: Sequence[Sequence[Member]]) -> Plan:
        """What of the members runs, and what does not."""
        selects = self.selects()
        if self.request.verb == "record" and self.unrun.told:
            return untouched(settled, selects)
        return build(settled, selects, self.gate.unmet)

    def runner(self, engine: Engine) -> Runner:
        """A runner of this session's fences on ``engine``."""
        return Runner(
            engine,
            self.masks,
            self.project.max_output,
            self.emit,
            self._excuse,
            self.unrun.elsewhere,
            self.unrun.passport if self.request.carry else None,
            self.unrun.tag,
            self.unrun.beside,
            self.secrets,
        )

    def _load(self) -> Iterator[Page]:
        masks = {*NAMED, *(mask.name for mask in self.masks)}
        for name in self.names:
            base = self.project.settings_for(self.relative(name))
            page = self.gate.checked(reader.parse(files.read(name), name, base.syntax), masks)
            if page.settings.setup or base.setup:
                absent = setupfile.missing(page, base, self.unrun.beside(name))
                page = replace(page, problems=(*page.problems, *absent))
            if os.path.isdir(os.path.join(os.path.dirname(name), DIRECTORY)) and page.fences:
                from fencerun import figurefiles

                page = replace(page, problems=(*page.problems, *figurefiles.unnamed(page)))
            if self.project.known and not page.broken:
                page = replace(page, problems=(*page.problems, *self._unknown(page)))
            self.problems += page.problems
            # The tokens are nine tenths of a page's memory, and only what is written needs them.
            yield page if self.request.verb == "record" else replace(page, tokens=())

    def _unknown(self, page: Page) -> Iterator[Problem]:
        """A warning for each entry of `known` that excuses a fence which the page does not have."""
        numbers = {fence.number for fence in page.fences}
        for entry in known.unmatched(self.relative(page.path), numbers, self.project.known):
            what = f"`known` in the configuration lists {entry}, which is no fence of this page"
            remedy = "delete the entry, or correct its number"
            yield Problem(page.path, 1, "known", what, remedy, "warning")

    def defaults(self, page: Page) -> PageSettings:
        """The project's settings for ``page``."""
        return self.project.settings_for(self.relative(page.path))

    def _excuse(self, member: Member) -> str | None:
        page = self.relative(member.page.path)
        return known.reference(page, member.fence.number, self.project.known)

    def relative(self, path: str) -> str:
        """A page's path from the project's root, with ``/``."""
        found = self._relative.get(path)
        if found is None:
            found = os.path.relpath(path, self.project.root).replace(os.sep, "/")
            self._relative[path] = found
        return found

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

    def _page(self, share: Share, runner: Runner) -> None:
        compared = sum(step.compared for chain in share.chains for step in chain.steps)
        if share.selected:
            self.emit(PageStarted(share.page.path, compared))
        judged: list[tuple[Step, Judgement]] = []
        silent = 0
        for step, judgement in runner.run(share.chains):
            silent += _says_nothing(step, judgement)
            if self.request.verb == "check":
                self._emit(judgement.verdict)
                continue
            judged.append((step, judgement))
            if not self._may_be_written(step, judgement):
                self._emit(judgement.verdict)
        if compared > 1 and silent == compared:
            # A course whose every block fails to do anything looks just like this.
            what = f"{share.page.path}: all {compared} fences passed, and none printed anything"
            self.notes.append(what)
        self._finish(share, self._proven(share, judged, runner))

    def _may_be_written(self, step: Step, judgement: Judgement) -> bool:
        """Whether the verdict waits for the page to be written."""
        stamped = step.member.requires and judgement.verdict.kind == "passed"
        return judgement.news or bool(stamped)

    def _proven(self, share: Share, judged: Judged, runner: Runner) -> Judged:
        """What is left to record once every new recording was made twice."""
        if self.request.once or not judged:
            return judged
        from fencerun import proof

        again = proof.doubtful(share.chains, judged, runner.seconds)
        if not again:
            return judged
        runner.engine.fresh()
        return proof.settle(judged, runner.run(again), self.masks)

    def _finish(self, share: Share, judged: Judged) -> None:
        """Everything about a page that is not the running of its fences."""
        page, orphans = share.page, orphaned(share)
        judged = [*judged, *self._idle(share)]
        verdicts, written = orphans, False
        if self.request.verb == "record" and not page.broken:
            verdicts, written = self._recorder(page).write(page, judged, orphans)
        for verdict in verdicts:
            if verdict.id not in self.told:
                self._emit(verdict)
        if share.selected or orphans:
            self.emit(PageDone(page.path, written))
        if self.request.fail_fast:
            self._stop_if_red([v for v in self.verdicts if v.page == page.path])

    def _recorder(self, page: Page) -> Recorder:
        request = self.request
        from fencerun.recorder import Recorder

        only = frozenset(request.only)
        return Recorder(only, request.dry_run, self.unrun.stamp, self.defaults(page))

    def _idle(self, share: Share) -> Iterator[tuple[Step, Judgement]]:
        """The fences that are not run: told at once, but for what is to be recorded of them."""
        for idle in share.idle:
            judgement = self.unrun.judgement(idle)
            if self.request.verb == "check" or not judgement.news:
                self._emit(judgement.verdict)
            if judgement.rule is not None:
                yield Step(idle.member, True), judgement

    def _emit(self, verdict: Verdict) -> None:
        verdict = self.secrets.of(verdict)
        self.verdicts.append(verdict)
        self.told.add(verdict.id)
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
        return " ".join(("fencerun", self.request.verb, *map(shlex.quote, left))) if left else ""


def _says_nothing(step: Step, judgement: Judgement) -> bool:
    """Whether a fence passed and gave nothing that could have been wrong."""
    told = judgement.printed or judgement.values
    speaks = told or step.member.tags.quiet or not step.member.recorded
    return judgement.verdict.kind == "passed" and not speaks


def orphaned(share: Share) -> list[Verdict]:
    """The verdicts on recordings without a fence, where the whole page was asked for."""
    page = share.page
    if page.broken or share.selected != len(page.fences):
        return []
    return [
        Verdict(
            f"{page.path}::{recording.number}",
            "orphan",
            page.path,
            recording.number,
            recording.block.line,
            f"its fence is gone, and output:{recording.number} is still here",
            f"fencerun record --only orphan {shlex.quote(page.path)}",
        )
        for recording in page.orphans
    ]
