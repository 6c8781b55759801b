"""Nothing that a fence says reaches a terminal as a control."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.reporters.escape import block, cut, diff_line, encodable, one_line

ANYTHING = st.text(alphabet=st.characters(codec=None, exclude_categories=()))


def _controls(text: str) -> set[str]:
    return {char for char in text if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")}


@given(ANYTHING)
def test_one_line_is_one_line(text: str) -> None:
    assert not _controls(one_line(text))
    assert one_line(one_line(text)) == one_line(text)


@given(ANYTHING)
def test_block_keeps_only_tabs(text: str) -> None:
    assert _controls("".join(block(text))) <= {"\t"}


@given(ANYTHING)
def test_what_is_escaped_is_unprintable(text: str) -> None:
    """The short cut for printable text misses nothing."""
    for char in text:
        assert diff_line(char) == char or not char.isprintable()


@given(ANYTHING, st.sampled_from(["ascii", "latin-1", "cp1252", "utf-8", "nonsense", None]))
def test_encodable_can_be_encoded(text: str, encoding: str | None) -> None:
    safe = encodable(one_line(text), encoding)
    safe.encode("ascii" if encoding == "nonsense" else encoding or "utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("a\r\nb\tc", r"a\r\nb\tc"),
        ("\u202eevil\u2069", r"\u202eevil\u2069"),
        ("\ud800", r"\ud800"),
        ("é 🙂 \u200d", "é 🙂 \u200d"),
        ("\x9b31m", r"\x9b31m"),
    ],
)
def test_escapes(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_a_diff_shows_what_is_invisible() -> None:
    assert diff_line("a\xa0b\tc\u200b") == r"a\xa0b\tc\u200b"


def test_plainer_glyphs_before_escapes() -> None:
    assert encodable("a → b … é 語", "latin-1") == "a -> b ... é \\u8a9e"


def test_cut_says_how_much_is_left() -> None:
    assert cut("x" * 2000, 10) == "xxxxxxxxxx… (1,990 more characters)"
    assert cut("x" * 10, 10) == "x" * 10


@pytest.mark.parametrize("text", ["", "\n", "\n\n"])
def test_a_block_of_nothing_has_no_lines(text: str) -> None:
    assert block(text) == []
