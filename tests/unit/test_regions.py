"""Regions: found on a page whatever it looks like, and nothing in them is a fence."""

from __future__ import annotations

import pytest

from fencerun.reader import parse, unfit
from fencerun.splice import NewRecording, SpliceError, splice

TABLE = ("| a | b |", "|---|---|", "| 1 | 2.5 |")
FENCE = "```python fence:1\nx\n```\n"


@pytest.mark.parametrize(
    ("page", "text", "line"),
    [
        pytest.param(f"{FENCE}\n<!-- output:1 -->\n\n| a |\n\n<!-- /output:1 -->\n",
                     ("| a |",), 7, id="blank-lines"),
        pytest.param(f"{FENCE}<!-- output:1 -->\n| a |\n<!-- /output:1 -->\n",
                     ("| a |",), 5, id="close"),
        pytest.param(f"{FENCE}<!-- output:1 -->\n\n\n\na\n\n\nb\n\n\n<!-- /output:1 -->\n",
                     ("a", "", "", "b"), 8, id="inner-blank-lines-stay"),
        pytest.param(f"{FENCE}<!-- output:1 -->\n<!-- /output:1 -->\n", (), 5, id="empty"),
        pytest.param(f"{FENCE}\ntext\n\n<!--  output:1  -->\n\na\n\n<!--/output:1-->",
                     ("a",), 9, id="moved"),
        pytest.param("> ```python fence:1\n> ```\n>\n> <!-- output:1 -->\n>\n>  a\nlazy\n>\n"
                     "> <!-- /output:1 -->\n", (" a", "lazy"), 6, id="quote"),
        pytest.param(">```python fence:1\n>```\n><!-- output:1 -->\n>a\n><!-- /output:1 -->\n",
                     ("a",), 4, id="bare-quote"),
        pytest.param("- ```python fence:1\n  ```\n  <!-- output:1 -->\n  > a\n\n"
                     "      b\n  <!-- /output:1 -->\n", ("> a", "", "    b"), 4, id="list"),
        pytest.param("> - ```python fence:1\n>   ```\n> \n>   <!-- output:1 -->\n>\n>   a\n>\n"
                     ">   <!-- /output:1 -->\n", ("a",), 6, id="list-in-quote"),
        pytest.param("  ```python fence:1\n  ```\n\n  <!-- output:1 -->\n\n  a\n b\n\n"
                     "  <!-- /output:1 -->\n", ("a", "b"), 6, id="indented"),
        pytest.param("```python fence:1\r\n```\r\n\r\n<!-- output:1 -->\r\n\r\na\r\n\r\n"
                     "<!-- /output:1 -->\r\n", ("a",), 6, id="crlf"),
        pytest.param("<!-- fence:1 -->\n```python\n```\n\n<!-- output:1 -->\n\n```text\na\n```\n\n"
                     "<!-- /output:1 -->\n", ("```text", "a", "```"), 7, id="holds-a-code-block"),
    ],
)  # fmt: skip
def test_text_of_a_region(page: str, text: tuple[str, ...], line: int) -> None:
    found = parse(page.encode())
    assert found.problems == ()
    [recording] = found.recordings
    assert recording.region
    assert (recording.text, recording.line) == (text, line)
    assert [fence.recording for fence in found.fences] == [recording]


def test_provenance_stands_in_its_comment() -> None:
    page = parse(
        f'{FENCE}\n<!-- output:1 key:abcdef.abcdef on:"a b" -->\n\na\n\n<!-- /output:1 -->'.encode()
    )
    [recording] = page.recordings
    assert (recording.key, recording.on) == ("abcdef.abcdef", "a b")


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        pytest.param(f"{FENCE}\n<!-- output:1 -->\n\n| a |\n", [5], id="unclosed"),
        pytest.param(f"{FENCE}\n| a |\n\n<!-- /output:1 -->\n", [7], id="unopened"),
        pytest.param(f"{FENCE}\n<!-- output:1 -->\n\n> a\n>\n> <!-- /output:1 -->\n", [5, 9],
                     id="closed-in-another-container"),
        pytest.param(f"{FENCE}\n<!-- output:1 -->\n\na\n\n<!-- /output:2 -->\n", [5, 9],
                     id="closed-under-another-number"),
        pytest.param(f"{FENCE}\n<!-- output:1 -->\n\n```python fence:2\n```\n\n"
                     "<!-- /output:1 -->\n", [7], id="holds-a-fence"),
        pytest.param(f"{FENCE}\n<!-- output:1 -->\n\n<!-- fence:2 -->\n```python\n```\n\n"
                     "<!-- /output:1 -->\n", [7], id="holds-a-fence-with-a-comment"),
        pytest.param(f"{FENCE}\n<!-- output:1 -->\n\n<!-- output:2 -->\n\na\n\n<!-- /output:2 -->"
                     "\n\n<!-- /output:1 -->\n", [7, 11], id="holds-a-region"),
        pytest.param(f"{FENCE}\n<!-- output:1 -->\n\na\n\n<!-- output:2 -->\n\n<!-- /output:1 -->"
                     "\n\nb\n\n<!-- /output:2 -->\n", [9], id="crossed"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_region(page: str, lines: list[int]) -> None:
    found = [p for p in parse(page.encode()).problems if p.code == "region"]
    assert [problem.line for problem in found] == lines
    assert all(problem.remedy for problem in found)
    assert all(fence.number == 1 for fence in parse(page.encode()).fences)


def test_two_recordings_of_which_one_is_a_region() -> None:
    page = f"{FENCE}\n```text output:1\na\n```\n\n<!-- output:1 -->\n\na\n\n<!-- /output:1 -->\n"
    assert [p.code for p in parse(page.encode()).problems] == ["two-recordings"]


def test_nothing_in_a_region_counts() -> None:
    inner = (
        '````markdown\n```python fence:7\n```\n````\n\n<span data-fence="9:x">1</span>\n\n'
        "```python\nuntagged\n```"
    )
    page = parse(f"{FENCE}\n<!-- output:1 -->\n\n{inner}\n\n<!-- /output:1 -->\n".encode())
    assert page.problems == ()
    assert [fence.number for fence in page.fences] == [1]
    assert (page.values, page.untagged) == ((), ())


def test_a_tab_in_the_indentation_of_a_region_is_a_problem() -> None:
    page = "- ```python fence:1\n  ```\n  <!-- output:1 -->\n\ta\n  <!-- /output:1 -->\n"
    assert [p.code for p in parse(page.encode()).problems] == ["tab"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TABLE, id="table"),
        pytest.param(("# h", "", "- a", "  - b", "", "1. c", "", "> d"), id="all-sorts"),
        pytest.param(("```", "[a]: /b", "<div>", "```"), id="in-a-code-block"),
        pytest.param(("`<div>` and <br> <b>c</b>",), id="in-a-code-span"),
        pytest.param(("<details>", "<summary>a</summary>", "", "b", "", "</details>"), id="html"),
        pytest.param(("\\<div> a < b > c <class 'int'>",), id="no-tags"),
        pytest.param(("~~~",) * 2, id="tildes"),
    ],
)
def test_what_fits(text: tuple[str, ...]) -> None:
    assert unfit(text) is None
    page = parse(FENCE.encode())
    made = parse(splice(page, {1: NewRecording(text, region=True)}))
    assert [r.text for r in made.recordings] == [text]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(("```",), "never closed", id="code"),
        pytest.param(("<!-- x",), "never closed", id="comment"),
        pytest.param(("<script>",), "never closed", id="script"),
        pytest.param(("<details>", "", "a"), "`<details>` has no partner", id="details"),
        pytest.param(("a </div>",), "`</div>` has no partner", id="div"),
        pytest.param(("<b><i>a</b></i>",), "`</b>` has no partner", id="crossed"),
        pytest.param(("a <module> b",), "`<module>` has no partner", id="no-element"),
        pytest.param(("\\` <div> `",), "`<div>` has no partner", id="no-code-span"),
        pytest.param(("<http://a`b> <div> `",), "`<div>` has no partner", id="backtick-in-a-link"),
        pytest.param(("a", "", "<!-- /output:1 -->"), "line 3 of it is a tag", id="closing"),
        pytest.param(("<!-- output:2 -->",), "line 1 of it is a tag", id="opening"),
        pytest.param(("<!-- fence:2 -->",), "line 1 of it is a tag", id="fence-comment"),
        pytest.param(("```python fence:2", "```"), "line 1 of it is a tag", id="fence"),
        pytest.param(("a", "", "[b]: /c"), "line 3 of it defines", id="link"),
        pytest.param(("[^1]: a note",), "line 1 of it defines", id="footnote"),
    ],
)
def test_what_does_not_fit(text: tuple[str, ...], why: str) -> None:
    assert why in str(unfit(text))
    with pytest.raises(SpliceError, match="no Markdown that can stand in a page"):
        splice(parse(FENCE.encode()), {1: NewRecording(text, region=True)})


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param(FENCE, f"{FENCE}\n<!-- output:1 -->\n\n@\n\n<!-- /output:1 -->\n", id="words"),
        pytest.param(FENCE.replace("fence:1", "{fence=1}"),
                     FENCE.replace("fence:1", "{fence=1}")
                     + "\n<!-- output:1 -->\n\n@\n\n<!-- /output:1 -->\n", id="attributes"),
        pytest.param("<!-- fence:1 -->\n```python\n```\n",
                     "<!-- fence:1 -->\n```python\n```\n"
                     "\n<!-- output:1 -->\n\n@\n\n<!-- /output:1 -->\n", id="comment"),
        pytest.param("```python fence:1\r\n```", "```python fence:1\r\n```\r\n\r\n<!-- output:1 -->"
                     "\r\n\r\n@\r\n\r\n<!-- /output:1 -->", id="crlf-no-final-newline"),
        pytest.param("- ```python fence:1\n  ```\n- a\n",
                     "- ```python fence:1\n  ```\n  <!-- output:1 -->\n  @\n  <!-- /output:1 -->\n"
                     "- a\n", id="tight-list"),
        pytest.param("- a\n\n  ```python fence:1\n  ```\n- a\n",
                     "- a\n\n  ```python fence:1\n  ```\n\n  <!-- output:1 -->\n\n  @\n\n"
                     "  <!-- /output:1 -->\n- a\n", id="loose-list"),
        pytest.param(">```python fence:1\n>```\n", ">```python fence:1\n>```\n>\n"
                     "> <!-- output:1 -->\n>\n> @\n>\n> <!-- /output:1 -->\n", id="quote"),
    ],
)  # fmt: skip
def test_a_first_region(page: str, expected: str) -> None:
    before = parse(page.encode())
    made = splice(before, {1: NewRecording(("@",), region=True)})
    assert made.decode() == expected
    assert splice(parse(made), {1: None}).decode() == page


def test_a_region_takes_the_place_of_a_code_block_and_back() -> None:
    page = f"{FENCE}\ntext\n\n```json output:1 title=x\na\n```\n\nend\n"
    made = splice(parse(page.encode()), {1: NewRecording(("a",), region=True)})
    region = "<!-- output:1 -->\n\na\n\n<!-- /output:1 -->"
    assert made.decode() == f"{FENCE}\ntext\n\n{region}\n\nend\n"
    back = splice(parse(made), {1: NewRecording(("a",))})
    assert back.decode() == f"{FENCE}\ntext\n\n```text output:1\na\n```\n\nend\n"


def test_other_words_in_its_comment_stay() -> None:
    page = f"{FENCE}\n<!-- output:1 key:aaaaaa.bbbbbb wide -->\n\na\n\n<!-- /output:1 -->\n"
    new = NewRecording(("b",), (("key", "cccccc.dddddd"),), region=True)
    made = splice(parse(page.encode()), {1: new}).decode()
    assert "<!-- output:1 key:cccccc.dddddd wide -->\n\nb\n" in made


def test_an_empty_region_is_kept_where_one_is_needed() -> None:
    new = NewRecording((), (("key", "aaaaaa.bbbbbb"),), keep_empty=True, region=True)
    made = parse(splice(parse(FENCE.encode()), {1: new}))
    assert [(r.text, r.region) for r in made.recordings] == [((), True)]
    assert splice(made, {1: new}) == splice(parse(FENCE.encode()), {1: new})


@pytest.mark.parametrize("region", [True, False])
@pytest.mark.parametrize("after", ["\n\n# h\n", "", "\r\n\r\nend", "\r# h"])
def test_what_replaces_a_region_ends_as_it_did(after: str, region: bool) -> None:
    page = f"> ```python fence:1\n> ```\r>\n> <!-- output:1 -->\n> a\n> <!-- /output:1 -->{after}"
    made = splice(parse(page.encode()), {1: NewRecording(("b",), region=region)})
    last = "<!-- /output:1 -->" if region else "```"
    assert made.decode().endswith(f"> {last}{after}")
