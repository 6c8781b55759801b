"""Numbers inside text."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fencerun.numeric import Number, distance, relative, scan, size, tidy, within

# What is found to be a number with a fraction or exponent.
FOUND: dict[str, tuple[str, list[str]]] = {
    "words": ("loss 0.5 acc 12", ["0.5"]),
    "tensor": (
        "tensor([[ 0.1000, -2.],\n        [1.e+05, .5]])",
        ["0.1000", "-2.", "1.e+05", ".5"],
    ),
    "dict": ("{'a':0.5, 'b': -1.5}", ["0.5", "-1.5"]),
    "table": ("|  0.5|1.25 |", ["0.5", "1.25"]),
    "exponents": ("1e-05 1E+10 1.5E5", ["1e-05", "1E+10", "1.5E5"]),
    "bare points": ("[1. 2.]\n [3.\n 4.]", ["1.", "2.", "3.", "4."]),
    "negative zero": ("-0. -0.0", ["-0.", "-0.0"]),
    "complex": ("1+2j (1.5-2.0j) 2j 1e5j", ["1+2j", "1.5-2.0j", "2j", "1e5j"]),
    "complex of torch": ("tensor([1.+2.j, 3.-0.j])", ["1.+2.j", "3.-0.j"]),
    "complex of numpy": ("[1. +2.j  3.5-1.25j]", ["1. +2.j", "3.5-1.25j"]),
    "thousands": ("1,234.5 12,345,678.25", ["1,234.5", "12,345,678.25"]),
    "no thousands": ("1,2,3.5 12,345,6789.5 1234,567.5", ["3.5", "6789.5", "567.5"]),
    "underscores": ("1_000.5", ["1_000.5"]),
    "units": ("1.5GB 0.5% 2.5x", ["1.5", "0.5", "2.5"]),
    "operators": ("1.5-0.5 x-1.5 (a)-2.5", ["1.5", "0.5", "1.5", "2.5"]),
    "signs": ("-1.5 +2.5 [-3.5] ,-4.5", ["-1.5", "+2.5", "-3.5", "-4.5"]),
    "whole": ("1 -2 1,234 12ms 3.x 1..2 range 1-2", []),
    "end of a sentence": ("Epoch 3. Done 4.", []),
    "identifiers": ("float32 conv2d torch.float32 layer.0.weight x1.5 fp16", []),
    "versions": ("v1.2.3 2.13.0+cpu 1.2.3rc1 127.0.0.1", []),
    "hexadecimal": ("0x7f 0b11 3fa9c1 1e5x2", []),
    "times and dates": ("10:30:05 0:00:03.25 2026-11-29T10:30:05.123 2026-11-29 10:30:05.5", []),
    "not finite": ("inf -inf nan NaN Infinity nanj info nano", []),
    "escapes": (r"\x1b1.5 \u20281.5", []),
    "dots": ("...5 ..5", []),
    "absurd exponent": ("1e9999999", []),
}


@pytest.mark.parametrize(("text", "found"), FOUND.values(), ids=FOUND)
def test_found(text: str, found: list[str]) -> None:
    assert [number.text for number in scan(text).numbers] == found
    assert [text[number.start :][: len(number.text)] for number in scan(text).numbers] == found


def test_whole_numbers_on_request() -> None:
    numbers = scan("a 1 b -2.5 c 1,234 f32 3fa9", ints=True).numbers
    assert [(number.text, number.whole) for number in numbers] == [
        ("1", True),
        ("-2.5", False),
        ("1,234", True),
    ]


ALIKE = {
    "padding before": ("[ 0.1, 0.2]", "[-0.1,  0.2]"),
    "padding after": ("[0.1234567 ]", "[0.12345678]"),
    "padding before a brace": ("{'a': 0.5 }", "{'a': 0.25}"),
    "padding of whole numbers": ("step   1 loss 0.5", "step 1 loss 0.5"),
    "columns": ("     a         b", "   a     b"),
    "rules": ("|-----|:----:|", "|--------|:---:|"),
    "line breaks": ("tensor([0.1, 0.2,\n        0.3])", "tensor([0.1, 0.2, 0.3])"),
    "line breaks without commas": ("[0.1 0.2\n 0.3]", "[0.1 0.2 0.3]"),
    "line break before words": ("[0.1],\n   dtype=float32)", "[0.1], dtype=float32)"),
    "ways to print": ("[1.0 1e3]", "[1.000 1000.]"),
    "not finite": ("[inf, nan, -nan]", "[   inf,   NaN, nan]"),
}
UNLIKE = {
    "whole numbers": ("a 1 0.5", "a 2 0.5"),
    "whole or not": ("a 1", "a 1.0"),
    "count": ("[0.1, 0.2]", "[0.1, 0.2, 0.3]"),
    "text": ("loss 0.5", "cost 0.5"),
    "blank or none between words": ("a b 0.5", "ab 0.5"),
    "one blank or two": ("a b 0.5", "a  b 0.5"),
    "whole numbers run together": ("1 2 0.5", "12 0.5"),
    "finite or not": ("0.5", "nan"),
    "sign of infinity": ("inf", "-inf"),
    "identifier": ("float32 0.5", "float64 0.5"),
}


@pytest.mark.parametrize(("one", "other"), ALIKE.values(), ids=ALIKE)
def test_skeletons_alike(one: str, other: str) -> None:
    assert scan(one).skeleton == scan(other).skeleton


@pytest.mark.parametrize(("one", "other"), UNLIKE.values(), ids=UNLIKE)
def test_skeletons_unlike(one: str, other: str) -> None:
    assert scan(one).skeleton != scan(other).skeleton


def number(text: str) -> Number:
    (found,) = scan(f"[{text}]", ints=True).numbers
    assert found.text == text
    return found


@pytest.mark.parametrize(
    ("recorded", "printed", "rtol", "atol", "passes"),
    [
        ("0.3", "0.4", "0", "0.1", True),  # 0.4 - 0.3 > 0.1 in binary
        ("0.3", "0.4000001", "0", "0.1", False),
        ("100.0", "101.0", "0.01", "0", True),
        ("101.0", "100.0", "0.0099", "0", False),  # of the recorded number
        ("-0.", "0.", "0", "0", True),
        ("0.0", "1e-9", "1", "0", False),
        ("1e400", "1.1e400", "0.1", "0", True),
        ("1e400", "1.2e400", "0.1", "0", False),
        ("1+1e-17j", "1+0j", "1e-9", "0", True),
        ("1+1j", "1-1j", "0.5", "0", False),
        ("1,000.5", "1000.5", "0", "0", True),
    ],
)
def test_within(recorded: str, printed: str, rtol: str, atol: str, passes: bool) -> None:
    assert within(number(recorded), number(printed), Decimal(rtol), Decimal(atol)) is passes


DECIMALS = st.decimals(-(10**6), 10**6, allow_nan=False, places=4)
SHOWN = DECIMALS.flatmap(lambda d: st.sampled_from([f"{d:f}", f"{d:.3e}", f"{d:,.2f}"]))
TOLERANCES = st.decimals(0, 10, places=5) | st.just(Decimal(0))


@settings(deadline=None)
@given(SHOWN, SHOWN, TOLERANCES, TOLERANCES)
@example("0.3000", "0.4000", Decimal(0), Decimal("0.1"))
def test_within_as_fractions_say(one: str, other: str, rtol: Decimal, atol: Decimal) -> None:
    ours, theirs = (Fraction(text.replace(",", "")) for text in (one, other))
    expected = abs(theirs - ours) <= Fraction(atol) + Fraction(rtol) * abs(ours)
    assert within(number(one), number(other), rtol, atol) is expected


@settings(deadline=None)
@given(SHOWN, SHOWN)
def test_errors_are_what_they_say(one: str, other: str) -> None:
    ours, theirs = number(one), number(other)
    assert distance(ours, theirs) == abs(theirs.real - ours.real)
    if size(ours):
        share = relative(ours, theirs)
        assert abs(share * size(ours) - distance(ours, theirs)) <= Decimal("1e-18") * size(ours)
    else:
        assert relative(ours, theirs) in (0, Decimal("Infinity"))


@settings(deadline=None)
@given(st.decimals(Decimal("1e-9"), 10**9))
def test_tidy(value: Decimal) -> None:
    exponent = tidy(value)
    assert Decimal(10) ** (exponent - 1) < value <= Decimal(10) ** exponent


@settings(deadline=None)
@given(st.text("0123456789.,eEjJ+-_ ainfx[]()\n", max_size=40), st.booleans())
def test_any_text_scans(text: str, ints: bool) -> None:
    found = scan(text, ints=ints)
    assert found.skeleton.count("\x00") == len(found.numbers)
    assert all(text[each.start :].startswith(each.text) for each in found.numbers)


HOSTILE = [
    "1",
    "1,",
    "1,111",
    "1.1.",
    "1-1",
    "1+1j",
    "a.a",
    " ",
    "- ",
    "1 ",
    "inf",
    "1e",
    "1_",
    "1a",
]


@pytest.mark.parametrize(
    "piece", [*HOSTILE, "1e1", "1 +", "[(", "0x", "1:1", "1. ", "-", "a", ".5"]
)
def test_a_hostile_line_does_not_hang(piece: str) -> None:
    # Were one of them quadratic, this would take minutes.
    scan(piece * 50_000, ints=True)
