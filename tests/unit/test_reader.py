"""What a page's bytes are read as: fences, recordings, lines, problems."""

from __future__ import annotations

import pytest

from fencerun.page import Page, outline
from fencerun.reader import parse
from fencerun.splice import encode


def read(text: str | bytes) -> Page:
    return parse(text.encode("utf-8") if isinstance(text, str) else text, "p.md")


def codes(page: Page) -> dict[int, str]:
    return {fence.number: fence.code for fence in page.fences}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("```python fence:1\nx\n```\n", id="plain"),
        pytest.param("~~~python fence:1\nx\n~~~\n", id="A1-tildes"),
        pytest.param("`````python fence:1\nx\n`````\n", id="A1-five-ticks"),
        pytest.param("```python fence:1\nx\n``````\n", id="A1-longer-closer"),
        pytest.param("```python fence:1\nx\n   ```\n", id="A1-indented-closer"),
        pytest.param("``` python fence:1\nx\n```\n", id="A1-blank-before-language"),
        pytest.param("```Python fence:1\nx\n```\n", id="A1-capital"),
        pytest.param("```py fence:1\nx\n```\n", id="A1-py"),
        pytest.param("```python3 fence:1\nx\n```\n", id="A1-python3"),
        pytest.param("```python fence:1 requires:cuda\nx\n```\n", id="A2-extra-tag"),
        pytest.param('```python title="app.py" fence:1\nx\n```\n', id="A2-foreign-word"),
        pytest.param("~~~python fence:1 `y`\nx\n~~~\n", id="trap14-backtick-with-tildes"),
        pytest.param("```python {fence=1}\nx\n```\n", id="attributes"),
        pytest.param("<!-- fence:1 -->\n```python\nx\n```\n", id="comment"),
        pytest.param("<!-- fence:1 -->\n\n```python\nx\n```\n", id="comment-and-blank"),
        pytest.param('<!-- fence:1 -->\n```python title="a"\nx\n```\n', id="comment-foreign-word"),
        pytest.param("- ```python fence:1\n  x\n  ```\n", id="A5-marker-line"),
        pytest.param("1. ```python fence:1\n   x\n   ```\n", id="A5-trap9-ordered-marker-line"),
        pytest.param("- - ```python fence:1\n    x\n    ```\n", id="A5-two-markers"),
        pytest.param("- a\n\n  ```python fence:1\n  x\n  ```\n", id="A5-list-item"),
        pytest.param("- a\n  - b\n    ```python fence:1\n    x\n    ```\n", id="A5-nested-list"),
        pytest.param("> ```python fence:1\n> x\n> ```\n", id="A5-quote"),
        pytest.param(">```python fence:1\n>x\n>```\n", id="A5-bare-quote"),
        pytest.param("> [!NOTE]\n> ```python fence:1\n> x\n> ```\n", id="A5-alert"),
        pytest.param("> - ```python fence:1\n>   x\n>   ```\n", id="A5-list-in-quote"),
        pytest.param("- > ```python fence:1\n  > x\n  > ```\n", id="A5-quote-in-list"),
        pytest.param(
            "<details>\n<summary>s</summary>\n\n```python fence:1\nx\n```\n\n</details>\n",
            id="A5-details",
        ),
        pytest.param("::: note\n```python fence:1\nx\n```\n:::\n", id="A5-trap20-directive"),
        pytest.param("/// note\n```python fence:1\nx\n```\n///\n", id="trap20-blocks"),
        pytest.param("   ```python fence:1\n   x\n  ```\n", id="trap11-indented"),
        pytest.param(" ```python fence:1\nx\n```\n", id="opening-indented-1-closing-0"),
        pytest.param("<!-- code -->\n```python fence:1\nx\n```\n", id="A6-other-comment"),
        pytest.param("a\r\n\r\n```python fence:1\r\nx\r\n```\r\n", id="A8-crlf"),
        pytest.param("a\r\r```python fence:1\rx\r```\r", id="A8-cr"),
        pytest.param("a\r\n\n```python fence:1\rx\n```\r\n", id="A8-mixed"),
        pytest.param("\ufeff```python fence:1\nx\n```\n", id="A8-trap1-bom"),
        pytest.param("```python fence:1\nx\n```", id="A8-no-final-newline"),
        pytest.param("---\na: |\n  ```\n---\n\n```python fence:1\nx\n```\n", id="A8-trap5-yaml"),
        pytest.param("---\na: '```'\n...\n```python fence:1\nx\n```\n", id="A8-yaml-dots"),
        pytest.param("+++\na = '```'\n+++\n\n```python fence:1\nx\n```\n", id="A8-trap5-toml"),
        pytest.param(
            "\ufeff---\na: '```'\n---\n```python fence:1\nx\n```\n", id="A8-bom-and-front-matter"
        ),
        pytest.param("text\n```python fence:1\nx\n```\n===\n", id="setext-trap"),
        pytest.param("```python fence:1   \nx\n```   \n", id="trap24-trailing-blanks"),
        pytest.param("```python" + " " * 220 + "fence:1\nx\n```\n", id="padded-opening"),
        pytest.param("* * *\n\n```python fence:1\nx\n```\n", id="hr-is-no-nested-list"),
        pytest.param(
            '```python fence:1 executionInfo={"elapsed":1}\nx\n```\n', id="json-beside-it"
        ),
        pytest.param("> ```python fence:1\n> x\n>```\n", id="closer-without-the-blank"),
        pytest.param(
            "~~~markdown\n```python,hidelines=!!!\n```\n~~~\n\n```python fence:1\nx\n```\n",
            id="mdbook-example",
        ),
    ],
)
def test_fence_1_is_x(text: str) -> None:
    page = read(text)
    assert page.problems == ()
    assert codes(page) == {1: "x\n"}
    assert page.fences[0].language == "python"
    assert encode(page) == text.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("```python fence:1\n```\n", "", id="A8-empty"),
        pytest.param("```python fence:1\n\n```\n", "\n", id="A8-one-blank-line"),
        pytest.param("```python fence:1\n\nx\n```\n", "\nx\n", id="A8-begins-with-a-blank-line"),
        pytest.param("````python fence:1\ns='''\n```\n'''\n````\n", "s='''\n```\n'''\n", id="A3"),
        pytest.param(
            "````python fence:1\n```python fence:2\n````\n", "```python fence:2\n", id="A3-opener"
        ),
        pytest.param(
            "```python fence:1\na\u2028b\x85c\x0cd\n```\n", "a\u2028b\x85c\x0cd\n", id="A8"
        ),
        pytest.param("```python fence:1\na\x0bb\x08\n```\n", "a\x0bb\x08\n", id="A8-vt-and-bs"),
        pytest.param("```python fence:1\na\0b\n```\n", "a\ufffdb\n", id="A8-trap4-nul"),
        pytest.param("```python fence:1\n\tx\n```\n", "\tx\n", id="A8-tab"),
        pytest.param("```python fence:1\nx   \n```\n", "x   \n", id="trailing-blanks-in-code"),
        pytest.param("  ```python fence:1\n    x\n y\n  ```\n", "  x\ny\n", id="trap11-dedent"),
        pytest.param("> ```python fence:1\n>\n> x\n> ```\n", "\nx\n", id="blank-line-in-quote"),
        pytest.param("- ```python fence:1\n\n  x\n  ```\n", "\nx\n", id="blank-line-in-list"),
        pytest.param("```python fence:1\r\na\r\rb\r\n```\r\n", "a\n\nb\n", id="A8-endings"),
        pytest.param("```python fence:1\n> ```\n```\n", "> ```\n", id="quoted-closer-is-content"),
        pytest.param("```python fence:1\n    ```\n```\n", "    ```\n", id="closer-indented-by-4"),
    ],
)
def test_code(text: str, code: str) -> None:
    page = read(text)
    assert page.problems == ()
    assert codes(page) == {1: code}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("\ufeff", id="bom-alone"),
        pytest.param("text\n", id="prose"),
        pytest.param("```pythonic fence\nx\n```\n", id="A1-pythonic"),
        pytest.param("````markdown\n```python fence:1\nx\n```\n````\n", id="A4-shown"),
        pytest.param("~~~text\n```python fence:1\nx\n```\n~~~\n", id="A4-shown-in-tildes"),
        pytest.param("````{note}\n```python fence:1\nx\n```\n````\n", id="A4-trap21-opaque"),
        pytest.param("<!--\n\n```python fence:1\nx\n```\n\n-->\n", id="A6-commented-out"),
        pytest.param(
            " ```{note}\n~~~python fence:1\n~~~\n``` \n\n```{solution-end}\n```\n", id="directives"
        ),
        pytest.param("```python\nx\n```\n", id="untagged"),
        pytest.param("```{python} fence\nx\n```\n", id="braces-first"),
        pytest.param("```python fence&#58;1\nx\n```\n", id="trap15-entity"),
        pytest.param("```python fence\\:1\nx\n```\n", id="trap15-escape"),
        pytest.param('```python {output="json"}\nx\n```\n', id="trap29-pydantic"),
        pytest.param("```python fence:none\nx\n```\n", id="fence-none"),
        pytest.param("> - <script>\n>", id="crash-of-markdown-it-py-4.3"),
        pytest.param("~~~\x0b\nx\n~~~\n", id="a-language-of-a-vertical-tab"),
        pytest.param("``` \x1d\t\nx\n```\n", id="a-language-that-str-takes-for-a-blank"),
        pytest.param("- a\n  ", id="last-line-of-blanks"),
        pytest.param("see ```` ```python fence:1 ```` there\n", id="in-a-code-span"),
        pytest.param("see `` ```python fence:1\n`` there\n", id="in-a-code-span-of-two-lines"),
        pytest.param("see \\```python fence:1 there\n", id="escaped"),
    ],
)
def test_nothing_runs_and_nothing_is_wrong(text: str) -> None:
    page = read(text)
    assert (page.fences, page.recordings, page.problems) == ((), (), ())
    assert encode(page) == text.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "code", "line", "also"),
    [
        pytest.param(
            "```python fence:1\n```\n\n```python fence:1\n```\n", "number-twice", 4, (1,), id="A11"
        ),
        pytest.param("```python fence:01\n```\n", "tag", 1, (), id="A11-leading-zero"),
        pytest.param("```python fence:1 require:cuda\n```\n", "tag", 1, (), id="A11-typo"),
        pytest.param("```pythonic fence:1\n```\n", "language", 1, (), id="A1-pythonic"),
        pytest.param(
            "``` \n```\n\n~~~fence\n~~~\n```rust fence:1\n```\n", "language", 6, (), id="language"
        ),
        pytest.param("text\n\n```text output:x\n```\n", "tag", 3, (), id="recording-of-no-number"),
        pytest.param(
            "```python fence:1\n```\n\n```text output:1\n```\n\n```text output:1\n```\n",
            "two-recordings",
            7,
            (4,),
            id="trap17-two-recordings",
        ),
        pytest.param(
            "```python fence:1\n```\n\n> ```text output:1\n> ```\n",
            "container",
            4,
            (1,),
            id="recording-in-another-container",
        ),
        pytest.param(
            "```python fence:1 continues:2\n```\n\n```python fence:2\n```\n",
            "continues",
            1,
            (),
            id="continues-a-later-one",
        ),
        pytest.param(
            "```python fence:1 continues:7\n```\n", "continues", 1, (), id="continues-none"
        ),
        pytest.param(
            "```python fence:1 continues:1\n```\n", "continues", 1, (), id="continues-self"
        ),
        pytest.param("<!-- fence:1 -->\n\n\n```python\n```\n", "lonely-comment", 1, (), id="far"),
        pytest.param("<!-- fence:1 -->\n\ntext\n", "lonely-comment", 1, (), id="lonely"),
        pytest.param(
            "<!-- fence:1 -->\n\n> ```python\n> ```\n", "lonely-comment", 1, (), id="outside"
        ),
        pytest.param("text\n\n<!-- fence:1 -->", "lonely-comment", 3, (), id="at-the-end"),
        pytest.param(
            "<!-- fence:1 -->\n```python fence:2\n```\n", "two-carriers", 1, (), id="two-carriers"
        ),
        pytest.param("<!-- fence 1 -->\n\n```python\n```\n", "tag", 1, (), id="broken-comment"),
        *(
            pytest.param(
                f"{mark * times}x\n\n```python fence:1\n```\n",
                code,
                int(bool(code)),
                (),
                id=f"nested-{mark}{times}",
            )
            for mark, times, code in (
                ("> ", 400, "nesting"),
                ("> ", 200, "nesting"),
                ("> ", 199, None),
                ("- ", 100, "nesting"),
                ("- ", 99, None),
            )
        ),
    ],
)
def test_problems(text: str, code: str | None, line: int, also: tuple[int, ...]) -> None:
    found = [(p.code, p.line, p.also) for p in read(text).problems if p.severity == "error"]
    assert found[:1] == ([(code, line, also)] if code else [])


def test_all_problems_come_at_once_in_page_order() -> None:
    page = read(
        "```python fence:01\n```\n\n<details>\n```python fence:2\n```\n</details>\n\n"
        "```python fence:3 continues:9\n```\n\n```ruby fence:4\n"
    )
    assert [problem.line for problem in page.problems] == [1, 5, 9, 12, 12]
    assert page.broken


def test_line_numbers_are_those_of_the_page() -> None:
    """A9: behind front matter, in lists, with whatever endings."""
    page = read(
        "---\r\na: 1\r\n---\r\n\r\n```python fence:1\r\nx\r\n```\r\n\r\n- item\r\n\r\n"
        "  ```python fence:2\r\n  try:\r\n      pass\r\n  finally:\r\n      y\r\n  ```\r\n\r\n"
        "<!-- fence:3 -->\r\n\r\n```python\r\nz\r\n```\r\n\r\n```text output:3\r\n1\r\n```\r\n"
    )
    assert [(f.number, f.line, f.code_line) for f in page.fences] == [
        (1, 5, 6),
        (2, 11, 12),
        (3, 20, 21),
    ]
    assert [r.line for r in page.recordings] == [25]
    assert page.fences[2].block.start == 17


@pytest.mark.parametrize("depth", [11, 60])
def test_deeply_nested_lists_do_not_lose_a_fence(depth: int) -> None:
    """Trap 22: the preset's nesting limit of 20 made fences below ten lists vanish."""
    text = "".join("  " * level + "- a\n" for level in range(depth))
    text += "".join("  " * depth + line + "\n" for line in ("```python fence:1", "x", "```"))
    assert codes(read(text)) == {1: "x\n"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("```text output:1\n```\n", (), id="empty"),
        pytest.param("```text output:1\na\n\n b\n```\n", ("a", "", " b"), id="lines"),
        pytest.param("````json output:1\n```\n````\n", ("```",), id="delimiter-inside"),
        pytest.param("~~~text {output=1}\nx\n~~~\n", ("x",), id="attributes"),
        pytest.param("<!-- output:1 -->\n\n```text\nx\n```\n", ("x",), id="comment"),
        pytest.param(
            "```text output:1\na\x0cb\u2028c\n```\n", ("a\x0cb\u2028c",), id="not-splitlines"
        ),
    ],
)
def test_recordings(text: str, said: tuple[str, ...]) -> None:
    page = read("```python fence:1\n```\n\n" + text)
    assert page.problems == ()
    assert page.fences[0].recording == page.recordings[0]
    assert page.recordings[0].text == said


def test_a_recording_has_its_provenance() -> None:
    page = read("```python fence:1\n```\n\n```text output:1 key:a.b on:cpu/2.13/2026-11-29\n```\n")
    assert (page.recordings[0].key, page.recordings[0].on) == ("a.b", "cpu/2.13/2026-11-29")


def test_a_recording_without_fence_is_an_orphan_and_no_problem() -> None:
    page = read("```text output:7\nx\n```\n")
    assert [recording.number for recording in page.orphans] == [7]
    assert page.problems == ()


def test_a_block_after_a_fence_is_only_its_recording_by_number() -> None:
    page = read("```python fence:1\n```\n\n```text\nby hand\n```\n\n```output\nalso\n```\n")
    assert page.recordings == ()


def test_untagged_and_excused_blocks_are_listed() -> None:
    page = read(
        "```python\na\n```\n\n```python fence:none\nb\n```\n\n```text\nc\n```\n\n```sh\nd\n```\n"
    )
    assert [block.content for block in page.untagged] == ["a\n", "d\n"]
    assert [block.content for block in page.excused] == ["b\n"]


def test_settings_from_a_comment_at_the_top() -> None:
    page = read("<!-- fencerun: op_namespace=ns -->\n\n# Title\n")
    assert page.settings.op_namespace == "ns"
    assert read("# Title\n\n<!-- fencerun: op_namespace=ns -->\n").settings.op_namespace is None


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\xff\xfea\x00", id="utf16"),
        pytest.param(b"```python fence:1\nx = '\xe9'\n```\n", id="latin-1"),
        pytest.param(b"\xef\xbb\xbfa\x80\r\n", id="bom-and-stray-byte"),
    ],
)
def test_a_page_that_is_not_utf8_is_a_problem_and_keeps_its_bytes(data: bytes) -> None:
    page = read(data)
    assert [problem.code for problem in page.problems] == ["encoding"]
    assert page.fences == ()
    assert encode(page) == data


def test_outline_is_blind_to_recordings_alone() -> None:
    plain = "# A\n\n```python fence:1\nx\n```\n\n"
    with_recording = plain + "<!-- output:1 -->\n```text\ny\n```\n"
    assert outline(read(plain)) == outline(read(with_recording))
    for other in (
        "# A\n\n```python fence:1\nX\n```\n",
        "# B\n\n```python fence:1\nx\n```\n",
        plain + "z",
    ):
        assert outline(read(plain)) != outline(read(other))


def test_outline_sees_a_list_become_loose() -> None:
    assert outline(read("- a\n- b\n")) != outline(read("- a\n\n- b\n"))


def test_a_block_that_says_it_is_a_fence_and_a_recording_is_never_overwritten() -> None:
    page = read("```python fence:1 output:2\ncode\n```\n\n```python fence:2\n```\n")
    assert page.broken
    assert page.recordings == ()
    assert codes(page)[1] == "code\n"


@pytest.mark.parametrize(
    "begin",
    ["", "<!-- fence:1 ", "<!-- fencerun: ", "~~~python fence:2 ", "```python x ", "a <b c='"],
)
@pytest.mark.parametrize(
    "unit",
    ['\\"', '\\"=', '\\" ', "<a x='\\\"", " ", "<!--", "<span data-fence ", "a.", ' x="\\" '],
)
def test_long_lines_are_read_in_one_pass(begin: str, unit: str) -> None:
    """One that each character of looks at all others would take minutes."""
    page = parse(f"{begin}{unit * (100_000 // len(unit))}x\n\n```python fence:1\n```\n".encode())
    assert len(page.lines) == 4
