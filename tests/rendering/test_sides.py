from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.diff import diff
from fencerun.events import DiffLine
from fencerun.rendering import sides

from .reading import Elements


def test_what_was_removed_stands_beside_what_was_added() -> None:
    shown = sides.by_side(
        (
            DiffLine(" ", "same", 4),
            DiffLine("-", "a 1 b", 5),
            DiffLine("+", "a 22 b"),
            DiffLine("+", "more"),
            DiffLine("~", "3 equal lines"),
        )
    )
    rows = shown.partition("<tbody>")[2].split("<tr ")[1:]
    assert "same</td>" in rows[0] and rows[0].count("same<") == 2
    assert "a <del>1</del> b" in rows[1] and "a <ins>22</ins> b" in rows[1] and ">5</th>" in rows[1]
    assert 'class="old none"' in rows[2] and "more" in rows[2]
    assert "3 equal lines" in rows[3]


@pytest.mark.parametrize(
    ("mark", "side", "other"), [("+", "new", "recorded"), ("-", "old", "printed")]
)
def test_one_side_alone_has_all_of_the_room(mark: Any, side: str, other: str) -> None:
    diff = (DiffLine(mark, "a", 4), DiffLine("~", "3 more"), DiffLine(mark, "b", 8))
    shown = sides.by_side(diff)
    assert shown.count("<td") == 3 and shown.count(f'<td class="{side}">') == 2
    assert other not in shown and " none" not in shown and 'colspan="1"' in shown


def test_blanks_that_cannot_be_seen_are_shown() -> None:
    shown = sides.by_side((DiffLine("-", "a\xa0b"), DiffLine("+", "a b")))
    assert "\\xa0" in shown


def test_long_diffs_are_cut() -> None:
    shown = sides.by_side(tuple(DiffLine("+", str(n)) for n in range(sides.MOST + 5)))
    assert "5 more rows" in shown


_LINES = st.lists(st.sampled_from(("a", "b", "<c>", "d & e", "", "f f")), max_size=12)


@given(_LINES, _LINES)
def test_both_sides_are_whole(recorded: list[str], printed: list[str]) -> None:
    shown = sides.by_side(diff(recorded, printed, first_line=1, context=100))
    found = Elements(shown)
    assert found.open == [] and found.stray == []
    if recorded == printed:
        return
    for side, lines in (("old", recorded), ("new", printed)):
        cells = [part.partition("</td>")[0] for part in shown.split(f'<td class="{side}">')[1:]]
        for mark in ("<del>", "</del>", "<ins>", "</ins>"):
            cells = [cell.replace(mark, "") for cell in cells]
        assert [unescape(cell) for cell in cells] == lines
