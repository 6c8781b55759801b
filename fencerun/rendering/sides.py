"""A diff side by side: what is recorded, and what was printed. Pure, and all text escaped.

Where there is only one of the two, it has all of the room.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fencerun.events import DiffLine
from fencerun.reporters.escape import cut, diff_line, one_line
from fencerun.reporters.pairs import Pair, pairs

#: Rows that are shown; the rest is counted.
MOST = 400

#: What the sides are called in the markup, and what stands above them.
_SIDES = {"old": "recorded", "new": "printed"}


def by_side(diff: Sequence[DiffLine]) -> str:
    """A table of two columns. On a narrow screen its cells stand one below the other."""
    rows = list(pairs(diff))
    marks = {line.mark for line in diff} - {"~"}
    sides = [side for side, other in (("old", "+"), ("new", "-")) if marks != {other}]
    shown = "".join(_row(diff, pair, sides) for pair in rows[:MOST])
    if len(rows) > MOST:
        shown += _gap(f"{len(rows) - MOST:,} more rows", sides)
    columns = "".join(f'<th scope="col">{_SIDES[side]}</th>' for side in sides)
    head = f"<thead><tr><th></th>{columns}</tr></thead>"
    return (
        '<div class="diff-frame" tabindex="0" role="region" aria-label="diff">'
        f'<table class="diff">{head}<tbody>{shown}</tbody></table></div>'
    )


def _row(diff: Sequence[DiffLine], pair: Pair, sides: Sequence[str]) -> str:
    left, right = (None if at is None else diff[at] for at in pair)
    if left is not None and left.mark == "~":
        return _gap(left.text, sides)
    old = None if left is None else cut(diff_line(left.text))
    new = None if right is None else cut(diff_line(right.text))
    same = left is right
    number = "" if left is None or left.line is None else str(left.line)
    kind = "same" if same else "changed"
    if old is not None and new is not None and not same:
        before, after = _marked(old, new)
    else:
        before, after = escape(old or "", quote=False), escape(new or "", quote=False)
    cells = {"old": _cell("old", before, old is None), "new": _cell("new", after, new is None)}
    inner = "".join(cells[side] for side in sides)
    return f'<tr class="{kind}"><th scope="row">{number}</th>{inner}</tr>'


def _cell(side: str, html: str, empty: bool) -> str:
    return f'<td class="{side} none"></td>' if empty else f'<td class="{side}">{html}</td>'


def _gap(text: str, sides: Sequence[str]) -> str:
    span = f'colspan="{len(sides)}"'
    return f'<tr class="gap"><th></th><td {span}>{escape(one_line(text))}</td></tr>'


def _marked(old: str, new: str) -> tuple[str, str]:
    """Both, with the part in which they differ marked."""
    start = 0
    limit = min(len(old), len(new))
    while start < limit and old[start] == new[start]:
        start += 1
    end = 0
    while end < limit - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return _around(old, start, end, "del"), _around(new, start, end, "ins")


def _around(text: str, start: int, end: int, tag: str) -> str:
    stop = len(text) - end
    middle = escape(text[start:stop], quote=False)
    marked = f"<{tag}>{middle}</{tag}>" if middle else ""
    return f"{escape(text[:start], quote=False)}{marked}{escape(text[stop:], quote=False)}"
