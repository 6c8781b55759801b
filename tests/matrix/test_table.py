"""The table of a matrix."""

from __future__ import annotations

import pytest

from fencerun.events import Verdict, VerdictKind
from fencerun.matrix.table import Column, holds, overall, table
from fencerun.reporters.wording import text
from fencerun.reporters.wrap import wrap


def column(label: str, *kinds: VerdictKind, code: int = 0) -> Column:
    verdicts = {
        f"p.md::{n}": Verdict(f"p.md::{n}", kind, "p.md", n, n) for n, kind in enumerate(kinds, 1)
    }
    return Column(label, code, verdicts)


def shown(*columns: Column, verbose: bool = False) -> list[str]:
    return [text(line).rstrip() for line in table(columns, verbose)]


OLD = column("torch==2.8.0", "passed", "failed", "passed", "kept", "changed", code=4)
NEW = column("torch==2.13.0", "passed", "passed", "passed", "passed", "changed", code=1)
GONE = Column("torch==9", 2)


def test_rows_that_differ_or_hold_nowhere() -> None:
    assert shown(OLD, NEW, GONE) == [
        "         torch==2.8.0       torch==2.13.0  torch==9",
        "p.md::2  failed             passed",
        "p.md::4  kept               passed",
        "p.md::5  changed            changed",
        "(2 fences that every environment agrees on: -v shows them)",
        "holds    2 of 4, 1 not run  4 of 5         not built",
    ]


def test_all_rows() -> None:
    found = shown(OLD, NEW, verbose=True)
    firsts = [line.split()[0] for line in found[1:]]
    assert firsts == [
        *(f"p.md::{n}" for n in range(1, 6)),
        "holds",
    ]
    assert "agrees" not in "".join(found)


def test_a_fence_that_one_has_nothing_to_say_of() -> None:
    assert shown(column("a", "passed"), column("b"))[1] == "p.md::1  passed  –"


def test_rows_are_not_wrapped() -> None:
    columns = [column(f"torch==2.{n}.0", "failed") for n in range(20)]
    rows = table(columns)
    assert [list(wrap(row, 80)) for row in rows] == [[row] for row in rows]


def test_no_fences() -> None:
    assert shown(column("a", code=5), column("b", code=5)) == [
        "       a       b",
        "holds  0 of 0  0 of 0",
    ]


def test_an_exit_code_that_no_fence_explains() -> None:
    found = shown(column("a", "passed", code=3), column("b", "passed"))
    assert found[-1] == "holds  1 of 1 (exit 3)  1 of 1"


def test_names_are_made_harmless_and_wide_ones_stand_in_line() -> None:
    rows = shown(column("a\x1b[2J数", "failed"), column("b", "passed"), verbose=True)
    assert rows[0] == "         a\\x1b[2J数  b"
    assert rows[1] == "p.md::1  failed      passed"


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([0, 0], 0),
        ([0, 1], 1),
        ([1, 4], 4),
        ([5, 1], 1),
        ([5, 0], 5),
        ([3, 4], 3),
        ([0, None], 5),
        ([1, None], 1),
        ([4, None], 4),
        ([None, None], 2),
    ],
)
def test_the_worst_counts(codes: list[int | None], expected: int) -> None:
    columns = [GONE if code is None else Column("a", code, {}) for code in codes]
    assert overall(columns) == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("passed", True),
        ("elsewhere", True),
        ("known", True),
        ("kept", None),
        ("skipped", None),
        ("changed", False),
        ("missing", False),
        ("stale", False),
        ("blocked", False),
    ],
)
def test_what_holds(kind: VerdictKind, expected: bool | None) -> None:
    assert holds(Verdict("p.md::1", kind, "p.md", 1, 1)) is expected
