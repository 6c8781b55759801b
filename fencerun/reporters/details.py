"""What stands under the message of a verdict: code, traceback, values, diff, output, remedy.

Pure, and knows no stream. Every quoted line has a margin that ends in a rule, so that text from a
fence never begins a line (CI runners take commands from line beginnings).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fencerun.events import DiffLine, Verdict
from fencerun.plural import count
from fencerun.reporters.escape import MAX_LINE, block, cut, diff_line, one_line
from fencerun.reporters.wording import (
    Line,
    Role,
    Span,
    duration,
    head,
    leak_head,
    needs_attention,
    remedy,
)
from fencerun.result import Failure

INDENT = "    "

#: Lines kept of a diff, a traceback and an output, by verbosity (the last holds beyond it).
_DIFF_LINES = (60, 1000, 1_000_000)
_OUTPUT_LINES = (12, 100, 1_000_000)

_MARK_ROLES: dict[str, Role] = {" ": "same", "-": "removed", "+": "added", "~": "faint"}


def report(verdict: Verdict, verbose: int = 0, columns: int | None = None) -> tuple[Line, ...]:
    """Every line to show for a verdict; none for one that is as it should be, unless verbose.

    With ``columns``, a diff is shown side by side within so many.
    """
    lines: list[Line] = []
    if needs_attention(verdict):
        lines += (head(verdict), *details(verdict, verbose, columns))
    elif verbose:
        lines.append((*head(verdict), *_aside(verdict)))
    leaks = [leak for leak in verdict.leaks if verbose or not leak.undone]
    lines += (leak_head(verdict, leak) for leak in leaks)
    if verdict.replaced and (lines or verbose):
        why = cut(one_line(verdict.replaced))
        lines.append((Span("faint", f"{INDENT}the worker was replaced: {why}"),))
    return tuple(lines)


def details(verdict: Verdict, verbose: int = 0, columns: int | None = None) -> tuple[Line, ...]:
    """What stands under the message of a verdict that needs attention."""
    width = _margin_width(verdict)
    lines: list[Line] = []
    if verdict.failure is not None:
        lines += _failure(verdict, verdict.failure, width, verbose)
    elif verdict.source and not verdict.diff:
        source = one_line(verdict.source.strip())
        lines.append(_quoted("source", source, width, number=verdict.line))
    lines += _diff(verdict.diff, width, _limit(_DIFF_LINES, verbose), columns)
    if verdict.kind == "failed":
        lines += _tail("output so far", verdict.output, width, verbose)
        lines += _tail("stderr", verdict.stderr, width, verbose)
    lines += ((Span("remedy", INDENT + words),) for words in remedy(verdict))
    return tuple(lines)


def _aside(verdict: Verdict) -> Line:
    """The seconds or the reason of a verdict that is as it should be."""
    if verdict.reason and verdict.reason not in verdict.what:
        return (Span("faint", f" ({one_line(verdict.reason)})"),)
    if verdict.seconds is not None:
        return (Span("faint", f" ({duration(verdict.seconds)})"),)
    return ()


def _limit(limits: tuple[int, ...], verbose: int) -> int:
    return limits[min(verbose, len(limits) - 1)]


def _margin_width(verdict: Verdict) -> int:
    numbers = [line.line for line in verdict.diff if line.line is not None]
    return max(len(str(number)) for number in (*numbers, verdict.line))


def _quoted(role: Role, text: str, width: int, number: int | None = None, mark: str = "") -> Line:
    """One quoted line with its margin: ``    41 - | text``."""
    place = "" if number is None else str(number)
    return (Span("margin", f"{INDENT}{place:>{width}}{mark} | "), Span(role, cut(text)))


def _label(text: str) -> Line:
    return (Span("label", INDENT + text),)


def _failure(verdict: Verdict, failure: Failure, width: int, verbose: int) -> Iterator[Line]:
    trace = block(failure.traceback)
    simple = _simple_trace(trace, verdict.source, failure.summary)
    source = one_line(verdict.source.strip() or (simple[0] if simple else ""))
    if source:
        yield _quoted("source", source, width, number=verdict.line)
    if simple is None or verbose:
        yield from _trimmed(trace, width, verbose)
    elif simple[1]:
        yield _quoted("caret", simple[1], width)
    if failure.values:
        yield _label("where")
        for expression, value in failure.values:
            yield _quoted("quoted", f"{one_line(expression)} = {one_line(value)}", width)


def _simple_trace(trace: list[str], source: str, summary: str) -> tuple[str, str] | None:
    """The code and caret lines of a traceback that says nothing more than message and source do.

    That is one frame, one line of code, no cause, no notes.
    """
    frames = trace[1:] if trace[:1] == ["Traceback (most recent call last):"] else trace
    if len(frames) not in (2, 3, 4) or not frames[0].startswith("  File "):
        return None
    code, caret = frames[1:-1] or [""], ""
    if len(code) == 2:
        caret = code[1][4:].rstrip()
    if frames[-1].startswith(" ") or frames[-1] != one_line(summary) or set(caret) - set(" ^~"):
        return None
    shown = code[0].strip()
    if source.strip() and shown and shown != source.strip():
        return None
    return shown, caret


def _trimmed(trace: list[str], width: int, verbose: int) -> Iterator[Line]:
    """The traceback, without its middle when it is long."""
    limit = _limit(_DIFF_LINES, verbose)
    if len(trace) > limit:
        half = limit // 2
        left = [f"… {count(len(trace) - 2 * half, 'line')} of the traceback"]
        trace = [*trace[:half], *left, *trace[-half:]]
    for line in trace:
        yield _quoted("quoted", line, width)


def _tail(name: str, text: str, width: int, verbose: int) -> Iterator[Line]:
    """The end of an output, under a label."""
    lines = block(text)
    limit = _limit(_OUTPUT_LINES, verbose)
    if not lines:
        return
    kept = lines[-limit:]
    yield _label(
        name if len(kept) == len(lines) else f"{name}, last {limit} of {len(lines):,} lines"
    )
    for line in kept:
        yield _quoted("quoted", line, width)


def _diff(
    diff: tuple[DiffLine, ...], width: int, limit: int, columns: int | None
) -> Iterator[Line]:
    shown = diff[:limit]
    if columns is not None:
        from fencerun.reporters.sidebyside import side_by_side  # few runs show it

        yield from side_by_side(shown, _windows(shown), width, INDENT, columns)
    for line, words in zip(shown, _windows(shown), strict=True) if columns is None else ():
        role = _MARK_ROLES[line.mark]
        yield _quoted(role, words, width, number=line.line, mark=f" {line.mark}")
    if len(diff) > limit:
        more = count(len(diff) - limit, "more line")
        yield _quoted("faint", f"{more} of the diff (-v shows them)", width, mark=" ~")


def _windows(diff: Sequence[DiffLine]) -> list[str]:
    """The texts of a diff; of long lines, the part where a removed and an added one part ways."""
    if not diff:
        return []
    from fencerun.reporters.pairs import pairs  # few runs show a diff

    texts = [diff_line(line.text) for line in diff]
    for old, new in pairs(diff):
        if old is not None and new is not None and old != new:
            texts[old], texts[new] = _window(texts[old], texts[new])
    return texts


def _window(old: str, new: str) -> tuple[str, str]:
    if len(old) <= MAX_LINE and len(new) <= MAX_LINE:
        return old, new
    same = next(
        (at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    start = max(0, same - 80)
    lead = f"({start:,} equal characters) …" if start else ""
    return lead + old[start:], lead + new[start:]
