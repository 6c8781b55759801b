"""What is prose in a paragraph: never more than CommonMark says, and in linear time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fencerun.prose import without_code, without_comments

_PARSER = MarkdownIt("commonmark")
_PIECES = ("`", "``", "\\", "<", ">", "<b>", "</b>", '<a x="`">', "<!--", "-->", "<?", "?>", "<!A")
_MORE = ("<![CDATA[", "]]>", "<ab:c`d>", "q", " ", " \nw ", "'", '"', "&lt;")
TEXTS = st.lists(st.sampled_from(_PIECES + _MORE), max_size=14).map("".join)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_as_commonmark_reads_it(text: str) -> None:
    """What is strong there, and no code or comment, stands here."""
    said = f"w {text} **q** w"
    shown = _PARSER.render(said)
    if shown.count("<p>") == 1 and shown.startswith("<p>w"):  # one block
        assert ("**q**" in without_code(said)) == ("<strong>q</strong>" in shown)


@given(TEXTS)
def test_offsets_stay(text: str) -> None:
    for made in (without_code(text), without_comments(text)):
        assert len(made) == len(text)
        assert all(new in (old, " ") for new, old in zip(made, text, strict=True))
        assert made.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a<!-- b -->c", "a          c"),
        ("a<!-->c", "a     c"),
        ("a<!--->c", "a      c"),
        ("a<!-- b", "a      "),
        ("`<b>`", "`<b>`"),
    ],
)
def test_comments_of_html(text: str, left: str) -> None:
    assert without_comments(text) == left


@pytest.mark.parametrize("unit", ["<!--", "<?", "<![CDATA[", "<!A", "`", "` ``", "<a ", "<a x='"])
def test_long_texts_are_read_in_one_pass(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert len(without_code(text)) == len(without_comments(text)) == len(text)


def test_backticks_that_close_nothing_are_read_in_one_pass() -> None:
    assert without_code(" ".join("`" * n for n in range(400))).strip() == ""
