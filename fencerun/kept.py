"""What is said of a fence that does not run here: kept, stale, edited, missing or expired. Pure.

Loaded where there is one. Knows nothing of other machines' runs.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from fencerun import drawing, figures, freshness
from fencerun.canonical import recorded as canonical
from fencerun.events import Verdict
from fencerun.freshness import Part
from fencerun.judge import rule_of
from fencerun.masks import Mask
from fencerun.members import Member
from fencerun.page import Recording
from fencerun.pasting import pasted
from fencerun.plan import Idle
from fencerun.provenance import parse_on

if TYPE_CHECKING:
    from fencerun.unrun import Unrun

Freshness = Literal["kept", "stale", "edited", "missing"]


def verdict(unrun: Unrun, idle: Idle, base: Verdict) -> Verdict:
    """The verdict of a fence that is not run. ``base`` is the one that says no more than that."""
    member, recording = idle.member, idle.member.fence.recording
    mere = idle.kind == "skip" or (idle.kind == "told" and not member.requires)
    if mere or not member.recorded:
        return base
    if recording and not recording.key and not member.has_recording:
        recording = None  # a transcript that shows nothing yet
    said = recording.text if recording else ()
    drawn = drawing.covered(member.tags, said, unrun.beside(member.page.path))
    parts, shown = unrun.parts(member), [value.shown for value in member.fence.values]
    lines = _lines(member, said, unrun.masks)
    known = judge(recording, parts, unrun.today, lines, shown, drawn)
    there = _there(idle)
    if recording is None or known == "missing":
        return replace(base, kind="missing", what=f"never recorded ({idle.why})", remedy=there)
    if known == "stale":
        return replace(base, kind="stale", what=_stale(recording, parts), remedy=there)
    if known == "edited":
        text = freshness.text_hash(lines, shown, drawn)
        text_stands = (recording.key or "").endswith(f".{text}")
        what, remedy = _edited(drawn, text_stands), f"undo that, or {there}"
        return replace(base, kind="edited", line=recording.line, what=what, remedy=remedy)
    return _kept(base, recording, there, unrun.today, unrun.max_kept_days)


def judge(
    recorded: Recording | None,
    parts: Sequence[Part],
    today: datetime.date,
    lines: Sequence[str] | None = None,
    values: Sequence[str] = (),
    figures: Sequence[str] = (),
) -> Freshness:
    """What is known of a recording without running its fence.

    ``lines`` are the canonical lines of its text, where they are not simply its lines, and
    ``values`` what the values of its fence say in the prose; ``figures`` are the canonical texts
    of the figures that it shows. One without a readable key is stale: nothing says that it
    belongs to the code. Edited is a text that the key does not fit, or a date that no recording
    can have.
    """
    if recorded is None:
        return "missing"
    key = freshness.parse_key(recorded.key or "")
    if key is None or key.source != freshness.source_hash(parts):
        return "stale"
    if key.text != freshness.text_hash(recorded.text if lines is None else lines, values, figures):
        return "edited"
    made = parse_on(recorded.on or "")
    # A machine one time zone ahead may write tomorrow's date.
    if made is None or made.age_days(today) < -1:
        return "edited"
    return "kept"


def _lines(member: Member, text: Sequence[str], masks: Sequence[Mask]) -> tuple[str, ...]:
    """The canonical lines of a recording with this text."""
    if member.fence.transcript is not None:  # what is typed was never masked
        return tuple(text)
    rule = rule_of(member.tags, masks)
    return figures.essence(member.tags, canonical("\n".join(text), masks=rule.masks))


def _kept(
    base: Verdict, recording: Recording, there: str, today: datetime.date, most: int | None
) -> Verdict:
    """The verdict of a recording that still belongs to its fence, ``most`` days old at most."""
    made = parse_on(recording.on or "")
    assert made is not None, "a recording without a date is none that is kept"
    days = max(0, made.age_days(today))
    age = "today" if days == 0 else f"{days} day{'s' if days != 1 else ''} ago"
    what = f"recorded on {made.device} with {made.torch}, {age}"
    if most is None or days <= most:
        return replace(base, kind="kept", what=what)
    what += f"; the project allows {most} days"
    remedy = there.replace("fencerun record", "fencerun record --renew", 1)
    return replace(base, kind="expired", what=what, remedy=remedy)


def _there(idle: Idle) -> str:
    """The command that records a fence, and where it can run."""
    reason = idle.reason
    if idle.kind == "told":
        reason = f"requires:{','.join(idle.member.requires)}"
    return f"run `fencerun record {pasted(idle.member.id)}` where {reason} holds"


def _stale(recording: Recording, parts: Sequence[Part]) -> str:
    """Why nothing says that a recording belongs to its fence."""
    if not recording.key:
        return "nothing says which code its recording belongs to (no `key:`)"
    files = any(part.name.startswith(("module ", "file ", "set-up file ")) for part in parts)
    changed = "its code, or a file that it uses, changed" if files else "its code changed"
    return f"{changed} since it was recorded"


def _edited(drawn: Sequence[str], text_stands: bool) -> str:
    """What was done to a recording by hand; ``drawn`` are the figures that it shows."""
    if text_stands:
        return "its `on:` does not say where and when it was recorded, or names a day to come"
    if "" in drawn:
        return "a figure that it shows is not there, or is no SVG"
    if drawn:
        return "its recorded text, or a figure that it shows, was changed by hand"
    return "its recorded text was changed by hand"
