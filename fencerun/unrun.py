"""Recordings that outlive their run: verdicts of fences that do not run here, and provenance.

A fence whose requirement does not hold keeps its recording byte for byte. Its key tells whether
that recording still belongs to the code: kept, stale, edited, missing or expired.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fencerun import freshness
from fencerun.canonical import recorded
from fencerun.capabilities import parse
from fencerun.events import Verdict
from fencerun.freshness import Part, Provenance
from fencerun.gate import Gate
from fencerun.judge import rule_of
from fencerun.localmodules import Read
from fencerun.masks import Mask
from fencerun.page import Recording
from fencerun.plan import Idle, Member

#: Kinds of capability whose fences run on the accelerator; all others run on the CPU.
_ON_DEVICE = ("accelerator", "gpu")


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
    settled: dict[str, Mapping[int, Member]] = field(default_factory=dict)

    def parts(self, member: Member) -> tuple[Part, ...]:
        """All that the output of ``member`` depends on."""
        page = member.page.path
        chain = freshness.chain_of(member, self.settled[page])
        return freshness.of_chain(chain, self.beside(page))

    def verdict(self, idle: Idle) -> Verdict:
        """The verdict of a fence that is not run."""
        member = idle.member
        base = Verdict(
            member.id, "skipped", member.page.path, member.fence.number, member.fence.line,
            what=idle.why, reason=idle.reason,
        )  # fmt: skip
        if idle.kind == "skip":
            return base
        recording = member.fence.recording
        lines = self._lines(member, recording)
        known = freshness.judge(recording, self.parts(member), self.today, lines)
        if known == "kept" and recording is not None:
            return self._kept(base, recording)
        there = f"run `fencerun record {member.id}` where {idle.reason} holds"
        if known == "stale":
            what = "its code changed since it was recorded"
            if recording and not recording.key:
                what = "nothing says which code its recording belongs to (no `key:`)"
            return replace(base, kind="stale", what=what, remedy=there)
        if known == "edited":
            what = "its recorded text was changed by hand"
            remedy = f"undo that, or {there}"
            line = recording.line if recording else base.line
            return replace(base, kind="edited", line=line, what=what, remedy=remedy)
        return replace(base, kind="missing", what=f"never recorded ({idle.why})", remedy=there)

    def _lines(self, member: Member, recording: Recording | None) -> tuple[str, ...]:
        if recording is None:
            return ()
        rule = rule_of(member.tags, self.masks)
        return recorded("\n".join(recording.text), masks=rule.masks)

    def _kept(self, base: Verdict, recording: Recording) -> Verdict:
        made = freshness.parse_on(recording.on or "")
        if made is None:
            return replace(base, kind="kept")
        days = max(0, made.age_days(self.today))
        age = "today" if days == 0 else f"{days} day{'s' if days != 1 else ''} ago"
        what = f"recorded on {made.device} with {made.torch}, {age}"
        if self.max_kept_days is not None and days > self.max_kept_days:
            what += f"; the project allows {self.max_kept_days} days"
            remedy = f"run `fencerun record --renew {base.id}` where {base.reason} holds"
            return replace(base, kind="expired", what=what, remedy=remedy)
        return replace(base, kind="kept", what=what)

    def elsewhere(self, member: Member) -> bool:
        """Whether its recording was made on another device than the one it would run on here."""
        recording = member.fence.recording
        made = freshness.parse_on(recording.on or "") if recording else None
        return made is not None and made.device != self._device(member)

    def stamp(self, member: Member, lines: Sequence[str]) -> tuple[tuple[str, str], ...] | None:
        """The provenance of a recording with these lines; None where the fence needs none.

        While both halves of the key stand, so does what is written there, until it is renewed.
        """
        if not member.requires:
            return None
        key = str(freshness.key_of(self.parts(member), lines))
        recording = member.fence.recording
        if recording and recording.key == key and recording.on and not self.renew:
            return (("key", key), ("on", recording.on))
        software = freshness.software(self.gate.prober.versions())
        here = Provenance(self._device(member), software, self.today)
        return (("key", key), ("on", freshness.format_on(here)))

    def _device(self, member: Member) -> str:
        kinds = (parse(name, self.gate.own).kind for name in member.requires)
        return self.gate.prober.device() if any(k in _ON_DEVICE for k in kinds) else "cpu"
