"""Verdicts on figures: what a fence drew, against the files that its page shows. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from fencerun import figures
from fencerun.events import Verdict
from fencerun.figures import Figure, Shown
from fencerun.judgement import Judgement
from fencerun.localmodules import Read
from fencerun.members import Member
from fencerun.page import Recording
from fencerun.pasting import pasted
from fencerun.tags import Tags


def shown(recording: Recording | None, tags: Tags) -> Shown:
    """What a recording shows: where the fence draws nothing, all of it is text."""
    if recording is None:
        return Shown()
    if tags.figure and recording.region:
        return figures.read(recording.text)
    return Shown(recording.text)


def text_of(member: Member, recording: Recording) -> tuple[tuple[str, ...], int]:
    """The recorded text, and the page line, counted from 1, on which it begins."""
    found = shown(recording, member.tags)
    return found.text, recording.line + bool(found.head)


def covered(
    tags: Tags, lines: Sequence[str], read: Read, new: Sequence[Figure] = ()
) -> tuple[str, ...]:
    """What a key covers of the figures that recorded lines show: each file's canonical text.

    ``new`` are figures that are about to be written. A file that is not there has none.
    """
    if not tags.figure:
        return ()
    texts = {figure.path: figure.text for figure in new}
    return tuple(_canonical(texts.get(path), path, read) for path in figures.read(lines).paths)


def _canonical(text: str | None, path: str, read: Read) -> str:
    from fencerun import svg

    data = read(path) if text is None else text.encode("utf-8", "backslashreplace")
    try:
        return svg.canonical((data or b"").decode("utf-8"))
    except (svg.NotSvg, UnicodeDecodeError):
        return ""


def judge(
    judgement: Judgement, member: Member, drawn: Sequence[Figure], read: Read, elsewhere: bool
) -> Judgement:
    """``judgement`` of what a fence printed, and now of what it drew too.

    ``read`` gives the files beside the page. ``elsewhere`` says that it was recorded on another
    device: then figures are not compared.
    """
    from fencerun import svg

    recording = member.fence.recording
    before = shown(recording, member.tags)
    judgement = replace(judgement, drawn=tuple(figure.text for figure in drawn))
    rtol = member.tags.rtol
    tolerance = math.inf if rtol is not None and rtol.any else svg.TOLERANCE
    own = member.page.path.rpartition("/")[2]
    differing = [
        (one, why)
        for one in drawn
        if (why := _taken(one, read, own) or _differs(one, read, tolerance))
    ]
    reason = _reason(before, [figure.path for figure in drawn], differing)
    if recording is None:
        reason = f"it drew {_count(len(drawn))}" if drawn else None
    if reason is None and judgement.lines is None:
        return judgement
    there = all(read(figure.path) is not None for figure, _ in differing)
    if elsewhere and judgement.lines is None and there and before.paths and recording is not None:
        what = f"recorded on {recording.on}: its figures were not compared"
        return replace(judgement, verdict=replace(judgement.verdict, kind="elsewhere", what=what))
    text = before.text if judgement.lines is None else judgement.lines
    return replace(
        judgement,
        verdict=_verdict(judgement.verdict, reason, recording),
        lines=figures.write(text, [figure.path for figure in drawn], before),
        figures=tuple(figure for figure, _ in differing),
    )


def _taken(figure: Figure, read: Read, own: str) -> str | None:
    """Why a file is not this page's to show, however alike it is; None where it is."""
    owner = figures.owner(read(figure.path) or b"")
    if owner is None or owner == own or not figures.claims(read(owner) or b"", figure.path):
        return None
    return f"it is a figure of {owner}"


def _differs(figure: Figure, read: Read, tolerance: float) -> str | None:
    """Why the file of a figure does not show it; None where it does."""
    from fencerun import svg

    data = read(figure.path)
    if data is None:
        return "there is no such file"
    try:
        return svg.difference(data.decode("utf-8"), figure.text, tolerance)
    except (svg.NotSvg, UnicodeDecodeError) as error:
        return f"it is no SVG ({error})"


def _reason(
    before: Shown, paths: Sequence[str], differing: Sequence[tuple[Figure, str]]
) -> str | None:
    if tuple(paths) != before.paths:
        return f"it drew {_names(paths)}, and its recording shows {_names(before.paths)}"
    if differing:
        figure, why = differing[0]
        more = f", and {_count(len(differing) - 1)} more" if len(differing) > 1 else ""
        return f"{figure.path}: {why}{more}"
    return "its recording holds what it neither printed nor drew" if before.other else None


def _names(paths: Sequence[str]) -> str:
    return ", ".join(path.rpartition("/")[2] for path in paths) or "no figure"


def _count(number: int) -> str:
    return "1 figure" if number == 1 else f"{number} figures"


def _verdict(verdict: Verdict, reason: str | None, recording: Recording | None) -> Verdict:
    if reason is None:
        return verdict
    remedy = f"fencerun record {pasted(verdict.id)}"
    if recording is None:
        printed = verdict.kind == "unrecorded"
        what = verdict.what.replace("it printed", f"{reason} and printed") if printed else reason
        what = what if printed else f"{what} and has no recording"
        return replace(verdict, kind="unrecorded", what=what, remedy=remedy)
    if verdict.kind in ("passed", "elsewhere"):
        line = recording.line
        return replace(verdict, kind="changed", line=line, what=reason, remedy=remedy)
    return replace(verdict, what=f"{verdict.what}; {reason}")
