"""Tables are found as GitHub finds them, and compared by their cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.compare import Rule, compare
from fencerun.tables import cells, normal

RULE = Rule(tables=True)
PLAIN = ("|a|b|", "|-|-|", "|1|2.5|")
PADDED = ("| a   | b    |", "| --- | ---- |", "| 1   | 2.5  |")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("| a | b |", ("a", "b")),
        ("a | b", ("a", "b")),
        ("  |a|b  ", ("a", "b")),
        ("|a\\|b|c|", ("a\\|b", "c")),
        ("| `x\\\\| y |", ("`x\\\\", "y")),
        ("||a||", ("", "a", "")),
        ("|a", ("a",)),
        ("| |", ("",)),
        ("a\\", ("a\\",)),
    ],
)
def test_cells(line: str, found: tuple[str, ...]) -> None:
    assert cells(line) == found


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(PADDED, ("| a | b |", "| - | - |", "| 1 | 2.5 |"), id="padded"),
        pytest.param(
            ("a|b", ":--|--:", "1|2"),
            ("| a | b |", "| :- | -: |", "| 1 | 2 |"),
            id="no-outer-pipes",
        ),
        pytest.param(
            ("|a|", "|-|", "x  y", "", "|  b  |"),
            ("| a |", "| - |", "| x  y |", "", "|  b  |"),
            id="ends-at-a-blank-line",
        ),
        pytest.param(
            ("|a|", "|-|", "|b|", "***", "|c |"),
            ("| a |", "| - |", "| b |", "***", "|c |"),
            id="ends-at-a-rule",
        ),
        pytest.param(
            ("|a|", "|-|", "|b|", "    |c |"),
            ("| a |", "| - |", "| b |", "    |c |"),
            id="ends-at-indented-code",
        ),
        pytest.param(("    |a|", "|-|"), ("    |a|", "|-|"), id="no-header-in-indented-code"),
        pytest.param(
            ("|a|", "|-|", "> |  q  |"), ("| a |", "| - |", "> |  q  |"), id="ends-at-a-quote"
        ),
        pytest.param(
            ("|a|", "|-|", "```", "|  b  |", "|-|"),
            ("| a |", "| - |", "```", "|  b  |", "|-|"),
            id="ends-at-a-code-block",
        ),
        pytest.param(
            ("```", "|a  |", "|---|", "```", "|a  |", "|---|"),
            ("```", "|a  |", "|---|", "```", "| a |", "| - |"),
            id="code-is-no-table",
        ),
        pytest.param(("a  |  b",), ("a  |  b",), id="no-delimiter-row"),
        pytest.param(("|a|b|", "|-|"), ("|a|b|", "|-|"), id="other-number-of-cells"),
        pytest.param(("a", "---"), ("a", "---"), id="a-heading"),
        pytest.param(("|a|", "|  |"), ("|a|", "|  |"), id="no-dashes"),
    ],
)
def test_one_way_to_write_a_table(lines: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert normal(lines) == expected
    assert normal(expected) == expected


@pytest.mark.parametrize(
    ("recorded", "printed", "rule"),
    [
        pytest.param(PADDED, PLAIN, RULE, id="padding"),
        pytest.param(PADDED, (*PLAIN[:2], "|1|2.501|"), Rule(tables=True, rtol=0.01), id="rtol"),
        pytest.param(PADDED, (PLAIN[0], PLAIN[2], PLAIN[1]), Rule(tables=True, match="any"),
                     id="any"),
        pytest.param(("| a |", "|---|", "| x |", "| y |"), ("|a|", "|-|", "|y|", "|x|"),
                     Rule(tables=True, match="unordered"), id="unordered"),
        pytest.param(("| a |", "|---|", "| 1... |"), ("|a|", "|-|", "|123|"),
                     Rule(tables=True, match="ellipsis"), id="ellipsis"),
    ],
)  # fmt: skip
def test_equal(recorded: tuple[str, ...], printed: tuple[str, ...], rule: Rule) -> None:
    found = compare(recorded, printed, rule)
    assert found.equal
    assert found.merged == recorded


def test_a_number_in_a_cell_that_moved_is_named() -> None:
    found = compare(PADDED, (*PLAIN[:2], "|1|2.6|"), RULE)
    assert (found.kind, found.first) == ("rounding", 2)
    assert [(number.line, number.recorded, number.printed) for number in found.numbers] == [
        (2, "2.5", "2.6")
    ]
    assert found.merged == (*PADDED[:2], "|1|2.6|"), "rows that match keep their padding"


@pytest.mark.parametrize(
    ("recorded", "printed"),
    [
        pytest.param(("a  |  b",), ("a | b",), id="text"),
        pytest.param(("|a|", "|:-|"), ("|a|", "|-|"), id="alignment"),
        pytest.param(("|a  b|", "|-|"), ("|a b|", "|-|"), id="within-a-cell"),
        pytest.param(("|a|b|", "|-|-|"), ("|ab|", "|-|"), id="cells"),
    ],
)
def test_changed(recorded: tuple[str, ...], printed: tuple[str, ...]) -> None:
    assert not compare(recorded, printed, RULE).equal


_CELL = st.text("ab1.5\\`* ", max_size=5)
_LINE = st.one_of(
    st.lists(_CELL, min_size=1, max_size=3).map("|".join),
    st.sampled_from(["|-|", "|--|:-:|", "-|-", "", "```", "~~~", "> a", "|"]),
)
_LINES = st.lists(_LINE, max_size=8).map(tuple)


@given(_LINES)
def test_normal_is_settled_and_keeps_the_lines(lines: tuple[str, ...]) -> None:
    made = normal(lines)
    assert len(made) == len(lines)
    assert normal(made) == made


@given(_LINES, _LINES, st.sampled_from([RULE, Rule(tables=True, rtol=0.5)]))
def test_what_was_merged_agrees(one: tuple[str, ...], two: tuple[str, ...], rule: Rule) -> None:
    merged = compare(one, two, rule).merged
    again = compare(merged, two, rule)
    assert again.equal
    assert again.merged == merged
