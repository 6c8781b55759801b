"""Values in prose: found, misbound, and written so that they read back as themselves."""

from __future__ import annotations

import html
import re

import pytest
from cmarkgfm import github_flavored_markdown_to_html
from cmarkgfm.cmark import Options
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fencerun.page import Page, outline
from fencerun.reader import parse
from fencerun.values import one_line, without_texts, write

FENCE = "```python fence:1\n```\n\n"

PLACES = {
    "prose": "It is <span data-fence='1:s'>old</span>, `code` and ``more``.\n",
    "heading": "## It is <span data-fence='1:s'>old</span> `code` #\n",
    "cells": "| a | b |\n|---|---|\n| <span data-fence='1:s'>old</span> | `code` |\n",
    "quote-in-list": "- > It is <span data-fence='1:s'>old</span> `code`\n  > and *more*\n",
    "link": "[It is <span data-fence='1:s'>old</span>](x.md) `code`\n",
    "raw": "<div>\n<span data-fence='1:s'>old</span> `code`\n</div>\n",
}


def read(text: str) -> Page:
    return parse(text.encode(), "page.md")


def skeleton(page: Page) -> tuple[object, ...]:
    """What the page is, whatever its values say."""
    return tuple(token[:6] for token in outline(page))


TEXTS = st.text(
    st.sampled_from("`|\\*_~$[]()<>&;:!#^-'\"ab 1{}=\u00e9\x1b") | st.characters(), max_size=30
) | st.sampled_from(
    ["`x`", "``", "\\`", "a|b", "&#96;", "&amp;lt;", "[a](b)", "[^1]", "</span>", "<!-- x -->",
     "-->", "**b**", "$x$", "~~s~~", "# h", "\\", "\\|", "a]b", "[1, 2]", "data-fence=1:x"]
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=150, deadline=None)
@given(text=TEXTS)
@example(text="`x`")
@example(text="\\|`|")
@example(text="]0[")
@example(text="\ud800 \x00 \x1b[0m")
def test_whatever_is_written_reads_back_and_changes_nothing_else(place: str, text: str) -> None:
    page = read(FENCE + PLACES[place])
    (value,) = page.values
    after = read(write(page.text, [(value, text)]))
    assert [v.shown for v in after.values] == [one_line(text)]
    assert without_texts(after.text, after.values) == without_texts(page.text, page.values)
    assert skeleton(after) == skeleton(page)
    assert after.problems == page.problems
    if place != "raw" and "\x00" not in text:
        assert rendered(after.text) == one_line(text)


def rendered(source: str) -> str:
    """What GitHub shows of the value."""
    shown = github_flavored_markdown_to_html(source, options=Options.CMARK_OPT_UNSAFE)
    inner = re.search(r"<span data-fence='1:s'>(.*?)</span>", shown, re.DOTALL)
    assert inner is not None, shown
    return html.unescape(re.sub(r"<[^>]*>", "", inner[1]))


@given(text=st.text())
def test_one_line_is_one_line_that_utf8_holds_and_stays(text: str) -> None:
    line = one_line(text)
    assert len(line.encode("utf-8").decode("utf-8").splitlines()) <= 1
    assert one_line(line) == line


@pytest.mark.parametrize(
    ("prose", "shown"),
    [
        pytest.param(r"\` <span data-fence='1:s'>x</span> \`", "x", id="escaped-backticks"),
        pytest.param(r"\\` <span data-fence='1:s'>x</span> `", None, id="escaped-backslash"),
        pytest.param("` <span data-fence='1:s'>x</span> ``", "x", id="runs-of-two-lengths"),
        pytest.param("``` a ` <span data-fence='1:s'>x</span>", "x", id="unclosed-run"),
        pytest.param("<span data-fence='1:f(\"`\")'>x</span> `", "x", id="backtick-in-attribute"),
        pytest.param("<span title='a>b' data-fence='1:s'>x</span>", "x", id="sign-in-attribute"),
        pytest.param(r"\<span data-fence='1:s'>x</span>", None, id="escaped-tag"),
        pytest.param("`<em data-fence='1:s'>x</em>`", None, id="code-of-another-tag"),
        pytest.param("<span data-fence='1:s'>a&#96;\\_&amp;b &c</span>", "a`_&b &c", id="entities"),
        pytest.param("<span data-fence='1:s'>\\&amp;</span>", "&amp;", id="escaped-entity"),
        pytest.param("<http://a`b> <span data-fence='1:s'>x</span> `", "x", id="in-a-link"),
        pytest.param("<!A `> <span data-fence='1:s'>x</span> `", "x", id="in-a-declaration"),
        pytest.param("<?a `?> <span data-fence='1:s'>x</span> `", "x", id="in-an-instruction"),
        pytest.param("<![CDATA[`]]> <span data-fence='1:s'>x</span> `", "x", id="in-cdata"),
        pytest.param("<!-- `--> <span data-fence='1:s'>x</span> `", "x", id="in-a-comment"),
        pytest.param("<!--> <span data-fence='1:s'>x</span> -->", "x", id="shortest-comment"),
        pytest.param("<!-- <span data-fence='1:s'>x</span>", "x", id="comment-without-end"),
        pytest.param("<!-- <span data-fence='1:s'>x</span> -->", None, id="in-a-comment-whole"),
        pytest.param("<span data-fence='1:s' data-fence='2:t'>x</span>", "x", id="twice"),
    ],
)
def test_where_values_are(prose: str, shown: str | None) -> None:
    page = read(FENCE + f"see {prose}\n")
    assert [value.shown for value in page.values] == ([] if shown is None else [shown])
    assert not page.problems


@pytest.mark.parametrize(
    "prose",
    [
        pytest.param("<SPAN data-fence='1:s'>x</SPAN>", id="capitals"),
        pytest.param("<em data-fence='1:s'>x</em>", id="another-tag"),
        pytest.param("<span data-fence='1:s'/>", id="empty-tag"),
        pytest.param("<span data-fence>x</span>", id="no-binding"),
        pytest.param("<span data-fence='s'>x</span>", id="no-number"),
        pytest.param('<span data-fence=1:f("x")>x</span>', id="quotes-in-a-bare-value"),
        pytest.param("<span data-fence='1:s'>*x*", id="not-closed"),
        pytest.param("<b class=x data-fence = 1:s>x</b>", id="blanks"),
    ],
)
@pytest.mark.parametrize("raw", [False, True], ids=["prose", "raw"])
def test_what_means_to_be_a_value_and_is_none_is_a_problem(prose: str, raw: bool) -> None:
    page = read(FENCE + (f"<div>\n{prose}\n</div>\n" if raw else f"see {prose}\n"))
    assert [problem.code for problem in page.problems] == ["value"]
    assert not page.values


def test_a_tolerance_without_a_value_is_named_once() -> None:
    page = read(FENCE + "see <span data-fence='1:s' data-rtol=''>1</span>\n")
    assert [problem.what for problem in page.problems] == ["`data-rtol`: needs a value"]
