"""Writing one page's recordings: judgements in, bytes on disk out.

Between the pure `record` and the edge `files`: takes the page's lock, reads it again, applies
what was found to the page as it is now, and replaces the file in one step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fencerun import files, reader, record
from fencerun.events import Verdict
from fencerun.judge import Judgement
from fencerun.page import Page, Recording
from fencerun.plan import Member, Step
from fencerun.splice import NewRecording

#: The provenance tags to write beside a recording with this text, or None where none belong.
Stamp = Callable[[Member, Sequence[str]], tuple[tuple[str, str], ...] | None]

Judged = Sequence[tuple[Step, Judgement]]


@dataclass(frozen=True, slots=True)
class Recorder:
    """Records what the verdicts in ``only`` call for. ``dry_run`` does all but replace the file."""

    only: frozenset[str]
    dry_run: bool
    stamp: Stamp

    def write(
        self, page: Page, judged: Judged, orphans: Sequence[Verdict]
    ) -> tuple[list[Verdict], bool]:
        """The verdicts after writing, and whether the page on disk changed."""
        changes: dict[int, NewRecording | None] = {}
        for step, judgement in judged:
            if (change := self._change(step.member, judgement)) is not None:
                changes[step.member.fence.number] = change
        for verdict in orphans:
            if "orphan" in self.only:
                changes[verdict.fence] = None
        if not changes:
            return [judgement.verdict for _, judgement in judged] + list(orphans), False
        refused, written = self._replace(page, changes)
        verdicts = [judgement.verdict for _, judgement in judged] + list(orphans)
        return [self._after(v, changes, refused) for v in verdicts], written

    def _change(self, member: Member, judgement: Judgement) -> NewRecording | None:
        kind, recording = judgement.verdict.kind, member.fence.recording
        if judgement.lines is not None:
            if kind not in self.only:
                return None
            return self._new(member, judgement.lines)
        if kind not in ("passed", "elsewhere"):
            return None
        new = self._new(member, recording.text if recording else ())
        if not new.provenance or _stands(recording, new):
            return None
        return new

    def _new(self, member: Member, lines: Sequence[str]) -> NewRecording:
        provenance = self.stamp(member, lines)
        return NewRecording(tuple(lines), provenance or (), keep_empty=provenance is not None)

    def _replace(
        self, page: Page, changes: Mapping[int, NewRecording | None]
    ) -> tuple[dict[int, str], bool]:
        with files.locked(page.path):
            data = files.read(page.path)
            now = reader.parse(data, page.path)
            new, refused = record.apply(page, now, changes)
            if new == data or self.dry_run:
                return dict(refused), False
            files.replace(page.path, new)
        return dict(refused), True

    def _after(
        self,
        verdict: Verdict,
        changes: Mapping[int, NewRecording | None],
        refused: Mapping[int, str],
    ) -> Verdict:
        if verdict.fence in refused:
            remedy = f"fencerun record {verdict.id}"
            return replace(verdict, kind="refused", what=refused[verdict.fence], remedy=remedy)
        if self.dry_run or verdict.fence not in changes or verdict.kind == "passed":
            return verdict
        return replace(verdict, kind="recorded", what=_said(verdict), remedy="")


def _said(verdict: Verdict) -> str:
    if verdict.kind == "orphan":
        return "its recording is removed, since the fence is gone"
    return "its output is recorded" if verdict.kind == "unrecorded" else "its recording is updated"


def _stands(recording: Recording | None, new: NewRecording) -> bool:
    """Whether a recording that says the same already says where it is from."""
    said = dict(new.provenance)
    return recording is not None and (recording.key, recording.on) == (said["key"], said["on"])
