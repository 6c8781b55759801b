"""What a reader sees of text with terminal control in it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.terminal import COLUMNS, ROWS, render

CASES = {
    "plain": ("a\tb\n", "a\tb\n"),
    "carriage return overwrites": ("abc\rX", "Xbc"),
    "carriage return alone keeps": ("abc\r", "abc"),
    "crlf is a line end": ("a\r\nb\r\n", "a\nb\n"),
    "progress bar": ("  0%|  |\r 50%|# |\r100%|##|\ndone\n", "100%|##|\ndone\n"),
    "shorter text leaves a rest": ("12345\r\x1b[0m67", "67345"),
    "erase to the end of the row": ("12345\r67\x1b[K", "67"),
    "erase the row": ("12345\r\x1b[2K67", "67"),
    "erase up to the cursor": ("12345\x1b[2G\x1b[1K", "  345"),
    "backspace": ("abc\b\bX", "aXc"),
    "backspace at the margin": ("\b\bX", "X"),
    "bold by overstrike": ("N\bNA\bA", "NA"),
    "colour": ("\x1b[1;31mred\x1b[0m", "red"),
    "colour of 24 bits": ("\x1b[38:2:1:2:3mred\x1b[m", "red"),
    "hidden cursor": ("\x1b[?25lx\x1b[?25h", "x"),
    "title": ("\x1b]0;title\x07x", "x"),
    "link": ("\x1b]8;;https://example.org\x1b\\text\x1b]8;;\x1b\\", "text"),
    "image": ("\x1b_Gf=100;AAAA\x1b\\x", "x"),
    "character set": ("\x1b(Bx\x1b)0", "x"),
    "save and restore": ("\x1b7x\x1b8", "x"),
    "up": ("one\ntwo\x1b[A\rONE", "ONE\ntwo"),
    "up and erase": ("one\ntwo\n\x1b[2A\x1b[2Knew\n", "new\ntwo\n"),
    "previous and next line": ("one\ntwo\x1b[FX\x1b[EY", "Xne\nYwo"),
    "nested bars": ("a 0\n\rb 0\x1b[A\ra 1\n\rb 1\x1b[A\ra 2\n", "a 2\nb 1"),
    "forward": ("a\x1b[3Cb", "a   b"),
    "back": ("abc\x1b[2DX", "aXc"),
    "column": ("abc\x1b[2GX", "aXc"),
    "position": ("abc\ndef\x1b[1;2HX", "aXc\ndef"),
    "erase below": ("a\nb\nc\x1b[2;1H\x1b[J", "a\n"),
    "clear the screen": ("a\nb\x1b[2J\x1b[Hc", "c"),
    "clear the screen the other way": ("a\nb\x1b[H\x1b[2Jc", "c"),
    "half of a wide character": ("日本\rX", "X 本"),
    "wide over narrow": ("abcd\r日", "日cd"),
    "combining marks take no room": ("e\u0301bc\rX", "Xbc"),
    "cut off in a sequence": ("a\x1b[31", "a\x1b[31"),
    "cut off in a title": ("\x1b]0;title\nx", "\x1b]0;title\nx"),
    "escape at the end": ("a\x1b", "a\x1b"),
    "enormous parameter": (f"a\x1b[{'9' * 5000}Db", "b"),
}


@pytest.mark.parametrize(("text", "shown"), CASES.values(), ids=CASES)
def test_render(text: str, shown: str) -> None:
    assert render(text) == shown


def test_movement_alone_makes_no_gigabytes() -> None:
    shown = render("\x1b[999999;999999Hx" * 50)
    assert len(shown) <= ROWS * (COLUMNS + 50)


CODES = ["A", "2B", "3C", "D", "K", "1K", "2K", "J", "2J", "H", "5;7H", "31m"]
MOVES = [f"\x1b[{code}" for code in CODES]
OTHERS = [
    "\r",
    "\b",
    "\n",
    "\t",
    "\x1b",
    "\x1b[",
    "\x1b]0;",
    "\x07",
    "日",
    "\u0301",
    "abc",
    ";",
    "1",
]
CONTROL = st.sampled_from([*MOVES, *OTHERS])
TEXT = st.lists(CONTROL | st.text(max_size=3), max_size=40).map("".join)


@settings(deadline=None)
@given(TEXT)
def test_nothing_that_moves_is_left(text: str) -> None:
    shown = render(text)
    assert "\r" not in shown
    assert "\b" not in shown
    assert render(shown.replace("\x1b", "")) == shown.replace("\x1b", "")


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\r\b\x1b")))
def test_text_without_control_is_left_alone(text: str) -> None:
    assert render(text) == text


def steps(work: Callable[[], object]) -> int:
    """How many lines of Python ``work`` executes."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("piece", ["x\r", "x\b", "\x1b[A\n", "日\r", "a\x1b[1;1H\n", "\x1b[2J\n"])
def test_work_grows_with_the_text(piece: str) -> None:
    one, two = (steps(lambda n=n: render(piece * n)) for n in (1000, 2000))  # type: ignore[misc]
    assert two < 2.2 * one + 1000


def test_what_is_erased_already_costs_nothing() -> None:
    """At a cost of the row for each command, this would take minutes."""
    assert render("x" * 200_000 + "\x1b[1K" * 50_000).strip() == ""
    assert render("ab\x1b[1K\rc\x1b[3Gd\x1b[2G\x1b[1K") == "  d"
