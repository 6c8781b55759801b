"""Dots that stand for anything."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.ellipsis import DOTS, fit, is_lone, locate


def matches(pattern: list[str], lines: list[str]) -> bool:
    return locate(pattern, lines, like, lambda line: line) is not None


def like(pattern: str, line: str) -> bool:
    return fit(pattern.split(DOTS), line) is not None


CASES = {
    "no dots": ("a", "a", True),
    "no dots, other text": ("a", "b", False),
    "inside": ("a...c", "abbbc", True),
    "nothing": ("a...c", "ac", True),
    "ends do not overlap": ("ab...bc", "abc", False),
    "at the start": ("...c", "abc", True),
    "at the end": ("a...", "abc", True),
    "several": ("a...b...c", "a1b2c", True),
    "several in another order": ("a...b...c", "a1c2b", False),
    "not across lines": ("a...c", "a\nc", False),
    "lines": ("a\n...\nc", "a\nb\nb\nc", True),
    "no lines": ("a\n...\nc", "a\nc", True),
    "indented": ("a\n   ...\nc", "a\nb\nc", True),
    "first": ("...\nc", "a\nb\nc", True),
    "last": ("a\n...", "a\nb\nc", True),
    "everything": ("...", "a\nb", True),
    "ends do not share lines": ("a\nb\n...\nb\nc", "a\nb\nc", False),
    "a block between": ("...\nb\nc\n...", "a\nb\nb\nc\nd", True),
    "a block that is torn": ("...\nb\nc\n...", "a\nb\nx\nc\nd", False),
    "both kinds": ("...\nb...\n...\nz", "a\nb1\nb2\nz", True),
    "the dots themselves": ("[1, ..., 9]\n...", "[1, ..., 9]\n...", True),
    "four dots": ("a....", "abc.", True),
}


@pytest.mark.parametrize(("pattern", "text", "expected"), CASES.values(), ids=CASES)
def test_matches(pattern: str, text: str, expected: bool) -> None:
    assert matches(pattern.split("\n"), text.split("\n")) is expected


def slowly(pattern: list[str], lines: list[str]) -> bool:
    """What a regular expression says, with all the backtracking it likes."""
    parts = [
        r"(?:[^\n]*\n)*"
        if is_lone(line)
        else "[^\n]*".join(map(re.escape, line.split(DOTS))) + r"\n"
        for line in pattern
    ]
    return bool(re.fullmatch("".join(parts), "".join(f"{line}\n" for line in lines)))


PATTERN = st.lists(st.sampled_from(["a", "b", "...", "a...", "...b", "a...b", "ab"]), max_size=7)
LINES = st.lists(st.sampled_from(["a", "b", "ab", "aab", "ba"]), max_size=7)


@settings(deadline=None)
@given(PATTERN, LINES)
def test_as_a_regular_expression_says(pattern: list[str], lines: list[str]) -> None:
    assert matches(pattern, lines) is slowly(pattern, lines)


@settings(deadline=None)
@given(PATTERN, LINES)
def test_places_cover_the_lines(pattern: list[str], lines: list[str]) -> None:
    places = locate(pattern, lines, like, lambda line: line)
    if places is not None:
        assert len(places) == len(pattern)
        covered = [at for start, end in places for at in range(start, end)]
        assert covered == list(range(len(lines)))
        assert all(
            is_lone(line) or like(line, lines[start])
            for line, (start, _) in zip(pattern, places, strict=True)
        )


@settings(deadline=None)
@given(st.lists(st.text("ab.", max_size=5), max_size=6))
def test_everything_matches_itself(lines: list[str]) -> None:
    assert matches(lines, lines)


def test_a_piece_may_be_turned_down() -> None:
    assert fit(["", "b", ""], "abab", lambda piece, at: piece != 1 or at > 1) == [0, 3, 4]
    assert fit(["", "b", ""], "abab", lambda piece, at: piece != 1) is None


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        ([*(["...", "a", "b"] * 20), "c"], ["a", "b"] * 5000),
        (["...", *(["a"] * 5000), "b", "...", "z"], ["a"] * 10_000),
        ([*(["...", "a..."] * 20), "b"], ["a"] * 10_000),
        (["a...b..." * 1000 + "z"], ["ab" * 100_000]),
    ],
    ids=["blocks", "long block", "dots in lines", "one line"],
)
def test_hostile_patterns_try_each_line_a_few_times(pattern: list[str], lines: list[str]) -> None:
    tried = 0

    def counting(one: str, other: str) -> bool:
        nonlocal tried
        tried += 1
        return like(one, other)

    locate(pattern, lines, counting, lambda line: line)
    assert tried <= 2 * len(lines) + 2 * len(pattern)
