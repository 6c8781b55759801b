"""Faults that block structure hides, each with the line to click on and what to do."""

from __future__ import annotations

import pytest

from fencerun.events import Problem
from fencerun.reader import parse

RUN = "```python fence:1\nx\n```\n"


def problems(text: str | bytes) -> list[Problem]:
    data = text.encode("utf-8") if isinstance(text, str) else text
    found = list(parse(data, "p.md").problems)
    assert all(problem.remedy for problem in found)
    return found


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        pytest.param("```python fence:1\nx\n", "unclosed", 1, id="A7-end-of-page"),
        pytest.param("t\n\n- ```python fence:1\n  x\n\nrest\n", "unclosed", 3, id="trap6-list"),
        pytest.param("> ```python fence:1\n> x\n```\nrest\n", "unclosed", 1, id="trap7-lazy-quote"),
        pytest.param("```python fence:1\nx\n```}\n", "unclosed", 1, id="closer-with-a-word"),
        pytest.param(
            "- ```python fence:1\n  x\n      ```\n", "unclosed", 1, id="closer-indented-by-4"
        ),
        pytest.param(
            "```text\n\n# heading\n\n```python fence:1\nx\n```\n",
            "swallows",
            1,
            id="A7-swallows-a-tagged-fence",
        ),
        pytest.param(
            "```text\n\n# heading\n\n```python fence:1\nx\n", "unclosed", 1, id="A7-to-the-end"
        ),
        pytest.param(
            "- a\n  - ```python fence:1\n    x\n- b\n", "unclosed", 2, id="ended-by-the-next-item"
        ),
        pytest.param(
            "> ```python fence:1\n> x\n\n> y\n> ```\n", "unclosed", 1, id="quote-cut-in-two"
        ),
        pytest.param(
            "<pt>\n```python\nx\n\ny\n```\n\n```python fence:1\nz\n```\n",
            "swallows",
            6,
            id="a-stray-closer-swallows-the-rest",
        ),
        pytest.param(
            '<div style="display:none">\n```python exec="on" fence:1\nx\n```\n</div>\n',
            "not-a-fence",
            2,
            id="hidden-div",
        ),
        pytest.param(
            "<details>\n```python fence:1\nx\n```\n</details>\n",
            "not-a-fence",
            2,
            id="trap18-details-without-blank",
        ),
        pytest.param("<hfoption id='a'>\n```py fence:1\nx\n```\n", "not-a-fence", 2, id="hfoption"),
        pytest.param(
            "<pre>\n\n```python fence:1\nx\n```\n</pre>\n", "not-a-fence", 3, id="trap18-pre"
        ),
        pytest.param(
            "!!! note\n\n    ```python fence:1\n    x\n    ```\n",
            "not-a-fence",
            3,
            id="A5-trap19-admonition",
        ),
        pytest.param('=== "Tab"\n\n    ```python {fence=1}\n    ```\n', "not-a-fence", 3, id="tab"),
        pytest.param("\t```python fence:1\n\tx\n\t```\n", "not-a-fence", 1, id="trap12-tab"),
        pytest.param(
            "```python fence:1 `x`\ny\n```\n", "not-a-fence", 1, id="trap14-backtick-in-info"
        ),
        pytest.param("```python fence:1\nx\n```\t\n", "tab", 3, id="tab-after-closer"),
        pytest.param("-\t```python fence:1\n\tx\n\t```\n", "tab", 1, id="tab-after-marker"),
        pytest.param("- a\n\n\t```python fence:1\n\tx\n\t```\n", "tab", 3, id="tab-in-list"),
        pytest.param(">\t```python fence:1\n>\tx\n>\t```\n", "tab", 1, id="tab-in-quote"),
        pytest.param(">```python fence:1\n>\tx\n>```\n", "tab", 2, id="tab-after-bare-quote"),
        pytest.param(
            f"{RUN}\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
            "conflict",
            5,
            id="A10-conflict",
        ),
        pytest.param(
            f"{RUN}\n```text output:1\n<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n```\n",
            "conflict",
            6,
            id="A10-conflict-in-a-recording",
        ),
        pytest.param(RUN.encode("utf-16"), "encoding", 1, id="A8-utf16"),
        pytest.param(b"a\r\nb\rc\n\xff\n", "encoding", 4, id="A8-not-utf8"),
    ],
)
def test_faults(text: str | bytes, code: str, line: int) -> None:
    assert (code, line) in [(problem.code, problem.line) for problem in problems(text)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<!--\n```python fence:1\nx\n```\n-->\n", id="A6-commented-out"),
        pytest.param("Write `` ```python fence:1 `` so.\n", id="inline-code"),
        pytest.param("``` ```python fence:1 ```\n", id="inline-code-at-line-start"),
        pytest.param("````markdown\n```python fence:1\n```\n````\n", id="A4-shown"),
        pytest.param("~~~text\n```python fence:1\n~~~\n", id="A4-shown-in-tildes"),
        pytest.param(f"{RUN}\n```text output:1\n=======\n<<<<<<<\n```\n", id="A10-parts"),
        pytest.param(">>>>>>> b\n=======\n<<<<<<< a\n", id="A10-another-order"),
        pytest.param("Setext\n=======\n\n<<<<<<< not quite\n", id="setext"),
        pytest.param("- a\n\n  ```python fence:1\n  \tx\n  ```\n", id="tab-in-the-code"),
        pytest.param("```python fence:1\n\tx\n```\n", id="tab-in-top-level-code"),
        pytest.param("> ```python fence:1\n> \tx\n> ```\n", id="tab-in-quoted-code"),
        pytest.param("\t```python\n\tx\n\t```\n", id="untagged-indented"),
        pytest.param("```python\nx\n", id="unclosed-on-a-page-without-tags"),
        pytest.param("- a\n\n\t```python\n\tx\n\t```\n", id="tab-before-an-untagged-block"),
    ],
)
def test_what_is_no_fault(text: str) -> None:
    assert problems(text) == []


def test_a_swallowed_fence_is_named_with_both_lines() -> None:
    [problem] = problems("```python fence:1\nx\n\n# next\n\n```python fence:2\ny\n```\n")
    assert (problem.line, problem.also) == (1, (6,))
    assert "line 6" in problem.what


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("`" * 200_000, id="backticks"),
        pytest.param("`" * 100_000 + " fence:1" + "`" * 100_000, id="backticks-around-a-tag"),
        pytest.param("> " * 50_000 + "fence:1", id="quotes"),
        pytest.param("- " * 50_000 + "output:1", id="markers"),
        pytest.param("fence:1 " * 30_000, id="tags"),
        pytest.param("``` " + '"' * 100_000 + " fence:1", id="quotes-in-info"),
    ],
)
def test_hostile_lines(line: str) -> None:
    """A pattern that is quadratic in the length of a line takes minutes for these."""
    page = parse(f"{RUN}\n{line}\n".encode())
    assert [fence.number for fence in page.fences] == [1]


@pytest.mark.parametrize(
    "before",
    ["\xa0", "\u200b", "\u3000", "\ufeff\ufeff", "\x0c", "see ", "-", "1.", "[^1]: ", "a\n    "],
)
def test_a_tagged_fence_that_is_part_of_a_text_is_named(before: str) -> None:
    page = parse(f"{before}```python fence:1\n    x\n    ```\n".encode(), "p.md")
    assert not page.fences
    found = [problem for problem in page.problems if problem.code == "not-a-fence"]
    assert [problem.line for problem in found] == [1 + before.count("\n")]
    assert "part of the text" in found[0].what
