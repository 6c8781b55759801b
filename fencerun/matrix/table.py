"""What a matrix found, as a table: fences down, environments across. Pure.

A row is shown where environments differ, or where a fence holds in none; ``verbose`` shows all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fencerun.events import Verdict
from fencerun.exits import exit_code
from fencerun.frozen import dataclass
from fencerun.plural import count
from fencerun.reporters.columns import padded, width
from fencerun.reporters.escape import cut, one_line
from fencerun.reporters.wording import Line, Role, Span, kind_words, needs_attention, severity

#: Columns that the name of an environment may take.
_LABEL = 40

#: Said of a fence that an environment has nothing to say of.
_NOTHING = "–"

#: The first that applies to any environment is the matrix's, as in `check`.
_ORDER = (2, 6, 3, 4, 1, 5)


@dataclass(frozen=True, slots=True)
class Column:
    """What one environment gave: the exit code of its check and a verdict for each fence.

    ``verdicts`` is None where the environment could not be built.
    """

    label: str
    exit_code: int
    verdicts: Mapping[str, Verdict] | None = None


def overall(columns: Sequence[Column]) -> int:
    """The exit code of a matrix: the worst of its checks; 2 where no environment was built.

    An environment that could not be built verified nothing (5).
    """
    built = [column for column in columns if column.verdicts is not None]
    if not built:
        return 2
    codes = {column.exit_code for column in built}
    if len(built) < len(columns):
        codes.add(5)
    return next((code for code in _ORDER if code in codes), 0)


def holds(verdict: Verdict) -> bool | None:
    """Whether a fence ran and is as recorded; None where it did not run and nobody has to act."""
    if needs_attention(verdict):
        return False
    return None if verdict.kind in ("kept", "skipped") else True


def table(columns: Sequence[Column], verbose: bool = False) -> list[Line]:
    """The lines of the table, with a summary row at its end."""
    built = [column for column in columns if column.verdicts is not None]
    labels = (Span("label", cut(one_line(column.label), _LABEL)) for column in columns)
    fences = list(_fences(columns, built, verbose))
    rows = [
        [Span("text", ""), *labels],
        *fences,
        [Span("command", "holds"), *map(_summary, columns)],
    ]
    widths = [2 + max(width(row[at].text) for row in rows) for at in range(len(rows[0]))]
    lines = [_row(row, widths) for row in rows]
    left = len(_ids(built)) - len(fences)
    if left:
        words = f"({count(left, 'fence')} that every environment agrees on: -v shows them)"
        lines.insert(-1, (Span("faint", words),))
    return lines


def _row(cells: Sequence[Span], widths: Sequence[int]) -> Line:
    both = zip(cells, widths, strict=True)
    row = (Span(cell.role, padded(cell.text, room)) for cell, room in both)
    # A line with a margin is not wrapped at blanks, which would tear columns apart.
    return (Span("margin", ""), *row)


def _ids(built: Sequence[Column]) -> list[str]:
    return list(dict.fromkeys(fence for column in built for fence in column.verdicts or ()))


def _fences(
    columns: Sequence[Column], built: Sequence[Column], verbose: bool
) -> Iterator[list[Span]]:
    for fence in _ids(built):
        found = [(column.verdicts or {}).get(fence) for column in built]
        kinds = {None if verdict is None else verdict.kind for verdict in found}
        well = all(verdict is not None and not needs_attention(verdict) for verdict in found)
        if verbose or len(kinds) > 1 or not well:
            yield [Span("text", one_line(fence)), *(_cell(column, fence) for column in columns)]


def _cell(column: Column, fence: str) -> Span:
    if column.verdicts is None:
        return Span("text", "")
    verdict = column.verdicts.get(fence)
    if verdict is None:
        return Span("faint", _NOTHING)
    return Span(severity(verdict.kind), kind_words(verdict.kind))


def _summary(column: Column) -> Span:
    """``70 of 74, 3 not run``."""
    if column.verdicts is None:
        return Span("error", "not built")
    said = [holds(verdict) for verdict in column.verdicts.values()]
    ran = [one for one in said if one is not None]
    idle = len(said) - len(ran)
    words = f"{sum(ran):,} of {len(ran):,}" + (f", {idle:,} not run" if idle else "")
    # A problem of a page, say: the verdicts do not tell.
    other = column.exit_code not in (0, exit_code(column.verdicts.values(), ())[0])
    role: Role = "error" if column.exit_code else "ok"
    return Span(role, f"{words} (exit {column.exit_code})" if other else words)
