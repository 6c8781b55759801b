"""Verdicts: what an outcome and a recording say of a fence. Pure.

Judging never writes and never runs anything; `check` and `record` judge alike, and record only
uses what is found here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fencerun import drawing, figures
from fencerun.canonical import canonical, recorded
from fencerun.citations import places
from fencerun.diff import diff
from fencerun.events import Verdict
from fencerun.judgement import Judgement
from fencerun.masks import Mask, lookup
from fencerun.members import Member
from fencerun.page import Recording
from fencerun.pasting import pasted
from fencerun.redaction import NOTHING, Redaction
from fencerun.result import Failure, Outcome
from fencerun.rule import Rule
from fencerun.tags import Raises, Tags

if TYPE_CHECKING:
    # What most fences don't need is imported where one does: they print what is recorded.
    from fencerun.compare import Comparison
    from fencerun.localmodules import Read


def rule_of(tags: Tags, own: Sequence[Mask]) -> Rule:
    """How the outputs of a fence with these tags are compared; ``own`` are the project's masks."""
    # Most fences of a page have its defaults, the very same object. (Threads ask, too.)
    global _last
    known_tags, known_own, rule = _last
    if known_tags is not tags or known_own is not own:
        rule = _rule_of(tags, own)
        _last = tags, own, rule
    return rule


#: What was asked for last, and the answer.
_last: tuple[Tags | None, Sequence[Mask], Rule] = (None, (), Rule())


def _rule_of(tags: Tags, own: Sequence[Mask]) -> Rule:
    return Rule(
        match=tags.match or "exact",
        rtol=tags.rtol.value if tags.rtol else None,
        atol=tags.atol.value if tags.atol else None,
        any_number=bool(tags.rtol and tags.rtol.any),
        ints=bool(tags.ints),
        masks=lookup(tags.mask or (), own),
        varies=lookup(tags.varies or (), own),
        tables=tags.as_ == "markdown",
    )


def judge(
    member: Member,
    outcome: Outcome,
    own: Sequence[Mask],
    max_output: int,
    elsewhere: bool = False,
    read: Read = lambda _: None,
    secrets: Redaction = NOTHING,
) -> Judgement:
    """The judgement of a fence that ran.

    ``own`` are the project's masks, ``max_output`` is in bytes. ``elsewhere`` says that it was
    recorded on another device: then text and whole numbers are compared, other numbers are free.
    ``read`` gives the files beside the page, which show its figures. Nothing in the judgement
    shows a secret.
    """
    outcome = secrets.of(outcome)
    judgement = _judged(member, outcome, own, max_output, elsewhere, read, secrets)
    # The recorded side of a difference comes from the page.
    verdict = secrets.of(judgement.verdict)
    return judgement if verdict is judgement.verdict else replace(judgement, verdict=verdict)


def _judged(
    member: Member,
    outcome: Outcome,
    own: Sequence[Mask],
    max_output: int,
    elsewhere: bool,
    read: Read,
    secrets: Redaction,
) -> Judgement:
    failure, ending = _expected(member.tags.raises, outcome.failure)
    if member.tags.exit and member.fence.transcript is None:
        failure = _exited(member.tags.exit, failure)
    base = _base(member, outcome)
    if failure is not None:
        from fencerun.failing import failed

        return failed(member, base, failure, outcome, secrets)
    rule = rule_of(member.tags, own)
    if not member.recorded or (member.tags.quiet and not member.tags.figure):
        judgement = Judgement(base, rule=rule)
    elif member.fence.transcript is not None:
        from fencerun import dialogue

        turns = member.fence.transcript.turns
        said = dialogue.printed(turns, outcome.turns, rule, max_output, secrets)
        judgement = compared(member, base, tuple(said), rule, elsewhere)
    else:
        output = b"" if member.tags.quiet else _with_line(outcome.output, ending, rule.tables)
        printed = canonical(output, masks=rule.masks, limit=max_output, secrets=secrets)
        judgement = compared(member, base, printed, rule, elsewhere, outcome.figures, read)
    if member.fence.values:
        from fencerun import bound

        return bound.judge(judgement, member.fence.values, outcome.values, rule)
    return judgement


def compared(
    member: Member,
    base: Verdict,
    printed: tuple[str, ...],
    rule: Rule,
    elsewhere: bool = False,
    drawn: Sequence[str] = (),
    read: Read = lambda _: None,
) -> Judgement:
    """The judgement of a fence that printed these canonical lines, here or on another machine.

    ``drawn`` are its figures as SVG texts; ``read`` gives the files beside the page.
    """
    if rule.tables:  # in a region a first blank line is layout
        printed = printed[next((k for k, line in enumerate(printed) if line), 0) :]
    own = places(member.page.path, printed)
    rule = replace(rule, varies=(*own, *rule.varies)) if own else rule
    judgement = _compared(member, base, printed, rule, elsewhere)
    judgement = Judgement(judgement.verdict, judgement.lines, rule, printed)
    if member.tags.figure is None:
        return judgement
    named = figures.named(member.tags.figure, drawn)
    return drawing.judge(judgement, member, named, read, elsewhere)


def _compared(
    member: Member, base: Verdict, printed: tuple[str, ...], rule: Rule, elsewhere: bool
) -> Judgement:
    recording = member.fence.recording
    if recording is None:
        return _unrecorded(base, printed)
    if member.fence.transcript is not None:
        return _spoken(member, base, recording, printed, rule, elsewhere)
    lines, first = drawing.text_of(member, recording)
    if lines == printed and not rule.masks and recording.region == member.tags.region:
        # What was printed is canonical, so the recording is too.
        return Judgement(base if base.kind == "passed" else replace(base, kind="passed"))
    text = recorded("\n".join(lines), masks=rule.masks)
    from fencerun.compare import compare

    comparison = compare(text, printed, rule)
    if comparison.equal and recording.region != member.tags.region:
        return _misplaced(base, text, recording)
    if comparison.equal:
        return Judgement(base if base.kind == "passed" else replace(base, kind="passed"))
    if elsewhere and compare(text, printed, replace(rule, any_number=True)).equal:
        what = f"recorded on {recording.on}: its fractional numbers were not compared"
        return Judgement(replace(base, kind="elsewhere", what=what))
    return _changed(base, text, comparison, first)


def _spoken(
    member: Member,
    base: Verdict,
    recording: Recording,
    printed: tuple[str, ...],
    rule: Rule,
    elsewhere: bool,
) -> Judgement:
    """The judgement of a transcript, whose own lines say what is printed."""
    from fencerun import dialogue

    turns = member.fence.transcript.turns if member.fence.transcript else ()
    text, comparison = dialogue.compare(turns, printed, rule)
    if comparison.equal:
        return Judgement(base if base.kind == "passed" else replace(base, kind="passed"))
    free = replace(rule, any_number=True)
    if elsewhere and dialogue.compare(turns, printed, free)[1].equal:
        what = f"recorded on {recording.on}: its fractional numbers were not compared"
        return Judgement(replace(base, kind="elsewhere", what=what))
    judgement = _changed(base, text, comparison, recording.line)
    if member.has_recording:
        return judgement
    what = "it prints something, and shows nothing yet"
    return replace(
        judgement, verdict=replace(judgement.verdict, kind="unrecorded", line=base.line, what=what)
    )


def _misplaced(base: Verdict, text: tuple[str, ...], recording: Recording) -> Judgement:
    """The judgement of a fence whose recording has the form that other tags would give it."""
    forms = ("a code block", "Markdown between two comments")
    what = f"its recording is {forms[recording.region]}, not {forms[not recording.region]}"
    remedy = f"fencerun record {pasted(base.id)}"
    verdict = replace(base, kind="changed", line=recording.line, what=what, remedy=remedy)
    return Judgement(verdict, text)


def _base(member: Member, outcome: Outcome) -> Verdict:
    return Verdict(
        member.id,
        "passed",
        member.page.path,
        member.fence.number,
        member.fence.line,
        seconds=outcome.seconds,
        leaks=outcome.leaks,
        replaced=outcome.replaced,
    )


def _expected(raises: Raises | None, failure: Failure | None) -> tuple[Failure | None, str | None]:
    """The failure that counts, and the line that an expected one adds to the output."""
    if raises is None:
        return failure, None
    wanted = f"raises:{raises.type}"
    if failure is None:
        return Failure("exception", f"`{wanted}`, and nothing was raised"), None
    if failure.kind not in ("exception", "exit", "syntax") or not failure.mro:
        return failure, None
    if not any(name == raises.type or name.endswith("." + raises.type) for name in failure.mro):
        return replace(failure, summary=f"`{wanted}`, and it raised {failure.summary}"), None
    if raises.text not in failure.message:
        summary = f"`{wanted}` with {raises.text!r}, and it raised {failure.summary}"
        return replace(failure, summary=summary), None
    paragraph = failure.message.strip().partition("\n\n")[0]
    name = failure.mro[0].rpartition(".")[2]
    return None, f"{name}: {paragraph}" if paragraph else name


def _exited(status: int, failure: Failure | None) -> Failure | None:
    """The failure that counts of a shell that is to end with ``status``."""
    if failure is None:
        return Failure("exit", f"`exit:{status}`, and it ended with status 0")
    if failure.kind == "exit" and failure.message == str(status) and not failure.mro:
        return None
    return failure


def _with_line(output: bytes, line: str | None, markdown: bool = False) -> bytes:
    """``output`` with ``line`` after it, on a line (in Markdown a paragraph) of its own."""
    if line is None:
        return output
    between = b"" if not output or output.endswith(b"\n") else b"\n"
    between += b"\n" if output and markdown else b""
    return output + between + line.encode("utf-8", "backslashreplace")


def _unrecorded(base: Verdict, printed: tuple[str, ...]) -> Judgement:
    if not printed:
        return Judgement(replace(base, kind="passed"))
    count = "1 line" if len(printed) == 1 else f"{len(printed)} lines"
    verdict = replace(
        base,
        kind="unrecorded",
        what=f"it printed {count} and has no recording",
        remedy=f"fencerun record {pasted(base.id)}",
        diff=diff((), printed, first_line=base.line),
    )
    return Judgement(verdict, printed)


def _changed(
    base: Verdict, text: Sequence[str], comparison: Comparison, first_line: int
) -> Judgement:
    moved = comparison.kind == "rounding"
    tolerance = tolerable(comparison) if moved else None
    rounding = tolerance is not None  # twice the number is no rounding
    what = _moved(comparison, first_line) if moved else "it printed other text than recorded"
    remedy = f"fencerun record {pasted(base.id)}"
    if rounding:
        remedy = f"add `{tolerance}` to the fence, or {remedy}"
    verdict = replace(
        base,
        kind="rounding" if rounding else "changed",
        line=first_line + (comparison.first or 0),
        what=what,
        remedy=remedy,
        diff=diff(text, comparison.merged, first_line=first_line),
    )
    return Judgement(verdict, comparison.merged)


def tolerable(comparison: Comparison) -> str | None:
    """The tolerance that would let it pass, unless that would let nearly anything pass."""
    tags = (comparison.proposal or "").split()
    if any(float(tag.removeprefix("rtol:")) > 0.1 for tag in tags if tag.startswith("rtol:")):
        return None
    return comparison.proposal


def _moved(comparison: Comparison, first_line: int) -> str:
    """The number that moved most, as one clause."""
    worst = max(comparison.numbers, key=lambda number: number.relative)
    what = (
        f"line {first_line + worst.line}: {worst.recorded} recorded, {worst.printed} printed "
        f"({worst.relative:.2g} relative)"
    )
    more = len(comparison.numbers) - 1
    return f"{what}, and {more} more" if more else what
