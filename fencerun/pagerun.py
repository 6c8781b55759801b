"""One page of a run: its fences run and judged, and, to record, what they printed written.

steps → verdicts → splices → bytes. Knows the other pages of the run no more than the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from fencerun.events import Event, FenceDone, PageDone, PageStarted, Verdict
from fencerun.frontmatter import PageSettings
from fencerun.frozen import dataclass
from fencerun.judgement import Judgement
from fencerun.pasting import pasted
from fencerun.plan import Share, Step
from fencerun.redaction import NOTHING, Redaction
from fencerun.request import Request
from fencerun.running import Runner
from fencerun.unrun import Unrun

if TYPE_CHECKING:
    # Loaded when something is recorded; a check has no need of them.
    from fencerun.recorder import Judged


@dataclass(slots=True)
class PageRun:
    """What becomes of one page's share of the plan. ``emit`` gets every event of it in order."""

    request: Request
    share: Share
    unrun: Unrun
    #: The project's settings for the page.
    base: PageSettings
    emit: Callable[[Event], None]
    #: What no verdict may show.
    secrets: Redaction = NOTHING
    #: Sentences about the page as a whole.
    notes: list[str] = field(default_factory=list)
    #: Ids of fences that have their verdict.
    _told: set[str] = field(default_factory=set)

    def run(self, runner: Runner | None) -> None:
        """Everything, from PageStarted to PageDone. Without chains to run, no runner is needed."""
        share = self.share
        compared = sum(step.compared for chain in share.chains for step in chain.steps)
        if runner is None:
            self._finish([])
            return
        if share.selected:
            self.emit(PageStarted(share.page.path, compared))
        judged: list[tuple[Step, Judgement]] = []
        silent = 0
        for step, judgement in runner.run(share.chains):
            silent += _says_nothing(step, judgement)
            if self.request.verb == "check":
                self._tell(judgement.verdict)
                continue
            judged.append((step, judgement))
            if not _may_be_written(step, judgement):
                self._tell(judgement.verdict)
        if compared > 1 and silent == compared:
            # A course whose every block fails to do anything looks just like this.
            what = f"{share.page.path}: all {compared} fences passed, and none printed anything"
            self.notes.append(what)
        self._finish(self._proven(judged, runner))

    def _proven(self, judged: Judged, runner: Runner) -> Judged:
        """What is left to record once every new recording was made twice."""
        if self.request.once or not judged:
            return judged
        from fencerun import proof

        again = proof.doubtful(self.share.chains, judged, runner.seconds)
        if not again:
            return judged
        runner.engine.fresh()
        return proof.settle(judged, runner.run(again), runner.masks)

    def _finish(self, judged: Judged) -> None:
        """Everything about the page that is not the running of its fences."""
        page, orphans = self.share.page, orphaned(self.share)
        judged = [*judged, *self._idle()]
        verdicts, written = orphans, False
        if self.request.verb == "record" and not page.broken:
            verdicts, written = self._write(judged, orphans)
        for verdict in verdicts:
            if verdict.id not in self._told:
                self._tell(verdict)
        if self.share.selected or orphans:
            self.emit(PageDone(page.path, written))

    def _write(self, judged: Judged, orphans: Sequence[Verdict]) -> tuple[list[Verdict], bool]:
        from fencerun.recorder import Recorder

        only = frozenset(self.request.only)
        recorder = Recorder(only, self.request.dry_run, self.unrun.stamp, self.base)
        return recorder.write(self.share.page, judged, orphans)

    def _idle(self) -> Iterator[tuple[Step, Judgement]]:
        """The fences that are not run: told at once, but for what is to be recorded of them."""
        for idle in self.share.idle:
            judgement = self.unrun.judgement(idle)
            if self.request.verb == "check" or not judgement.news:
                self._tell(judgement.verdict)
            if judgement.rule is not None:
                yield Step(idle.member, True), judgement

    def _tell(self, verdict: Verdict) -> None:
        self._told.add(verdict.id)
        self.emit(FenceDone(self.secrets.of(verdict)))


def _may_be_written(step: Step, judgement: Judgement) -> bool:
    """Whether the verdict waits for the page to be written."""
    stamped = step.member.requires and judgement.verdict.kind == "passed"
    return judgement.news or bool(stamped)


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
            f"fencerun record --only orphan {pasted(page.path)}",
        )
        for recording in page.orphans
    ]
