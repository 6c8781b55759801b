"""Columns of text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.reporters.columns import fold, padded, width


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("plain", 5),
        ("é", 1),
        ("e\u0301", 1),
        ("数値", 4),
        ("ｆ", 2),
        ("🙂", 2),
        ("a\u200db", 2),
    ],
)
def test_width(text: str, columns: int) -> None:
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        ("", 4, [""]),
        ("abcd", 4, ["abcd"]),
        ("abcde", 4, ["abcd", "e"]),
        ("a数値b", 4, ["a数", "値b"]),
        ("数値", 3, ["数", "値"]),
        ("abce\u0301d", 4, ["abce\u0301", "d"]),
        ("数", 1, ["数"]),
    ],
    ids=["empty", "fits", "longer", "wide", "odd", "combining", "too-narrow"],
)
def test_fold(text: str, columns: int, rows: list[str]) -> None:
    assert fold(text, columns) == rows


@given(st.text(), st.integers(2, 40))
def test_a_fold_loses_nothing_and_fits(text: str, columns: int) -> None:
    rows = fold(text, columns)
    assert "".join(rows) == text
    assert all(width(row) <= columns for row in rows)
    starts = [row[0] for row in rows[1:]]
    assert not any(unicodedata.category(one) in ("Mn", "Me") for one in starts)


@given(st.text(max_size=20))
def test_padded(text: str) -> None:
    assert width(padded(text, 60)) == 60
