"""A diff in two columns: what is recorded on the left, what was printed on the right.

Pure. The mark between them is that of ``diff --side-by-side``, so it is read without colours, too:
``|`` both differ, ``<`` only recorded, ``>`` only printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from fencerun.events import DiffLine
from fencerun.reporters.columns import fold, padded
from fencerun.reporters.escape import cut
from fencerun.reporters.pairs import pairs
from fencerun.reporters.wording import Line, Role, Span

#: With fewer columns than this, two make less sense than one.
MIN_COLUMNS = 100

_BETWEEN = 3  # the mark, and a blank on each side

#: A line of the diff and its text as it is shown; None where the other side has more lines.
_Side = tuple[DiffLine, str] | None


def fitting(columns: int) -> int | None:
    """``columns``, if there is room for a diff side by side."""
    return columns if columns >= MIN_COLUMNS else None


def side_by_side(
    diff: Sequence[DiffLine], texts: Sequence[str], margin: int, indent: str, columns: int
) -> Iterator[Line]:
    """The rows of a diff whose lines are shown as ``texts``; ``margin`` holds line numbers."""
    if not diff:
        return
    edge = len(indent) + margin + len(" | ")
    each = max(2, (columns - edge - _BETWEEN) // 2)
    blank = " " * (edge - len(indent))
    yield (Span("label", f"{indent}{blank}{padded('recorded', each + _BETWEEN)}printed"),)
    for pair in pairs(diff):
        left, right = (None if at is None else (diff[at], texts[at]) for at in pair)
        yield from _rows(left, right, f"{indent}{{:>{margin}}} | ", each)


def _rows(left: _Side, right: _Side, edge: str, columns: int) -> Iterator[Line]:
    if left is not None and left[0].mark == "~":
        yield (Span("margin", edge.format("~")), Span("faint", left[1]))
        return
    mark, roles = _look(left, right)
    number = left[0].line if left is not None else None
    place = "" if number is None else str(number)
    cells = zip_longest(_folded(left, columns), _folded(right, columns), fillvalue="")
    for one, other in cells:
        yield (
            Span("margin", edge.format(place)),
            Span(roles[0], padded(one, columns)),
            Span("margin", f" {mark} "),
            Span(roles[1], other),
        )
        place = ""


def _look(left: _Side, right: _Side) -> tuple[str, tuple[Role, Role]]:
    if left is None:
        return ">", ("removed", "added")
    if right is None:
        return "<", ("removed", "added")
    return (" ", ("same", "same")) if left[0].mark == " " else ("|", ("removed", "added"))


def _folded(side: _Side, columns: int) -> list[str]:
    return [""] if side is None else fold(cut(side[1]), columns)
