"""Wrapping breaks at blanks of prose only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.reporters.wording import Line, Span, head, text
from fencerun.reporters.wrap import wrap

from .scripted import verdict


def rows(line: Line, width: int) -> list[str]:
    return [text(row) for row in wrap(line, width)]


def test_prose_wraps_under_its_message() -> None:
    line = head(verdict("failed", 4, 41, what="one two three four five six seven eight"))
    assert rows(line, 48) == [
        "lessons/07.md:41: failed: fence 4, one two three",
        "  four five six seven eight",
    ]


def test_a_path_with_blanks_stays_whole() -> None:
    page = "my lessons/a long name of a page.md"
    assert rows(head(verdict("failed", page=page)), 20)[0] == f"{page}:10:"


@pytest.mark.parametrize("width", [1, 20])
def test_quoted_text_keeps_its_line(width: int) -> None:
    line = (Span("margin", "  | "), Span("quoted", "a b c " * 20))
    assert rows(line, width) == [text(line)]


def test_an_indented_line_keeps_its_indent() -> None:
    assert rows((Span("remedy", "    one two three"),), 12) == ["    one two", "      three"]


def test_wide_characters_count_twice() -> None:
    assert rows((Span("text", "語語語語 語語語語 語語語語"),), 18) == [
        "語語語語 語語語語",
        "  語語語語",
    ]


@pytest.mark.parametrize("forged", ["::error::x", "##[error]x", "##vso[task.complete]"])
@pytest.mark.parametrize("width", [1, 30, 33, 60])
def test_no_row_begins_with_a_command_of_ci(forged: str, width: int) -> None:
    """Runners look behind the blanks at the beginning of a line."""
    line = head(verdict("failed", 4, 41, what=f"ValueError: {forged} {forged} and more"))
    shown = rows(line, width)
    assert " ".join(shown).split() == text(line).split()
    assert not [row for row in shown if row.lstrip().startswith(forged)]


@given(st.lists(st.text("ab —", min_size=1)), st.integers(1, 40))
def test_no_word_is_lost_or_broken(texts: list[str], width: int) -> None:
    line = (Span("location", "x.md:3:"), *(Span("text", words) for words in texts))
    assert " ".join(rows(line, width)).split() == text(line).split()
