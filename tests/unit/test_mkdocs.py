"""MkDocs' containers: what is inside, and what is not."""

from __future__ import annotations

import pytest

from fencerun.mkdocs import opens
from fencerun.reader import parse
from fencerun.splice import NewRecording, splice

RUN = "```python fence:1\nprint(1)\n```"


def indented(text: str, by: str = "    ") -> str:
    return "".join(by + line if line.strip() else line for line in text.splitlines(keepends=True))


@pytest.mark.parametrize(
    "line",
    ["!!! note", '!!! note "Title"', '!!! danger highlight "x"', "??? tip", '???+ "open"',
     '=== "Tab"', '=== "A tab"  ', '===! "Tab"', '===+ "Tab"'],
)  # fmt: skip
@pytest.mark.parametrize("blank", ["", "\n"], ids=["close", "spaced"])
def test_fences_inside_are_read(line: str, blank: str) -> None:
    assert opens(line)
    text = f"Before\n\n{line}\n{blank}{indented(RUN)}\n\nAfter\n"
    page = parse(text.encode(), syntax="mkdocs")
    assert page.problems == ()
    (fence,) = page.fences
    assert (fence.code, fence.line) == ("print(1)\n", 4 + len(blank))
    assert fence.block.container


@pytest.mark.parametrize(
    "line", ["!!!", "!! note", "!!!note", "== x", "===", '=== "x', "=== x", "! x", "??? ", "????"]
)
def test_other_lines_open_nothing(line: str) -> None:
    assert not opens(line)


@pytest.mark.parametrize(
    "before",
    ["", "A paragraph right above\n", "- an item\n\n", "> a quote\n"],
    ids=["top", "paragraph", "item", "quote"],
)
def test_a_container_may_follow_anything(before: str) -> None:
    page = parse(f"{before}!!! note\n{indented(RUN)}\n".encode(), syntax="mkdocs")
    assert [fence.number for fence in page.fences] == [1]


def test_what_is_indented_less_lies_outside() -> None:
    page = parse(b"!!! note\n    in\n\n```python fence:1\n```\n", syntax="mkdocs")
    assert page.fences[0].block.container == ()


def test_containers_nest_in_each_other_in_lists_and_quotes() -> None:
    inner = f"!!! note\n{indented(RUN)}\n"
    nested = f'=== "Tab"\n\n{indented(inner)}'
    in_list = f"- {indented(nested, '  ')[2:]}"
    in_quote = "".join(f"> {line}" for line in in_list.splitlines(keepends=True))
    page = parse(in_quote.encode(), syntax="mkdocs")
    assert page.problems == ()
    assert page.fences[0].code == "print(1)\n"
    assert len(page.fences[0].block.container) == 5


def test_a_recording_is_indented_like_its_fence() -> None:
    text = f"!!! note\n\n{indented(RUN)}\n\nAfter\n"
    page = parse(text.encode(), syntax="mkdocs")
    made = splice(page, {1: NewRecording(("1", "", "2"))}).decode()
    recorded = indented("```text output:1\n1\n\n2\n```\n")
    assert made == f"!!! note\n\n{indented(RUN)}\n\n{recorded}\nAfter\n"


def test_without_the_syntax_it_is_indented_code() -> None:
    page = parse(f"!!! note\n\n{indented(RUN)}\n".encode())
    (problem,) = page.problems
    assert problem.remedy.startswith("set `syntax: mkdocs`")


@pytest.mark.parametrize(
    "front", ["---\nfencerun: {syntax: mkdocs}\n---\n\n", "<!-- fencerun: syntax=mkdocs -->\n\n"]
)
def test_a_page_says_how_it_is_read(front: str) -> None:
    page = parse(f"{front}!!! note\n\n{indented(RUN)}\n".encode())
    assert (page.syntax, len(page.fences)) == ("mkdocs", 1)
    other = front.replace("mkdocs", "commonmark")
    page = parse(f"{other}!!! note\n\n{indented(RUN)}\n".encode(), syntax="mkdocs")
    assert (page.syntax, len(page.fences)) == ("commonmark", 0)
