"""Recordings that outlive their run: what is told of fences that do not run here, and provenance.

A fence whose requirement does not hold keeps its recording byte for byte; ``kept`` says what is
known of it.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from fencerun import drawing, figures, freshness
from fencerun.capabilities import parse
from fencerun.events import Verdict
from fencerun.figures import Figure
from fencerun.freshness import Part
from fencerun.frozen import dataclass
from fencerun.gate import Gate
from fencerun.judge import compared, rule_of
from fencerun.judgement import Judgement
from fencerun.localmodules import Read
from fencerun.masks import Mask
from fencerun.members import Member
from fencerun.pasting import pasted
from fencerun.plan import Idle
from fencerun.result import ValueResult

if TYPE_CHECKING:
    from fencerun.runs import Runs, Told


@dataclass(slots=True)
class Unrun:
    """What is known of recordings without running their fences.

    ``beside`` gives, for a page, a reader of the files beside it. ``settled`` are the members of
    each page by number, which the session fills in.
    """

    gate: Gate
    masks: Sequence[Mask]
    beside: Callable[[str], Read]
    today: datetime.date
    max_kept_days: int | None = None
    renew: bool = False
    #: What other machines' runs told.
    told: Runs = field(default_factory=dict)
    settled: dict[str, Mapping[int, Member]] = field(default_factory=dict)
    #: How a page is called from the project's root: other runs may have been called there.
    from_root: Callable[[str], str] = str

    def parts(self, member: Member) -> tuple[Part, ...]:
        """All that the output of ``member`` depends on."""
        page = member.page.path
        chain = freshness.chain_of(member, self.settled[page])
        return freshness.of_chain(chain, self.beside(page))

    def judgement(self, idle: Idle) -> Judgement:
        """The judgement of a fence that is not run: what another run told, else its recording's."""
        told = self.told_of(idle.member)
        if not told or idle.kind == "skip":
            return Judgement(self.verdict(idle))
        fitting = self._fitting(idle.member)
        if fitting is not None:
            return self._from(idle, fitting)
        verdict = self.verdict(idle)
        why = f"{told[-1].file} ran other code than is here"
        if idle.kind == "told":
            remedy = "check out the commit that it ran, or run it again"
            return Judgement(replace(verdict, kind="refused", what=why, remedy=remedy))
        return Judgement(replace(verdict, what=f"{verdict.what} ({why})"))

    def told_of(self, member: Member) -> Sequence[Told]:
        """What was told of a fence by its name here, or else as it is called from the root."""
        if not self.told or member.id in self.told:
            return self.told.get(member.id, ())
        name = f"{self.from_root(member.page.path)}::{member.fence.number}"
        return self.told.get(name, ())

    def _fitting(self, member: Member) -> Told | None:
        """The newest that was told of the very code that is here."""
        told = self.told_of(member)
        source = freshness.source_hash(self.parts(member)) if told else ""
        for one in reversed(told):
            key = freshness.parse_key(one.verdict.key)
            if key is not None and key.source == source and _is_whole(one.verdict, member):
                return one
        return None

    def _from(self, idle: Idle, told: Told) -> Judgement:
        """What another machine's run of the same code comes to here."""
        member = idle.member
        device = told.verdict.on.partition("/")[0]
        base = replace(self._base(idle), seconds=told.verdict.seconds)
        if told.verdict.printed is None:
            what = f"on {device} ({told.file}): {told.verdict.what}"
            remedy = told.verdict.remedy.replace(told.verdict.id, member.id)
            failed = replace(told.verdict, id=member.id, page=member.page.path)
            return Judgement(replace(failed, what=what, remedy=remedy))
        rule = rule_of(member.tags, self.masks)
        drawn, read = told.verdict.figures, self.beside(member.page.path)
        judgement = compared(member, base, told.verdict.printed, rule, drawn=drawn, read=read)
        if member.fence.values:
            from fencerun import bound

            results = [ValueResult(text) for text in told.verdict.values]
            judgement = bound.judge(judgement, member.fence.values, results, rule)
        if judgement.verdict.kind != "passed":
            what = f"on {device}, {judgement.verdict.what}"
            remedy = f"fencerun record --from {pasted(told.file)} {pasted(member.id)}"
            return replace(judgement, verdict=replace(judgement.verdict, what=what, remedy=remedy))
        what = f"as it ran on {told.verdict.on.replace('/', ', ')} ({told.file})"
        return replace(judgement, verdict=replace(judgement.verdict, what=what))

    def _base(self, idle: Idle) -> Verdict:
        member = idle.member
        return Verdict(
            member.id, "skipped", member.page.path, member.fence.number, member.fence.line,
            what=idle.why, reason=idle.reason,
        )  # fmt: skip

    def verdict(self, idle: Idle) -> Verdict:
        """The verdict of a fence that is not run, by its recording alone."""
        from fencerun import kept

        return kept.verdict(self, idle, self._base(idle))

    def elsewhere(self, member: Member) -> bool:
        """Whether its recording was made by this code, on another device than it would run on."""
        recording = member.fence.recording
        if recording is None or not recording.block.info.provenance:
            return False
        from fencerun.provenance import parse_on

        made = parse_on(recording.on or "")
        if made is None or made.device == self._device(member):
            return False
        key = freshness.parse_key(recording.key or "")
        return key is not None and key.source == freshness.source_hash(self.parts(member))

    def stamp(
        self,
        member: Member,
        lines: Sequence[str],
        values: Sequence[str] = (),
        drawn: Sequence[Figure] = (),
    ) -> tuple[tuple[str, str], ...] | None:
        """The provenance of a recording with these lines; None where the fence needs none.

        While both halves of the key stand, so does what is written there, until it is renewed.
        ``drawn`` are the figures that are written with it.
        """
        if not member.requires or not member.recorded:
            return None
        shown = drawing.covered(member.tags, lines, self.beside(member.page.path), drawn)
        text = figures.essence(member.tags, lines)
        key = str(freshness.key_of(self.parts(member), text, values, shown))
        recording = member.fence.recording
        if recording and recording.key == key and recording.on and not self.renew:
            return (("key", key), ("on", recording.on))
        told = self._fitting(member)
        return (("key", key), ("on", told.verdict.on if told else self.here(member)))

    def passport(self, member: Member, judgement: Judgement) -> tuple[str, str]:
        """What a written-down run says beside its text: its key, and where it is made."""
        printed = judgement.printed or ()
        key = freshness.key_of(self.parts(member), printed, judgement.values)
        return str(key), self.here(member)

    def tag(self, member: Member) -> str:
        """What sets the code that a chain compiles apart: all that its last output depends on."""
        return freshness.source_hash(self.parts(member))

    def here(self, member: Member) -> str:
        """Where and when this run is: ``nvidia-h200/torch-2.11.0+cu130/2026-11-29``."""
        from fencerun.provenance import Provenance, format_on, software

        versions = software(self.gate.prober.versions())
        return format_on(Provenance(self._device(member), versions, self.today))

    def _device(self, member: Member) -> str:
        requirements = (parse(name, self.gate.own) for name in member.requires)
        on_device = any(requirement.accelerated for requirement in requirements)
        return self.gate.prober.device() if on_device else "cpu"


def _is_whole(told: Verdict, member: Member) -> bool:
    """Whether it says what each value comes to; a file may have been written by hand."""
    return told.printed is None or len(told.values) == len(member.fence.values)
