"""Comparing a recording with what was printed, and what is to be recorded."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.canonical import canonical, recorded
from fencerun.compare import Comparison, Rule, compare
from fencerun.masks import Mask, lookup

ADDRESS = lookup(["address"])
RUN = (Mask("run", r"run-\d+", "run-N"),)


def check(ours: str, theirs: str, rule: Rule) -> Comparison:
    """Compare, and hold what is true of every comparison."""
    before, printed = tuple(ours.split("\n")), tuple(theirs.split("\n"))
    found = compare(before, printed, rule)
    holds(before, printed, rule, found)
    return found


def holds(before: tuple[str, ...], printed: tuple[str, ...], rule: Rule, found: Comparison) -> None:
    assert found.equal is (found.kind == "equal")
    assert found.equal is (found.first is None)
    if found.equal:
        assert found.merged == before
        assert not found.numbers
    else:
        assert found.first is not None
        assert 0 <= found.first <= len(before)
        assert found.merged != before
    again = compare(found.merged, printed, rule)
    assert again.equal
    assert again.merged == found.merged


# rule, recorded, printed, kind, merged (None: as printed)
EXACT: dict[str, tuple[str, str, str, str | None]] = {
    "same": ("a\nb", "a\nb", "equal", "a\nb"),
    "other": ("a\nb", "a\nc", "changed", None),
    "added": ("a", "a\nb", "changed", None),
    "removed": ("a\nb", "a", "changed", None),
    "fraction": ("a 0.5\nb", "a 0.25\nb", "rounding", None),
    "ways to print": ("[1.0]", "[1.]", "rounding", None),
    "whole number": ("a 5", "a 6", "changed", None),
    "both": ("a 0.5\n5", "a 0.25\n6", "changed", None),
    "fraction and text": ("a 0.5", "b 0.25", "changed", None),
    "padding alone": ("[ 0.5]", "[0.5]", "changed", None),
    "not finite": ("0.5", "nan", "changed", None),
    "line breaks moved": ("[0.1,\n 0.2]", "[0.15, 0.2]", "rounding", None),
}


@pytest.mark.parametrize(("ours", "theirs", "kind", "merged"), EXACT.values(), ids=EXACT)
def test_exact(ours: str, theirs: str, kind: str, merged: str | None) -> None:
    found = check(ours, theirs, Rule())
    assert found.kind == kind
    assert "\n".join(found.merged) == (theirs if merged is None else merged)


TOLERANT: dict[str, tuple[dict[str, Any], str, str, str, str]] = {
    "within": ({"rtol": 1e-3}, "a 0.5", "a 0.5001", "equal", "a 0.5"),
    "beyond": ({"rtol": 1e-6}, "a 0.5", "a 0.5001", "rounding", "a 0.5001"),
    "absolute": ({"atol": 1e-3}, "[0.0]", "[1e-9]", "equal", "[0.0]"),
    "relative to zero": ({"rtol": 1e-3}, "[0.0]", "[1e-9]", "rounding", "[1e-9]"),
    "neighbour": (
        {"rtol": 1e-3},
        "a 0.5\nb 1\nc 0.5",
        "a 0.5001\nb 2\nc 0.5001",
        "changed",
        "a 0.5\nb 2\nc 0.5",
    ),
    "one of two": (
        {"rtol": 1e-3},
        "a 0.5\nb 0.5",
        "a 0.5001\nb 0.6",
        "rounding",
        "a 0.5\nb 0.6",
    ),
    "line added before": (
        {"rtol": 1e-3},
        "a 0.5\nb 0.5",
        "new\na 0.5001\nb 0.5001",
        "changed",
        "new\na 0.5\nb 0.5",
    ),
    "whole numbers": ({"rtol": 0.5}, "a 5", "a 6", "changed", "a 6"),
    "whole numbers on request": ({"rtol": 0.5, "ints": True}, "a 5", "a 6", "equal", "a 5"),
    "whole numbers beyond": ({"rtol": 0.1, "ints": True}, "a 5", "a 6", "changed", "a 6"),
    "ints alone": ({"ints": True}, "a 5", "a 6", "changed", "a 6"),
    "any": ({"any_number": True}, "a 0.5", "a 1e9", "equal", "a 0.5"),
    "any finite": ({"any_number": True}, "a 0.5", "a nan", "changed", "a nan"),
    "any but whole": ({"any_number": True}, "a 5", "a 6", "changed", "a 6"),
    "any with other text": ({"any_number": True}, "a 0.5", "b 0.5", "changed", "b 0.5"),
    "not finite twice": ({"rtol": 1e-3}, "[nan, inf]", "[nan,  inf]", "equal", "[nan, inf]"),
    "padding": ({"rtol": 1e-3}, "[0.1234567 ]", "[0.12345671]", "equal", "[0.1234567 ]"),
    "brace": ({"rtol": 1e-3}, "{'a': 0.5}", "{'a': 0.50001}", "equal", "{'a': 0.5}"),
    "table": (
        {"rtol": 1e-2},
        "     a       b\n0  1.0  2.0",
        "       a        b\n0  1.001  2.00",
        "equal",
        "     a       b\n0  1.0  2.0",
    ),
    "tensor over lines": (
        {"rtol": 1e-2},
        "tensor([[0.1, 0.2],\n        [0.3, 0.4]])",
        "tensor([[0.1001, 0.2001],\n        [0.3001, 0.4001]])",
        "equal",
        "tensor([[0.1, 0.2],\n        [0.3, 0.4]])",
    ),
    "rows of a tensor": (
        {"rtol": 1e-2},
        "tensor([[0.1, 0.2],\n        [0.3, 0.4]])",
        "tensor([[0.1001, 0.2001],\n        [0.3001, 0.9001]])",
        "rounding",
        "tensor([[0.1, 0.2],\n        [0.3001, 0.9001]])",
    ),
    "moved line breaks": (
        {"rtol": 1e-2},
        "x\n[0.1, 0.2,\n 0.3]\ny",
        "x\n[0.1001, 0.2,   0.3]\nz",
        "changed",
        "x\n[0.1, 0.2,\n 0.3]\nz",
    ),
    "identifier": ({"rtol": 1.0}, "float32 0.5", "float64 0.5", "changed", "float64 0.5"),
    "hexadecimal": ({"rtol": 1.0}, "0x7f", "0x80", "changed", "0x80"),
    "time of day": ({"rtol": 1.0}, "10:30:05.5", "10:30:06.5", "changed", "10:30:06.5"),
    "complex": ({"rtol": 1e-6}, "(1+1e-17j)", "(1+0j)", "equal", "(1+1e-17j)"),
}


@pytest.mark.parametrize(
    ("tags", "ours", "theirs", "kind", "merged"), TOLERANT.values(), ids=TOLERANT
)
def test_tolerance(tags: dict[str, Any], ours: str, theirs: str, kind: str, merged: str) -> None:
    found = check(ours, theirs, Rule(**tags))
    assert found.kind == kind
    assert "\n".join(found.merged) == merged


MASKED: dict[str, tuple[dict[str, Any], str, str, str, str]] = {
    "masked": ({"masks": ADDRESS}, "<o at 0x…>", "<o at 0x…>", "equal", "<o at 0x…>"),
    "mask not yet written": (
        {"masks": ADDRESS},
        "<o at 0x7f3c2a1b4d60>",
        "<o at 0x…>",
        "equal",
        "<o at 0x7f3c2a1b4d60>",
    ),
    "varies": ({"varies": RUN}, "run-1 ok\nx", "run-2 ok\ny", "changed", "run-1 ok\ny"),
    "varies alone": ({"varies": RUN}, "run-1 ok", "run-2 ok", "equal", "run-1 ok"),
    "varies on one side": ({"varies": RUN}, "ok", "run-2 ok", "changed", "run-2 ok"),
    "varies on the other side": ({"varies": RUN}, "run-1 ok", "ok", "changed", "ok"),
    "varies more often": ({"varies": RUN}, "run-1", "run-1run-2", "changed", "run-1run-2"),
    "varies, the literal replacement": ({"varies": RUN}, "run-N", "run-2", "changed", "run-2"),
    "varies with tolerance": (
        {"varies": RUN, "rtol": 1e-2},
        "run-1 loss 0.5",
        "run-2 loss 0.501",
        "equal",
        "run-1 loss 0.5",
    ),
    "device on one side": (
        {"varies": lookup(["device"])},
        "tensor([1.], device='cuda:0')",
        "tensor([1.])",
        "equal",
        "tensor([1.], device='cuda:0')",
    ),
    "device on a line of its own": (
        {"varies": lookup(["device"])},
        "tensor([1., 2.],\n       device='cuda:0')\nx",
        "tensor([1., 2.])\ny",
        "changed",
        "tensor([1., 2.],\n       device='cuda:0')\ny",
    ),
    "device and other numbers": (
        {"varies": lookup(["device"]), "any_number": True},
        "tensor([1.5], device='cuda:0')",
        "tensor([1.25])",
        "equal",
        "tensor([1.5], device='cuda:0')",
    ),
}


@pytest.mark.parametrize(("tags", "ours", "theirs", "kind", "merged"), MASKED.values(), ids=MASKED)
def test_masks(tags: dict[str, Any], ours: str, theirs: str, kind: str, merged: str) -> None:
    found = check(ours, theirs, Rule(**tags))
    assert found.kind == kind
    assert "\n".join(found.merged) == merged


DOTS: dict[str, tuple[dict[str, Any], str, str, str, str]] = {
    "matches": ({}, "a\n...\nz 0x...", "a\nb\nc\nz 0x12", "equal", "a\n...\nz 0x..."),
    "last line drifted": ({}, "a\n...\nz1", "a\nb\nc\nz2", "changed", "a\n...\nz2"),
    "first line drifted": ({}, "a1\n...\nz", "a2\nb\nc\nz", "changed", "a2\n...\nz"),
    "dots in a line stay": ({}, "a\nat 0x...\nz1", "a\nat 0x7f\nz2", "changed", "a\nat 0x...\nz2"),
    "dots in a line drifted": ({}, "a\nat 0x...", "a\nin 0x7f", "changed", "a\nin 0x7f"),
    "all drifted": ({}, "a\n...\nz", "b\nc", "changed", "b\n...\nc"),
    "less than the pattern": ({}, "a\n...\ny\nz", "a", "changed", "a\n..."),
    "with tolerance": (
        {"rtol": 1e-2},
        "loss 0.5 in ...\n...\nacc 0.5",
        "loss 0.501 in 3 s\nx\nacc 0.501",
        "equal",
        "loss 0.5 in ...\n...\nacc 0.5",
    ),
    "beyond tolerance": (
        {"rtol": 1e-4},
        "x\nloss 0.5 in ...",
        "x\nloss 0.501 in 3 s",
        "rounding",
        "x\nloss 0.501 in 3 s",
    ),
    "numbers of the dots are free": (
        {"rtol": 1e-2},
        "[0.5, ..., 0.5]",
        "[0.501, 7.0, 8.0, 0.501]",
        "equal",
        "[0.5, ..., 0.5]",
    ),
    "number found later": (
        {"rtol": 1e-2},
        "...x 0.5 ...",
        "x 0.7 x 0.501 end",
        "equal",
        "...x 0.5 ...",
    ),
    "a digit cut short": ({"rtol": 1e-9}, "pi 3.14...", "pi 3.14159", "equal", "pi 3.14..."),
    "with a mask": (
        {"varies": RUN},
        "run-1 ...\nx",
        "run-2 took 3 s\ny",
        "changed",
        "run-1 ...\ny",
    ),
}


@pytest.mark.parametrize(("tags", "ours", "theirs", "kind", "merged"), DOTS.values(), ids=DOTS)
def test_ellipsis(tags: dict[str, Any], ours: str, theirs: str, kind: str, merged: str) -> None:
    found = check(ours, theirs, Rule(match="ellipsis", **tags))
    assert found.kind == kind
    assert "\n".join(found.merged) == merged


UNORDERED: dict[str, tuple[dict[str, Any], str, str, str, str]] = {
    "other order": ({}, "a\nb\nc", "c\na\nb", "equal", "a\nb\nc"),
    "one changed": ({}, "a\nb\nc", "c\na\nd", "changed", "a\nd\nc"),
    "as often": ({}, "a\na\nb", "a\nb\nb", "changed", "a\nb\nb"),
    "more": ({}, "a\nb", "b\na\nc", "changed", "a\nb\nc"),
    "fewer": ({}, "a\nb\nc", "c\na", "changed", "a\nc"),
    "with tolerance": (
        {"rtol": 1e-2},
        "a 0.6\na 0.5\nb 0.5",
        "b 0.501\na 0.501\na 0.601",
        "equal",
        "a 0.6\na 0.5\nb 0.5",
    ),
    "beyond tolerance": ({"rtol": 1e-2}, "a 0.5\nb", "b\na 0.6", "rounding", "a 0.6\nb"),
    "with a mask": (
        {"varies": RUN},
        "run-1 a\nrun-2 b",
        "run-9 b\nrun-8 a",
        "equal",
        "run-1 a\nrun-2 b",
    ),
}


@pytest.mark.parametrize(
    ("tags", "ours", "theirs", "kind", "merged"), UNORDERED.values(), ids=UNORDERED
)
def test_unordered(tags: dict[str, Any], ours: str, theirs: str, kind: str, merged: str) -> None:
    found = check(ours, theirs, Rule(match="unordered", **tags))
    assert found.kind == kind
    assert "\n".join(found.merged) == merged


def test_nothing_is_kept_where_it_would_mean_something_else() -> None:
    """Kept, the first line would make one repr of all that follows it."""
    found = check(
        "((x\n))\n[0.1,\n 0.2]\n)",
        "(x\n]\n[0.15, 0.2]\n)",
        Rule(rtol=0.9, varies=(Mask("open", r"\(+", "("),)),
    )
    assert "\n".join(found.merged) == "(x\n]\n[0.15, 0.2]\n)"


def test_any_is_always_equal() -> None:
    assert check("a", "b\nc", Rule(match="any")).merged == ("a",)


@pytest.mark.parametrize(
    ("ours", "theirs", "first"),
    [("a\nb\nc", "a\nx\nc", 1), ("a\nc", "a\nb\nc", 1), ("a", "a\nb", 1), ("a\nb", "b", 0)],
)
def test_first_difference(ours: str, theirs: str, first: int) -> None:
    assert check(ours, theirs, Rule()).first == first


def test_nothing_recorded() -> None:
    found = compare((), ("a",), Rule())
    assert (found.kind, found.merged, found.first) == ("changed", ("a",), 0)
    assert compare((), (), Rule()).equal
    assert compare(("a",), (), Rule()).merged == ()


def test_numbers_are_named() -> None:
    found = check(
        "x 1\ntensor([1.0, 2.0,\n        3.0])", "x 1\ntensor([1.0, 2.5,\n        0.0])", Rule()
    )
    assert [(n.line, n.index, n.recorded, n.printed) for n in found.numbers] == [
        (1, 1, "2.0", "2.5"),
        (2, 0, "3.0", "0.0"),
    ]
    assert [(n.absolute, n.relative) for n in found.numbers] == [(0.5, 0.25), (3.0, 1.0)]


def test_numbers_of_a_repr_that_broke_elsewhere() -> None:
    found = check("[1.0, 2.0,\n 3.0, 4.0]", "[1.0, 2.0, 3.0,\n 5.0]", Rule(rtol=1e-3))
    assert [(n.line, n.index, n.recorded, n.printed) for n in found.numbers] == [
        (1, 1, "4.0", "5.0")
    ]


def test_numbers_are_named_beside_dots() -> None:
    found = check("a ...\nloss 0.5 ... 2.0", "a b\nloss 0.5 x 3.0", Rule(match="ellipsis"))
    assert [(n.line, n.recorded, n.printed) for n in found.numbers] == [(1, "2.0", "3.0")]
    assert found.kind == "rounding"


@pytest.mark.parametrize(
    ("tags", "ours", "theirs", "proposal"),
    [
        ({}, "1.0 x", "1.000001 x", "rtol:1e-6"),
        ({}, "1.0 x", "1.0000011 x", "rtol:1e-5"),
        ({"rtol": 1e-9}, "1.0 x", "1.00003 x", "rtol:1e-4"),
        ({}, "0.0 x", "3e-9 x", "atol:1e-8"),
        ({}, "[0.0, 1.0]", "[3e-9, 1.0005]", "rtol:1e-3 atol:1e-8"),
        ({}, "[1e-17, 1.0]", "[3e-17, 1.0]", "atol:1e-16"),
        ({}, "[1.0]", "[1.00]", "rtol:1e-12"),
        ({}, "2.0 x", "3.0 x", "rtol:1"),
        ({"match": "unordered"}, "a 2.0\nb", "b\na 2.001", "rtol:1e-3"),
        ({"match": "ellipsis"}, "a 2.0 ...\nb", "a 2.001 s\nb", "rtol:1e-3"),
        ({}, "2.0 a", "3.0 b", None),
    ],
)
def test_proposal(tags: dict[str, Any], ours: str, theirs: str, proposal: str | None) -> None:
    assert check(ours, theirs, Rule(**tags)).proposal == proposal


WORDS = [
    "a",
    "b",
    "0.5",
    "0.5001",
    "0.7",
    "1",
    "2",
    "[",
    "]",
    "...",
    " ",
    "  ",
    ",",
    "run-1",
    "run-2",
]
WORDS += [
    "nan",
    "-1.5",
    "1+2j",
    "(",
    ")",
    "0x7f3c2a1b4d60",
    "0x7f3c2a1b4d61",
    "",
    "----",
    "tensor([",
]
LINE = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join).map(str.rstrip)
LINES = st.lists(LINE | st.sampled_from(["...", "a", "b", "[0.5,", "0.7]"]), max_size=8)


def as_canonical(lines: list[str]) -> tuple[str, ...]:
    return recorded("\n".join(lines))


RULES = st.builds(
    Rule,
    match=st.sampled_from(["exact", "ellipsis", "unordered", "any"]),
    rtol=st.sampled_from([None, 0.0, 1e-2, 0.5]),
    atol=st.sampled_from([None, 1e-3, 0.3]),
    any_number=st.booleans(),
    ints=st.booleans(),
    masks=st.sampled_from([(), ADDRESS]),
    varies=st.sampled_from([(), RUN, lookup(["time", "device"])]),
)


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Lines, and the same with a few of them changed, added, removed or moved."""
    ours = draw(LINES)
    theirs = list(ours)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(theirs)))
        theirs[at : at + draw(st.integers(0, 1))] = draw(st.lists(LINE, max_size=2))
    return ours, draw(st.permutations(theirs)) if draw(st.booleans()) else theirs


@settings(max_examples=500, deadline=None)
@given(st.tuples(LINES, LINES) | edited(), RULES)
def test_merging_settles(sides: tuple[list[str], list[str]], rule: Rule) -> None:
    before, printed = map(as_canonical, sides)
    holds(before, printed, rule, compare(before, printed, rule))


@settings(deadline=None)
@given(LINES, RULES)
def test_what_was_printed_is_as_recorded(lines: list[str], rule: Rule) -> None:
    printed = canonical("\n".join(lines).encode(), masks=rule.masks)
    assert compare(recorded("\n".join(printed)), printed, rule).equal


@settings(deadline=None)
@given(st.tuples(LINES, LINES) | edited())
def test_without_tags_only_the_same_is_equal(sides: tuple[list[str], list[str]]) -> None:
    before, printed = map(as_canonical, sides)
    found = compare(before, printed, Rule())
    assert found.equal is (before == printed)
    assert found.merged == printed


@settings(deadline=None)
@given(st.tuples(LINES, LINES) | edited())
def test_unordered_is_a_multiset(sides: tuple[list[str], list[str]]) -> None:
    before, printed = map(as_canonical, sides)
    found = compare(before, printed, Rule(match="unordered"))
    assert found.equal is (Counter(before) == Counter(printed))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(-999, 999), st.integers(-9, 9)), min_size=1, max_size=6),
    st.sampled_from([1e-3, 1e-2, 0.1]),
)
def test_numbers_as_a_slow_reference_says(numbers: list[tuple[int, int]], rtol: float) -> None:
    """In thousandths, so that the reference needs no fractions."""
    before = "[" + ", ".join(f"{n / 1000:.3f}" for n, _ in numbers) + "]"
    printed = "[" + ",\n ".join(f"{(n + d) / 1000:.3f}" for n, d in numbers) + "]"
    expected = all(1000 * abs(d) <= round(1000 * rtol) * abs(n) for n, d in numbers)
    assert check(before, printed, Rule(rtol=rtol)).equal is expected


@settings(deadline=None)
@given(st.lists(st.tuples(LINE, st.booleans()), max_size=8))
def test_each_line_is_kept_or_rewritten_on_its_own(lines: list[tuple[str, bool]]) -> None:
    """A line whose number stays within tolerance stays, whatever its neighbours do."""
    before = [f"line {n} was 0.5" for n in range(len(lines))]
    printed = [f"line {n} was {'0.9' if moved else '0.5001'}" for n, (_, moved) in enumerate(lines)]
    merged = compare(before, printed, Rule(rtol=1e-2)).merged
    expected = [
        theirs if moved else ours
        for ours, theirs, (_, moved) in zip(before, printed, lines, strict=True)
    ]
    assert merged == tuple(expected)
