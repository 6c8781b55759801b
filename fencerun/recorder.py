"""Writing one page's recordings: judgements in, bytes on disk out.

Between the pure `merge` and the edge `files`: takes the page's lock, reads it again, applies
what was found to the page as it is now, and replaces the file in one step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import field, replace

from fencerun import figurefiles, files, merge, reader
from fencerun.errors import FencerunError
from fencerun.events import Verdict
from fencerun.figures import Figure
from fencerun.figures import read as shown
from fencerun.freshness import parse_key
from fencerun.frontmatter import PageSettings
from fencerun.frozen import dataclass
from fencerun.judgement import Judgement
from fencerun.members import Member
from fencerun.page import Page, Recording
from fencerun.pasting import pasted
from fencerun.plan import Step
from fencerun.splice import NewRecording
from fencerun.values import Value

#: The provenance tags to write beside a recording with these lines, of a fence whose values say
#: these texts and that drew these figures anew, or None where none belong.
Stamp = Callable[
    [Member, Sequence[str], Sequence[str], Sequence[Figure]], tuple[tuple[str, str], ...] | None
]

#: What values on the page should say, by the number of their fence.
Bindings = Mapping[int, Sequence[tuple[Value, str]]]

#: Figures whose files are to be written, by the number of their fence.
Drawn = Mapping[int, Sequence[Figure]]

#: How often a page that is saved under our hands is read again.
_TRIES = 4

Judged = Sequence[tuple[Step, Judgement]]

#: New recordings by number; None removes one.
Changes = Mapping[int, NewRecording | None]

#: Why a fence's recording was not written, and what to do, by number.
Refused = Mapping[int, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Recorder:
    """Records what the verdicts in ``only`` call for. ``dry_run`` does all but replace the file."""

    only: frozenset[str]
    dry_run: bool
    stamp: Stamp
    #: The project's settings for the page.
    base: PageSettings = field(default_factory=PageSettings)

    def write(
        self, page: Page, judged: Judged, orphans: Sequence[Verdict]
    ) -> tuple[list[Verdict], bool]:
        """The verdicts after writing, and whether the page on disk changed."""
        changes: dict[int, NewRecording | None] = {}
        bindings: dict[int, Sequence[tuple[Value, str]]] = {}
        drawn: dict[int, Sequence[Figure]] = {}
        for step, judgement in judged:
            number = step.member.fence.number
            if (change := self._change(step.member, judgement)) is not None:
                changes[number], drawn[number] = change, judgement.figures
            if judgement.bindings and judgement.verdict.kind in self.only:
                bindings[number] = judgement.bindings
        for verdict in orphans:
            if "orphan" in self.only:
                changes[verdict.fence] = None
        if not changes and not bindings:
            return [judgement.verdict for _, judgement in judged] + list(orphans), False
        refused, written = self._replace(page, changes, bindings, drawn)
        verdicts = [judgement.verdict for _, judgement in judged] + list(orphans)
        touched = {*changes, *bindings}
        return [self._after(v, touched, refused) for v in verdicts], written

    def _change(self, member: Member, judgement: Judgement) -> NewRecording | None:
        kind, recording = judgement.verdict.kind, member.fence.recording
        if judgement.lines is not None:
            new = self._new(member, judgement.lines, judgement)
            stale = "stale" in self.only and recording is not None and _is_stale(recording, new)
            return new if kind in self.only or stale else None
        if kind != "passed" and not (judgement.bindings and kind in self.only):
            return None
        new = self._new(member, recording.text if recording else (), judgement)
        if not new.provenance or _stands(recording, new):
            return None
        if recording is None:
            return new if "unrecorded" in self.only else None
        return new if "stale" in self.only or not _is_stale(recording, new) else None

    def _new(self, member: Member, lines: Sequence[str], judgement: Judgement) -> NewRecording:
        changed = {value.start: text for value, text in judgement.bindings}
        texts = [changed.get(value.start, value.shown) for value in member.fence.values]
        provenance = self.stamp(member, lines, texts, judgement.figures)
        needed = provenance is not None
        return NewRecording(tuple(lines), provenance or (), needed, member.tags.region)

    def _replace(
        self, page: Page, changes: Changes, bindings: Bindings, drawn: Drawn
    ) -> tuple[Refused, bool]:
        try:
            for _ in range(_TRIES):
                with suppress(files.PageChanged):
                    return self._once(page, changes, bindings, drawn)
            return self._once(page, changes, bindings, drawn)
        except FencerunError as error:
            # One page that cannot be written is no reason to throw away what the others said.
            return dict.fromkeys({*changes, *bindings}, (error.what, error.remedy)), False

    def _once(
        self, page: Page, changes: Changes, bindings: Bindings, drawn: Drawn
    ) -> tuple[Refused, bool]:
        """Read the page as it is now, and replace it. Raises FencerunError."""
        with files.locked(page.path):
            data = files.read(page.path)
            now = reader.parse(data, page.path, self.base.syntax)
            new, reasons = merge.apply(page, now, changes, self.base, bindings)
            refused = {number: (why, "") for number, why in reasons}
            ready = [one for n, many in drawn.items() if n not in refused for one in many]
            if self.dry_run or (new == data and not ready):
                return refused, False
            with figurefiles.written(page.path, ready, _shown(now)):
                files.replace(page.path, new, data)
            after = reader.parse(new, page.path, self.base.syntax)
            figurefiles.delete(page.path, _shown(now) - _shown(after))
        return refused, True

    def _after(self, verdict: Verdict, touched: Set[int], refused: Refused) -> Verdict:
        if verdict.fence in refused:
            why, remedy = refused[verdict.fence]
            why = why.replace(f"fence {verdict.fence} ", "it ", 1)
            remedy = remedy or f"fencerun record {pasted(verdict.id)}"
            return replace(verdict, kind="refused", what=why, remedy=remedy)
        if self.dry_run or verdict.fence not in touched or verdict.kind == "passed":
            return verdict
        return replace(verdict, kind="recorded", what=_said(verdict), remedy="")


def _shown(page: Page) -> Set[str]:
    """The files of figures that a page's recordings show."""
    return {path for r in page.recordings if r.region for path in shown(r.text).paths}


def _said(verdict: Verdict) -> str:
    if verdict.kind == "orphan":
        return "its recording is removed, since the fence is gone"
    return "its output is recorded" if verdict.kind == "unrecorded" else "its recording is updated"


def _is_stale(recording: Recording, new: NewRecording) -> bool:
    """Whether it was recorded from other code than what runs now, or does not say from which."""
    now = parse_key(dict(new.provenance).get("key", ""))
    made = parse_key(recording.key or "")
    return now is not None and (made is None or made.source != now.source)


def _stands(recording: Recording | None, new: NewRecording) -> bool:
    """Whether a recording that says the same already says where it is from."""
    said = dict(new.provenance)
    return recording is not None and (recording.key, recording.on) == (said["key"], said["on"])
