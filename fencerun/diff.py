"""The lines of a diff between a recording and what was printed, as data for reports.

It compares text as it stands: to show only what does not match, give it the merged lines of a
comparison instead of the printed ones. Linear in the number of lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fencerun.align import Gap, align, gaps_between
from fencerun.events import DiffLine


def diff(
    recorded: Sequence[str], printed: Sequence[str], *, first_line: int, context: int = 3
) -> tuple[DiffLine, ...]:
    """Removed, added and ``context`` equal lines around them; ``()`` when nothing differs.

    ``first_line`` is the page line of the first recorded line. Equal lines further away are left
    out, and a line says how many.
    """
    whole = Gap((0, len(recorded)), (0, len(printed)))
    gaps = list(gaps_between(align((recorded, printed)), whole))
    if not gaps:
        return ()
    lines: list[DiffLine] = []
    at = 0
    for gap in gaps:
        after = context if lines else 0
        lines += _equal(recorded, at, gap.left[0], first_line, after, context)
        lines += (DiffLine("-", recorded[i], first_line + i) for i in range(*gap.left))
        lines += (DiffLine("+", printed[j]) for j in range(*gap.right))
        at = gap.left[1]
    lines += _equal(recorded, at, len(recorded), first_line, context, 0)
    return tuple(lines)


def _equal(
    recorded: Sequence[str], start: int, end: int, first_line: int, after: int, before: int
) -> Iterator[DiffLine]:
    """Equal lines: ``after`` the last change, ``before`` the next, a notice between."""
    hidden = range(start + after, end - before)
    # A notice that stands for one line takes as much room as the line.
    if len(hidden) < 2:
        hidden = range(end, end)
    yield from (DiffLine(" ", recorded[i], first_line + i) for i in range(start, hidden.start))
    if hidden:
        yield DiffLine("~", f"{len(hidden):,} equal lines")
        yield from (DiffLine(" ", recorded[i], first_line + i) for i in range(hidden.stop, end))
