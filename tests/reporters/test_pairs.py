"""Which lines of a diff stand beside each other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.events import DiffLine
from fencerun.reporters.pairs import pairs


def of(marks: str) -> list[Any]:
    return list(pairs(DiffLine(mark, mark) for mark in marks))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("marks", "found"),
    [
        ("", []),
        (" ~", [(0, 0), (1, 1)]),
        ("-+", [(0, 1)]),
        ("--+", [(0, 2), (1, None)]),
        ("-++", [(0, 1), (None, 2)]),
        ("-+-+", [(0, 1), (2, 3)]),
        ("+-", [(None, 0), (1, None)]),
        ("- +", [(0, None), (1, 1), (None, 2)]),
    ],
)
def test_pairs(marks: str, found: list[Any]) -> None:
    assert of(marks) == found


@given(st.text(alphabet=" -+~", max_size=30))
def test_each_line_stands_once_on_its_side_and_in_order(marks: str) -> None:
    found = of(marks)
    for side, mark in ((0, "+"), (1, "-")):
        places = [pair[side] for pair in found if pair[side] is not None]
        assert places == [at for at, one in enumerate(marks) if one != mark]
