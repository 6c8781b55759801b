"""Code in comments."""

from __future__ import annotations

import pytest

from fencerun.hidden import code
from fencerun.reader import parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<!-- fence:1 hidden\n-->\n", "", id="nothing"),
        pytest.param("<!-- fence:1 hidden\nx\n\ny\n-->\n", "x\n\ny\n", id="blank-line"),
        pytest.param("  <!-- fence:1 hidden\n  x\n    y\n z\n  -->", "x\n  y\nz\n", id="deeper"),
        pytest.param("<!-- fence:1 hidden\nx -> y <!-- z\n--> \n", "x -> y <!-- z\n", id="arrows"),
    ],
)
def test_code(text: str, expected: str) -> None:
    assert code(text) == (expected, None)


@pytest.mark.parametrize(
    "text",
    ["x --> y", 'print("-->")\n-->', "x --!>\n-->", "never closed", "x -->"],
)
def test_what_ends_a_comment_early_is_a_problem(text: str) -> None:
    page = parse(f"<!-- fence:1 hidden\n{text}\n".encode())
    assert [problem.code for problem in page.problems] == ["hidden"]
    assert page.problems[0].remedy


def test_a_hidden_fence() -> None:
    text = "Prose\n\n> <!-- fence:7 hidden requires:cuda\n> x = 1\n>\n> y = 2\n> -->\n"
    (fence,) = parse(text.encode()).fences
    assert (fence.number, fence.language, fence.code) == (7, "python", "x = 1\n\ny = 2\n")
    assert (fence.line, fence.code_line) == (3, 4)
    assert fence.tags.requires == ("cuda",)
    assert fence.tags.hidden


@pytest.mark.parametrize(
    "text",
    [
        "<!-- fence:1 hidden -->\n\n```python\n```\n",
        "```python fence:1 hidden\n```\n",
        "```python {fence=1 hidden=yes}\n```\n",
    ],
)
def test_a_code_block_is_not_hidden(text: str) -> None:
    (problem,) = parse(text.encode()).problems
    assert "readers see it" in problem.what


def test_comments_of_others_stay_theirs() -> None:
    assert parse(b"<!-- hidden\nfence:1\n-->\n").fences == ()
    assert parse(b"<!-- hidden\nfence:1\n-->\n").problems == ()
