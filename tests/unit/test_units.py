"""Lines that belong together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.units import units

CASES = {
    "nothing": ("", []),
    "lines": ("a\nb()\nc", [(0, 1), (1, 2), (2, 3)]),
    "tensor": ("x\ntensor([[1,\n  2],\n\n [3]])\ny", [(0, 1), (1, 5), (5, 6)]),
    "two in a row": ("[1\n2]\n[3\n4]", [(0, 2), (2, 4)]),
    "never closed": ("a :(\nb\nc", [(0, 1), (1, 2), (2, 3)]),
    "closed too often": ("a)\n[1\n2]\nb", [(0, 1), (1, 3), (3, 4)]),
    "unclosed before a repr": (":(\n[1\n2]", [(0, 1), (1, 3)]),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_units(text: str, expected: list[tuple[int, int]]) -> None:
    assert units(text.split("\n") if text else []) == expected


@settings(deadline=None)
@given(st.lists(st.text("[](){}x1", max_size=6)))
def test_they_cover_all_lines(lines: list[str]) -> None:
    found = units(lines)
    assert [at for start, end in found for at in range(start, end)] == list(range(len(lines)))
    assert all(start < end for start, end in found)
