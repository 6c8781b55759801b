"""Diffs for reports."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.diff import diff
from fencerun.events import DiffLine


def shown(ours: str, theirs: str, context: int = 1) -> list[str]:
    found = diff(list(ours), list(theirs), first_line=10, context=context)
    return [
        f"{line.mark}{line.text}{'' if line.line is None else f' {line.line}'}" for line in found
    ]


def test_equal_texts_differ_in_nothing() -> None:
    assert diff(["a"], ["a"], first_line=1) == ()
    assert diff([], [], first_line=1) == ()


def test_page_lines_and_context() -> None:
    assert shown("abcdefg", "abcXefg") == [
        "~2 equal lines",
        " c 12",
        "-d 13",
        "+X",
        " e 14",
        "~2 equal lines",
    ]


def test_one_equal_line_is_shown_rather_than_counted() -> None:
    assert shown("abcde", "Xbcde".replace("e", "Y")) == [
        "-a 10",
        "+X",
        " b 11",
        " c 12",
        " d 13",
        "-e 14",
        "+Y",
    ]


def test_added_and_removed() -> None:
    assert shown("", "ab") == ["+a", "+b"]
    assert shown("ab", "") == ["-a 10", "-b 11"]
    assert shown("ab", "abc") == [" a 10", " b 11", "+c"]


def test_many_equal_lines() -> None:
    lines = [f"line {n}" for n in range(20_000)]
    changed = [*lines[:15_000], "new", *lines[15_001:]]
    found = diff(lines, changed, first_line=1)
    assert len(found) == 10
    assert found[0] == DiffLine("~", "14,997 equal lines")
    assert DiffLine("-", "line 15000", 15_001) in found


LINES = st.lists(st.sampled_from("abc"), max_size=15)


@settings(deadline=None)
@given(LINES, LINES, st.integers(0, 3))
def test_a_diff_gives_both_texts_back(ours: list[str], theirs: list[str], context: int) -> None:
    found = diff(ours, theirs, first_line=1, context=context)
    left: list[str] = []
    right: list[str] = []
    for line in found:
        if line.mark == "~":
            count = int(line.text.split()[0])
            assert count > 1
            left += ours[len(left) :][:count]
            right += theirs[len(right) :][:count]
            continue
        if line.mark != "+":
            left.append(line.text)
            assert line.line == len(left)
        if line.mark != "-":
            right.append(line.text)
    assert (left, right) == (ours, theirs) or (not found and ours == theirs)
