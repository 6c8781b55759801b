from __future__ import annotations

import pytest

from fencerun.rendering.sanitise import attributes, piece, scheme

from .reading import Elements, body

SCRIPTS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//x.org/a.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    '<img src="x" onerror="alert(1)">',
    "<a href='javascript:alert(1)'>x</a>",
    "<a href='java&#10;script:alert(1)'>x</a>",
    "<a href=' JaVaScRiPt:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](vbscript:x)",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "![x](data:text/html;base64,AAAA)",
    "<img src='data:text/html,x'>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mi href='javascript:x'>x</mi></math>",
    "<iframe srcdoc='<script>x</script>'></iframe>",
    "<object data=x></object><embed src=x>",
    "<form action=x><input name=y><button formaction=javascript:x>z</button></form>",
    "<body onload=alert(1)>",
    "<meta http-equiv=refresh content='0;url=//x'>",
    "<base href='//x.org/'>",
    "<link rel=stylesheet href=//x>",
    "<div style='position:fixed;inset:0'>x</div>",
    "<style>*{display:none}</style>",
    "<video><source onerror=alert(1)></video>",
    "<details open ontoggle=alert(1)>x</details>",
    "<p class='fence' data-fence='3' data-part='panel'>x</p>",
    "<div data-slot='0'>x</div>",
    "\\(\\text{<img src=x onerror=alert(1)>}\\)",
    "\\(\\href{javascript:alert(1)}{x}\\)",
    "$\\text{</math><script>alert(1)</script>}$",
    "```python fence:1\n'</code><script>alert(1)</script>'\n```\n",
    "```text output:1\n<script>alert(1)</script>\n```\n",
    "```<script>alert(1)</script> fence:none\nx\n```\n",
    "```py title=\"<script>alert(1)</script>\"\nx\n```\n",
    "# <script>alert(1)</script> title",
    "| <script>alert(1)</script> |\n|---|\n| x |\n",
    "<span data-fence='1:\"><script>alert(1)</script>'>x</span>",
    '!!! note "<script>alert(1)</script>"\n    x\n',
    '=== "<img src=x onerror=alert(1)>"\n    x\n',
    "[^<script>]: x\n\nsee [^<script>]",
    "<!-- fence:1 hidden\n'<script>'\n-->\n",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\"></noscript>",
    "<title><img src=x onerror=alert(1)></title>",
]  # fmt: skip

_DRAWN = {"math", "mrow", "mi", "mtext", "input", "label"}


@pytest.mark.parametrize("text", SCRIPTS)
@pytest.mark.parametrize("syntax", ["commonmark", "mkdocs"])
def test_nothing_of_a_page_runs(text: str, syntax: str) -> None:
    shown = body(f"<!-- fencerun: syntax={syntax} -->\n\n{text}\n", hidden=True)
    found = Elements(shown)
    assert found.open == [] and found.stray == []
    for tag, said in found.found:
        assert tag in _DRAWN or tag in _ALLOWED, tag
        for name, value in said.items():
            assert not name.startswith("on") and name not in ("style", "srcdoc", "formaction")
            if name in ("href", "src"):
                assert scheme(value) in ("", "http", "https", "mailto")
    assert not any(said.get("data-fence") == "3" for _, said in found.found)


_ALLOWED = {
    *("a", "b", "blockquote", "br", "code", "details", "div", "em", "h1", "img", "li", "ol", "p"),
    *("pre", "section", "source", "span", "sup", "table", "tbody", "td", "th", "thead", "tr"),
    *("video",),
}


@pytest.mark.parametrize(
    ("html", "safe"),
    [
        ("<b>x</b>", "<b>x</b>"),
        ("a < b > c", "a &lt; b > c"),
        ("<div", "&lt;div"),
        ('<div class="x', '&lt;div class="x'),
        ("<!-- a --> b", " b"),
        ("<!-- never", ""),
        ("<?php x ?>y", "y"),
        ("<!DOCTYPE html>y", "y"),
        ("<![CDATA[x]]>y", "y"),
        ("<script>x</script>y", "y"),
        ("<script>x", "x"),
        ("<STYLE>x</STYLE >y", "y"),
        ("<font color=red>x</font>", "x"),
        ("<textarea>x</textarea>y", "y"),
        ("<p>x", "<p>x"),
        ("&copy; &lt;", "&copy; &lt;"),
    ],
)
def test_pieces_stay_pieces(html: str, safe: str) -> None:
    assert piece(html) == safe


def test_many_tags_that_never_end_take_linear_time() -> None:
    assert piece("<script>" * 20_000) == ""
    assert piece("<!--" * 20_000) == ""
    assert piece("<a " * 20_000) == "&lt;a " * 20_000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        (' a="1" B=2 c', {"a": "1", "b": "2", "c": ""}),
        (" data-fence='1:x &lt; 2'", {"data-fence": "1:x < 2"}),
        (' a="\'"', {"a": "'"}),
    ],
)
def test_attributes(text: str, found: dict[str, str]) -> None:
    assert attributes(text) == found


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ('<p align="center">x</p>', 'align="center"'),
        ('<img src="a.png" width="30">', 'width="30"'),
        ('<a name="here"></a>', 'name="here"'),
        ('<p id="here">x</p>', 'id="here"'),
        ('<p id="fence:1">x</p>', "<p>x"),
        ('<p id="ui:toast">x</p>', "<p>x"),
        ('<p id="tab:1:2">x</p>', "<p>x"),
        ("<picture><source srcset='a.png 2x' media='x'><img src='b.png'></picture>", "a.png 2x"),
        ("<picture><source srcset='javascript:x'></picture>", "<source>"),
        ("<details><summary>a</summary>b</details>", "<summary>a</summary>b</details>"),
        ('<img src="data:image/png;base64,AAAA">', "data:image/png;base64,AAAA"),
        ("<ruby>x<rt>y</rt></ruby>", "<rt>y</rt>"),
    ],
)
def test_what_pages_may_hold(html: str, kept: str) -> None:
    assert kept in body(f"{html}\n")


def test_an_element_may_open_in_one_block_and_close_in_another() -> None:
    shown = body("<details><summary>more</summary>\n\n**text**\n\n</details>\n\nafter\n")
    assert shown.index("<strong>text</strong>") < shown.index("</details>") < shown.index("after")
