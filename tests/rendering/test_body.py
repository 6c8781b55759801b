from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.pages import lessons, wrecks

from fencerun import reader, rendering

from .reading import Elements, body, page

#: A link to what it says.
LINK = "<a>"
LESSON = Path(__file__).parents[2] / "lessons" / "25_custom_ops.md"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("*a* **b** `c`", "<em>a</em> <strong>b</strong> <code>c</code>"),
        ("~~a~~", "<s>a</s>"),
        ("[a](b.md)", '<a href="b.md" rel="noreferrer">a</a>'),
        ("![a](b.png)", '<img src="b.png" alt="a">'),
        ("<https://a.org/>", '<a href="https://a.org/" rel="noreferrer">https://a.org/</a>'),
        ("https://a.org/b_c_d?e=f&g.", f"{LINK}https://a.org/b_c_d?e=f&amp;g</a>."),
        ("(see https://a.org/b)", f"(see {LINK}https://a.org/b</a>)"),
        ("https://a.org/b_(c)", f"{LINK}https://a.org/b_(c)</a>"),
        ("`https://a.org`", "<code>https://a.org</code>"),
        ("[https://a.org](b)", '<a href="b" rel="noreferrer">https://a.org</a>'),
        ("<a href='b'>https://a.org</a>", '<a href="b" rel="noreferrer">https://a.org</a>'),
        ("xhttps://a.org http://", "xhttps://a.org http://"),
        ("a<br>b", "a<br>b"),
        ("H<sub>2</sub>O", "H<sub>2</sub>O"),
        ("&lt;script&gt;", "&lt;script&gt;"),
        ("a <!-- comment --> b", "a  b"),
    ],
)
def test_inline_markdown(text: str, shown: str) -> None:
    made = body(text)
    for address in re.findall(r'href="(https://[^"]*)"', made):
        if shown.startswith((LINK, f"(see {LINK}")):
            made = made.replace(f'<a href="{address}" rel="noreferrer">', LINK)
    assert made == f'<p data-line="1">{shown}</p>\n'


def test_blocks_say_their_page_line() -> None:
    found = Elements(
        body(
            """
            ---
            title: x
            ---

            # A

            text

            - item

            > quote

            | a |
            |---|
            | b |

                code

            ```
            more
            ```

            ---
            """
        )
    ).found
    lines = [(tag, said["data-line"]) for tag, said in found if "data-line" in said]
    wanted = [("h1", "5"), ("p", "7"), ("ul", "9"), ("li", "9"), ("blockquote", "11")]
    assert [one for one in lines if one in wanted] == wanted
    assert {("table", "13"), ("tr", "15"), ("span", "17"), ("div", "19"), ("span", "20")} <= {
        *lines
    }
    assert lines[-1] == ("hr", "23")


def test_front_matter_is_not_shown_and_names_the_page() -> None:
    rendered = rendering.render(page("---\ntitle: 'A title'\nlayout: x\n---\n\n# Other\n"))
    assert rendered.title == "A title"
    assert "layout" not in rendered.body


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One *two*", "One two"),
        ("text\n\n## Two", "Two"),
        ("text", ""),
        ('+++\ntitle = "T"\n+++\n\n# x', "T"),
        ("---\nsubtitle: a\n---\n# x", "x"),
    ],
)
def test_title(text: str, title: str) -> None:
    assert rendering.render(page(text)).title == title


def test_tables_scroll_and_are_aligned_without_styles() -> None:
    shown = body("| a | b |\n|:-|-:|\n| 1 | 2 |\n")
    assert '<div class="table" tabindex="0"' in shown
    assert (
        '<td data-line="3" align="right">2</td>'
        in shown.replace('align="right" data-line="3"', 'data-line="3" align="right"')
        or '<td align="right">2</td>' in shown
    )
    assert "style" not in shown


def test_footnotes() -> None:
    shown = body("a[^n]\n\n[^n]: the *note*\n")
    assert '<section class="footnotes">' in shown
    assert "the <em>note</em>" in shown
    assert 'href="#fn1"' in shown and 'id="fn1"' in shown


def test_addresses_are_the_callers() -> None:
    text = '[a](b.md#c) ![d](e.png)\n\n<img src="f.png"> <a href="g">h</a>\n'
    shown = body(text, link=lambda a: f"/page/{a}", image=lambda a: f"/file/{a}")
    found = Elements(shown).found
    assert [said["href"] for tag, said in found if tag == "a"] == ["/page/b.md#c", "/page/g"]
    assert [said["src"] for tag, said in found if tag == "img"] == ["/file/e.png", "/file/f.png"]


def test_an_address_that_the_caller_gives_may_hold_an_image() -> None:
    shown = body("![a](b.png)", image=lambda a: "data:image/png;base64,AAAA")
    assert 'src="data:image/png;base64,AAAA"' in shown


def test_equal_pages_give_equal_html() -> None:
    text = "# A\n\n```python fence:1\n1\n```\n\n$x$ <span data-fence='1:x'>3</span>\n"
    assert body(text) == body(text)


def test_values_in_prose_are_marked() -> None:
    found = Elements(body("```python fence:2\nx = 4\n```\n\nIt is "
                          '<span data-fence="2:x &lt; 5" data-format="d">4</span>.\n'))  # fmt: skip
    (value,) = found.of_class("value")
    assert value["data-value"] == "2:x < 5"
    assert "It is 4." in found.text


def test_a_page_that_is_nested_too_deeply_is_shown_as_its_source() -> None:
    text = ">" * 5000 + " deep <b>"
    shown = body(text)
    assert "&lt;b&gt;" in shown or "<b>" not in shown


def test_not_utf8() -> None:
    rendered = rendering.render(reader.parse(b"caf\xe9 *x*\n", "page.md"))
    assert rendered.body.encode() == '<p data-line="1">caf\ufffd <em>x</em></p>\n'.encode()


@pytest.mark.parametrize(
    "text",
    [
        "$$\n```python fence:1\n1\n```\n$$\n",
        "\\[ x +\n```python fence:1\n1\n```\n\\]\n",
        "[^1]: note\n```python fence:1\n1\n```\n",
        "[^1]: note\n\n```python fence:1\n1\n```\n",
        "a | b\n```python fence:1\n1\n```\n",
        "| a |\n|---|\n```python fence:1\n1\n```\n",
        "<div>\n\n```python fence:1\n1\n```\n\n</div>\n",
        "<table><tr><td>\n\n```python fence:1\n1\n```\n\n</td></tr></table>\n",
        "<p>\n\n```python fence:1\n1\n```\n",
        "1. a\n\n   > ```python fence:1\n   > 1\n   > ```\n",
        "<pre>\n```python fence:1\n</pre>\n\n```python fence:1\n1\n```\n",
    ],
)
def test_every_fence_is_shown(text: str) -> None:
    assert len(Elements(body(text)).of_class("fence")) == 1


def test_the_lesson_is_shown_whole() -> None:
    read = reader.parse(LESSON.read_bytes(), "25_custom_ops.md")
    found = Elements(rendering.render(read).body)
    assert [said["data-fence"] for said in found.of_class("fence")] == [
        str(fence.number) for fence in read.fences
    ]
    assert len(found.of_class("fence-output")) == len(read.recordings)
    assert len(found.of_class("value")) == len(read.values)
    assert found.open == [] and found.stray == []
    assert not found.of_class("source"), "a formula that is not drawn"


@settings(max_examples=60, deadline=None)
@given(lessons() | wrecks())
def test_pages_of_every_form_are_shown_with_all_their_fences(data: bytes) -> None:
    read = reader.parse(data, "page.md")
    found = Elements(rendering.render(read).body)
    visible = [fence for fence in read.fences if not fence.tags.hidden]
    assert len(found.of_class("fence")) == len(visible)


PIECES = (
    "\n", "\n\n", "    ", "- ", "> ", "1. ", "# ", "```", "```python fence:1\n", "~~~", "|", "|-|",
    "$", "$$", "\\(", "\\)", "\\[", "\\]", "`", "``", "<", ">", "<b>", "</b>", "<div>", "</div>",
    "<script>", "</script>", "<!--", "-->", "<img src=x onerror=y>", "<a href='javascript:x'>", "&",
    "[a](b)", "![", "](", "[^1]", "[^1]: ", "*", "_", "~~", "!!! note\n", "<details>", "<table>",
    "<td>", "<svg>", "<style>", "<textarea>", "<p", '="', "'", "text", "\\frac{", "}", "<!-- fence",
    "<!-- output:1 -->", "<!-- /output:1 -->", "<span data-fence='1:x'>", "</span>", "\t", "\0",
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_nothing_raises_and_nothing_gets_out(text: str) -> None:
    rendered = rendering.render(reader.parse(text.encode(), "page.md"))
    found = Elements(rendered.body)
    assert found.open == [] and found.stray == []
    for tag, said in found.found:
        assert tag not in ("script", "style", "svg", "textarea", "iframe", "object")
        assert not any(name.startswith("on") or name == "style" for name in said)
        assert not said.get("href", "").lower().strip().startswith("javascript:")


def test_a_long_page_takes_linear_time() -> None:
    """Not a clock: what is quadratic at this size would run into the time limit of tests."""
    shuffled = random.Random(0)
    text = "".join(shuffled.choice(("\\(", "$", "`", "<b", "[", "<!--")) for _ in range(20_000))
    assert body(text)


@pytest.mark.parametrize(
    ("text", "directed"),
    [
        ("english\n", []),
        ("שלום\n", ["p"]),
        ("# עברית\n\nenglish\n", ["h1", "p"]),
        ("- פריט\n\n  more\n\n  > x\n\nend\n", ["ul", "p"]),
        ("> العربية\n>\n> 1. x\n", ["blockquote"]),
        ("| שם | b |\n|---|---|\n| 1 | 2 |\n", ["th", "th", "td", "td"]),
        ("```text\nשלום\n```\n", []),
    ],
)
def test_prose_runs_from_where_its_first_letter_does(text: str, directed: list[str]) -> None:
    """Where the page has any that runs from the right; in a list or quote, all as the first."""
    found = Elements(body(text))
    assert [tag for tag, said in found.found if said.get("dir") == "auto"] == directed
