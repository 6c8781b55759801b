"""Lines as CommonMark counts them, and words one typo apart."""

from __future__ import annotations

import pytest

from fencerun.text import split_lines, within_one_typo


@pytest.mark.parametrize(
    ("source", "texts", "endings"),
    [
        pytest.param("", [], [], id="nothing"),
        pytest.param("a", ["a"], [""], id="no-final-newline"),
        pytest.param("a\n", ["a"], ["\n"], id="lf"),
        pytest.param("\n\n", ["", ""], ["\n", "\n"], id="blank-lines"),
        pytest.param("a\r\nb\r\n", ["a", "b"], ["\r\n", "\r\n"], id="crlf"),
        pytest.param("a\rb\r", ["a", "b"], ["\r", "\r"], id="cr"),
        pytest.param("a\r\rb", ["a", "", "b"], ["\r", "\r", ""], id="cr-blank"),
        pytest.param("a\r\n\rb\n", ["a", "", "b"], ["\r\n", "\r", "\n"], id="mixed"),
        pytest.param("\n\r", ["", ""], ["\n", "\r"], id="lf-then-cr-is-two"),
        pytest.param(
            "a\u2028b\x85c\x0cd\x0be\x1cf", ["a\u2028b\x85c\x0cd\x0be\x1cf"], [""], id="A8"
        ),
    ],
)
def test_lines(source: str, texts: list[str], endings: list[str]) -> None:
    lines = split_lines(source)
    assert len(lines) == len(texts)
    assert [lines.text(k) for k in range(len(lines))] == texts
    assert [lines.ending(k) for k in range(len(lines))] == endings


def test_line_of_an_offset() -> None:
    lines = split_lines("ab\r\n\r\nc")
    assert [lines.number_at(offset) for offset in range(7)] == [0, 0, 0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    ("word", "other", "close"),
    [
        ("cuda", "cudaa", True),
        ("cudaa", "cuda", True),
        ("cuda", "cdua", True),
        ("cuda", "cude", True),
        ("cuda", "uda", True),
        ("cuda", "cuda", False),
        ("cuda", "cudaaa", False),
        ("cuda", "dcua", False),
        ("ab", "ba", True),
        ("", "a", True),
    ],
)
def test_one_typo(word: str, other: str, close: bool) -> None:
    assert within_one_typo(word, other) is close
