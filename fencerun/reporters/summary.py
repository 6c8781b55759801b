"""The closing lines of a run. Pure; the words and roles that `plain` and `rich` share."""

from __future__ import annotations

from collections.abc import Iterator

from fencerun.events import RunStarted
from fencerun.plural import count
from fencerun.reporters.escape import cut, one_line
from fencerun.reporters.tally import Tally
from fencerun.reporters.wording import (
    Line,
    Span,
    duration,
    kind_words,
    location,
    severity,
    text,
)

#: Reasons named in a summary, each kind.
_REASONS = 6
#: Replaced workers named in a summary.
_REPLACED = 3


def opening(event: RunStarted) -> Line:
    """The first line of a run: what it does, and with which interpreter."""
    about = f", {one_line(event.about)}" if event.about else ""
    return (Span("command", f"fencerun {event.verb}"), Span("faint", about))


def closing(tally: Tally) -> tuple[Line, ...]:
    """Counts, reasons, slow fences, replaced workers, notes, and the command to run again.

    At most three lines when all is well.
    """
    lines: list[Line] = [counts(tally)]
    lines += reasons(tally)
    lines += _remarks(tally) if tally.well else (*_slow_table(tally), *_hygiene(tally))
    if tally.done is not None:
        lines += ((Span("text", one_line(note)),) for note in tally.done.notes)
        if tally.done.rerun:
            label = "to go on:" if tally.done.interrupted else "to run these again:"
            lines.append((Span("label", label),))
            lines.append((Span("command", f"  {one_line(tally.done.rerun)}"),))
    return tuple(lines)


def counts(tally: Tally) -> Line:
    """``38 passed, 1 failed, 12 skipped on 3 pages in 3.2 s``."""
    spans: list[Span] = []
    for kind, number in tally.counts():
        role = severity(kind)
        spans += (Span("text", ", "), Span(role, f"{number:,} {kind_words(kind)}"))
    faults = sum(problem.severity == "error" for problem in tally.problems)
    warnings = len(tally.problems) - faults
    if faults:
        spans += (Span("text", ", "), Span("error", count(faults, "problem")))
    if warnings:
        spans += (Span("text", ", "), Span("warning", count(warnings, "warning")))
    broken = tally.done is None or tally.done.interrupted
    left = tally.started.fences - len(tally.verdicts) if tally.started and broken else 0
    if left > 0:
        spans += (Span("text", ", "), Span("note", f"{left:,} not run"))
    spans = spans[1:] or [Span("text", "no fences")]
    if tally.done is None:
        spans.insert(0, Span("error", "the run broke off: "))
    elif tally.done.interrupted:
        spans.insert(0, Span("error", "interrupted: "))
    return (*spans, Span("faint", _extent(tally)))


def _extent(tally: Tally) -> str:
    """`` on 3 pages, 2 written, in 3.2 s``."""
    pages = len({verdict.page for verdict in tally.verdicts})
    where = f" on {count(pages, 'page')}" if pages else ""
    if tally.written:
        where += f", {len(tally.written):,} written,"
    return where + (f" in {duration(tally.done.seconds)}" if tally.done else "")


def reasons(tally: Tally) -> Iterator[Line]:
    """At most one line: ``skipped: slow 2; kept: requires:cuda 12``."""
    groups = []
    for kind in ("skipped", "kept", "missing", "stale", "expired", "known"):
        why = tally.reasons(kind)
        named = [f"{cut(one_line(reason), 60)} {number:,}" for reason, number in why[:_REASONS]]
        if len(why) > _REASONS:
            named.append(count(len(why) - _REASONS, "more reason"))
        if named:
            groups.append(f"{kind}: {', '.join(named)}")
    if groups:
        yield (Span("note", "; ".join(groups)),)


def _remarks(tally: Tally) -> Iterator[Line]:
    """Slow fences and replaced workers in one line, for a run in which all is well."""
    slow = [
        f"{location(verdict.page, verdict.line)} {duration(seconds)}"
        for seconds, verdict in tally.slowest(3)
    ]
    remarks = [f"slowest: {', '.join(slow)}"] if slow else []
    remarks += (text(line) for line in _hygiene(tally))
    if remarks:
        yield (Span("note", "; ".join(remarks)),)


def _slow_table(tally: Tally) -> Iterator[Line]:
    slow = [(duration(seconds), verdict) for seconds, verdict in tally.slowest()]
    if not slow:
        return
    yield (Span("label", "slowest fences:"),)
    width = max(len(seconds) for seconds, _ in slow)
    for seconds, verdict in slow:
        where = location(verdict.page, verdict.line)
        yield (Span("note", f"  {seconds:>{width}}  "), Span("location", where))


def _hygiene(tally: Tally) -> Iterator[Line]:
    """Replaced workers and leaks that could not be undone."""
    leaks = tally.leaks()
    if leaks:
        yield (Span("warning", f"{count(leaks, 'leak')} could not be undone"),)
    replaced = tally.replaced()
    if not replaced:
        return
    times = "once" if len(replaced) == 1 else f"{len(replaced):,} times"
    named = [one_line(one.id) for one in replaced]
    if len(named) > _REPLACED:
        named[_REPLACED:] = [f"and {len(named) - _REPLACED:,} more"]
    yield (Span("warning", f"worker replaced {times}, after "), Span("text", ", ".join(named)))
