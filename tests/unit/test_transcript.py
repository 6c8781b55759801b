"""Transcripts: turns, and the block that is made of them again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.transcript import as_printed, parse, split, with_outputs, without_frames

PYCON = """\
>>> def f():
...     return 1
...
>>> f()
1

>>>
>>> print(...)
Ellipsis
... is output here
"""


def test_turns_of_a_python_session() -> None:
    found = parse("pycon", PYCON)
    assert [turn.code for turn in found.turns] == [
        "def f():\n    return 1\n", "f()", "", "print(...)",
    ]  # fmt: skip
    assert [turn.at for turn in found.turns] == [0, 3, 6, 7]
    assert [turn.output for turn in found.turns] == [
        (), ("1",), (), ("Ellipsis", "... is output here"),
    ]  # fmt: skip
    assert found.turns[1].gap == ("",)
    assert found.above == ()
    assert found.code == "def f():\n    return 1\n\nf()\n\nprint(...)\n"


def test_code_stays_on_its_line() -> None:
    lines = parse("pycon", PYCON).in_place.split("\n")
    assert lines[:8] == ["def f():", "    return 1", "", "f()", "", "", "", "print(...)"]


@pytest.mark.parametrize(
    ("content", "codes", "outputs"),
    [
        pytest.param("$ a\nb\n", ["a"], [("b",)], id="one"),
        pytest.param("$ a \\\n> b\nout\n> out\n", ["a \\\nb"], [("out", "> out")], id="more"),
        pytest.param("$\n$ \n", ["", ""], [(), ()], id="empty-prompts"),
        pytest.param("$ a\n$b\n$5\n", ["a"], [("$b", "$5")], id="no-blank-no-prompt"),
        pytest.param("$ a\n\n\nx\n\n", ["a"], [("", "", "x")], id="blank-lines"),
        pytest.param("", [], [], id="nothing"),
    ],
)  # fmt: skip
def test_turns_of_a_shell_session(
    content: str, codes: list[str], outputs: list[tuple[str, ...]]
) -> None:
    turns = parse("console", content).turns
    assert [turn.code for turn in turns] == codes
    assert [turn.output for turn in turns] == outputs


def test_text_above_the_first_prompt() -> None:
    assert parse("console", "\nhello\n$ a\n").above == ("hello",)
    assert parse("console", "\n\n$ a\n").above == ()


LINES = st.lists(
    st.sampled_from([">>> x", ">>>", "... y", "", "out", "  out", "Traceback (innermost last):"]),
    max_size=12,
)  # fmt: skip


@given(LINES)
def test_a_block_is_its_turns(lines: list[str]) -> None:
    content = "".join(line + "\n" for line in lines)
    turns = parse("pycon", content).turns
    first = next((at for at, line in enumerate(lines) if line.startswith(">>>")), len(lines))
    assert list(with_outputs(turns, [turn.output for turn in turns])) == lines[first:]


@given(LINES, st.lists(st.sampled_from(["a", "", " ..."]), max_size=3))
def test_what_was_put_together_is_taken_apart(lines: list[str], output: list[str]) -> None:
    turns = parse("pycon", "".join(line + "\n" for line in lines)).turns
    printed = [tuple(output)] * len(turns)
    found = split(with_outputs(turns, printed), turns)
    assert found == tuple((*one, *turn.gap) for one, turn in zip(printed, turns, strict=True))


def test_lines_of_other_turns_are_not_taken_apart() -> None:
    turns = parse("console", "$ a\n$ b\n").turns
    assert split(["$ a", "x"], turns) is None
    assert split(["$ b", "$ a"], turns) is None


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(["1"], ["1"], id="none"),
        pytest.param(
            ["out", "Traceback (most recent call last):", '  File "x"', "    y", "E: a", "b"],
            ["out", "Traceback (most recent call last):", "  ...", "E: a", "b"],
            id="frames",
        ),
        pytest.param(
            ["Traceback (innermost last):", "...", "", "E"],
            ["Traceback (most recent call last):", "  ...", "E"],
            id="dots",
        ),
        pytest.param(
            ["Traceback (most recent call last):", "E: a"],
            ["Traceback (most recent call last):", "  ...", "E: a"],
            id="nothing-between",
        ),
    ],
)
def test_frames_do_not_count(lines: list[str], expected: list[str]) -> None:
    assert list(without_frames(lines)) == expected
    block = as_printed("pycon", [">>> x", *lines])
    assert list(block) == [">>> x", *expected]
