"""What is said of a fence that failed, and of those that it blocks. Pure.

Loaded when one fails: most runs have no use for it.
"""

from __future__ import annotations

from dataclasses import replace

from fencerun.canonical import canonical
from fencerun.events import Verdict
from fencerun.judgement import Judgement
from fencerun.members import Member
from fencerun.pasting import pasted
from fencerun.redaction import Redaction
from fencerun.result import Failure, Outcome

#: Bytes of a failed fence's output and stderr that a report shows.
SHOWN = 4 << 10

#: Exit statuses that a fence may be said to end with.
_STATUSES = frozenset(map(str, range(1, 126)))


def blocked(member: Member, by: Member, why: Failure | None) -> Verdict:
    """The verdict of a fence whose chain failed before it."""
    what = f"fence {by.fence.number} before it failed"
    if why is not None:
        what += f": {why.summary}"
    return Verdict(
        member.id,
        "blocked",
        member.page.path,
        member.fence.number,
        member.fence.line,
        what,
        f"mend fence {by.fence.number} (line {by.fence.line})",
        reason=f"continues fence {by.fence.number}",
    )


def failed(
    member: Member, base: Verdict, failure: Failure, outcome: Outcome, secrets: Redaction
) -> Judgement:
    """The judgement of a fence that failed; ``base`` is its verdict so far."""
    line = failure.line or member.fence.line
    return Judgement(
        replace(
            base,
            kind="failed",
            line=line,
            what=failure.summary,
            remedy=_remedy(member, failure),
            failure=failure,
            output="\n".join(canonical(outcome.output, limit=SHOWN, secrets=secrets)),
            stderr="\n".join(canonical(outcome.stderr, limit=SHOWN, secrets=secrets)),
            source=_source_line(member, line),
        )
    )


def _source_line(member: Member, line: int) -> str:
    lines = member.fence.block.content.split("\n")
    index = line - member.fence.code_line
    return lines[index] if 0 <= index < len(lines) else ""


def _remedy(member: Member, failure: Failure) -> str:
    """What to do about a failure: for a name that another fence makes, how to continue it."""
    own = failure.line is None or bool(_source_line(member, failure.line))
    if failure.missing_name and own:
        number = member.fence.number
        earlier = [f for f in member.page.fences if f.line < member.fence.line]
        from fencerun import names

        made = names.maker(failure.missing_name, earlier)
        if made is not None and made.number != number:
            return (
                f"`{failure.missing_name}` is made by fence {made.number} (line {made.line}): "
                f"write `fence:{number} continues:{made.number}`"
            )
    again = f"fencerun check {pasted(member.id)}"
    if failure.kind == "exit" and not failure.mro and failure.message in _STATUSES:
        return f"if it is to end so, write `exit:{failure.message}`; else {again}"
    if member.fence.language == "pycon" and failure.mro:
        head = "`Traceback (most recent call last):`"
        return f"if it is to raise, write {head} below it, and record; else {again}"
    return again
