"""The job summary that GitHub shows under a run: Markdown text of a tally. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from fencerun.reporters.details import INDENT, details
from fencerun.reporters.escape import one_line
from fencerun.reporters.summary import counts, reasons
from fencerun.reporters.tally import Tally
from fencerun.reporters.wording import location, needs_attention, severity, text, what

#: GitHub takes 1 MiB a step; what is left out is counted.
_BUDGET = 900_000
#: Rows of the table, and fences with details.
_ROWS = 200

_SPECIAL = re.compile(r"([\\`*_{}\[\]|~$])")
#: A colon that could begin an emoji's name or a link.
_COLON = re.compile(r":(?=[\w+-]+:|//)")


def job_summary(tally: Tally) -> str:
    """Headline, a table of what needs attention, details to unfold, the command to run again."""
    parts = [f"### fencerun: {'all is well' if tally.well else 'something to do'}\n\n"]
    parts += (f"{plain(text(line))}\n\n" for line in (counts(tally), *reasons(tally)))
    parts += _problems(tally)
    used = sum(len(part.encode("utf-8", "replace")) for part in parts)
    left = 0
    for part in (*_table(tally), *_details(tally)):
        used += len(part.encode("utf-8", "replace"))
        if used > _BUDGET:
            left += 1
        else:
            parts.append(part)
    if left:
        parts.append(f"\n{left:,} more parts are in the log.\n")
    if tally.done is not None and tally.done.rerun:
        parts.append(f"\nTo run these again:\n\n{fenced(one_line(tally.done.rerun), 'sh')}")
    return "".join(parts) + "\n"


def plain(words: str) -> str:
    """``words`` as Markdown that shows them as they are, in a paragraph or a cell."""
    escaped = _SPECIAL.sub(r"\\\1", escape(one_line(words), quote=False))
    return _COLON.sub("&#58;", escaped)


def fenced(words: str, language: str = "text") -> str:
    """``words`` as a code block, whose delimiter is longer than any run of ticks inside."""
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{words}\n{ticks}\n"


def _problems(tally: Tally) -> Iterator[str]:
    for problem in tally.problems[:_ROWS]:
        where = plain(location(problem.page, problem.line))
        kind = "problem" if problem.severity == "error" else "warning"
        yield f"- {where} **{kind}** {plain(problem.what)}\n"
    if len(tally.problems) > _ROWS:
        yield f"- {len(tally.problems) - _ROWS:,} more\n"
    if tally.problems:
        yield "\n"


def _table(tally: Tally) -> Iterator[str]:
    faults = [verdict for verdict in tally.verdicts if needs_attention(verdict)]
    if faults:
        yield "| where | fence | verdict | what |\n|---|---|---|---|\n"
    for one in faults[:_ROWS]:
        where = plain(location(one.page, one.line))
        mark = "⚠️" if severity(one.kind) == "warning" else "❌"
        yield f"| {where} | {one.fence} | {mark} {one.kind} | {plain(what(one))} |\n"
    if len(faults) > _ROWS:
        yield f"| {len(faults) - _ROWS:,} more | | | |\n"
    if faults:
        yield "\n"


def _details(tally: Tally) -> Iterator[str]:
    faults = [verdict for verdict in tally.verdicts if needs_attention(verdict)]
    for one in faults[:_ROWS]:
        lines = [text(line).removeprefix(INDENT) for line in details(one)]
        if lines:
            # Within an HTML block Markdown's escapes don't count.
            title = escape(f"{location(one.page, one.line)} fence {one.fence}")
            body = fenced("\n".join(lines))
            yield f"<details><summary>{title}</summary>\n\n{body}\n</details>\n\n"
