"""Prose that speaks of a fence which its page does not have."""

from __future__ import annotations

import pytest

from fencerun.mentions import unknown
from fencerun.reader import parse

HEAD = "```python fence:1\n```\n\n```python fence:2\n```\n\n"


def said(text: str) -> list[tuple[int, str]]:
    """Line of ``text`` and number of each warning."""
    page = parse((HEAD + text).encode(), "page.md")
    assert all(p.severity == "warning" for p in page.problems), page.problems
    lines = HEAD.count("\n")
    return [(p.line - lines, p.what.split()[5].strip(",")) for p in page.problems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See fence 9.", [(1, "9")]),
        ("# Fence 9\n", [(1, "9")]),
        ("a\nb (fence 9)\nc", [(2, "9")]),
        ("- item: fence\n  9 shows", [(2, "9")]),
        ("Fences 1, 2, and 7 or 8 do", [(1, "7"), (1, "8")]),
        ("fences 2–9", [(1, "9")]),
        ("fence 9's output, fence 8: both", [(1, "9"), (1, "8")]),
        ("fence 9 of this page", [(1, "9")]),
        ("`a` and fence 9 and ``b``", [(1, "9")]),
        ("As [told](x.md). But fence 9 fails", [(1, "9")]),
        ("fence 9 fails. Lesson 4 does not", [(1, "9")]),
        ("> fence 9", [(1, "9")]),
    ],
)
def test_warnings(text: str, expected: list[tuple[int, str]]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "See fence 2, and fences 1 and 2.",
        "`fence 9`",
        "`` fence 9 ` ``",
        "```text\nfence 9\n```",
        "    fence 9",
        "<!-- see fence 9 -->",
        "<p>fence 9</p>",
        '<b title="fence 9">x</b>',
        "[fence 9](#there)",
        "[fence 9][there]",
        "![fence 9](a.png)",
        "fence 9 of lesson 24",
        "In lesson 24, fence 9 does",
        "Lesson 24 has more. Its fence 9 does",
        "`other.md::3` and fence 9",
        "as fence 9 in `other.md`",
        "fence 9 of the previous page",
        "in [lesson three](three.md), fence 9",
        "the next chapter's fence 9",
        "`<!-- fence:9 -->` and fence:9 and fence-9 and fence 9-fold",
        "a fence 9.5 m long, a defence 9, fence 9x",
        "<!-- output:1 -->\n\nfence 9\n\n<!-- /output:1 -->",
    ],
)
def test_no_alarm(text: str) -> None:
    assert said(text) == []


def test_a_page_without_fences_has_none() -> None:
    assert parse(b"See fence 9.", "page.md").problems == ()


class Inline:
    """A token of prose."""

    type = "inline"
    map = (0, 1)

    def __init__(self, content: str) -> None:
        self.content = content


@pytest.mark.parametrize(
    ("part", "warnings"),
    [
        ("fence 9 ", 1),
        ("fence 8. ", 30_001),
        ("fence 8, ", 30_001),
        ("`", 1),
        ("` ", 1),
        ("[", 1),
        ("[a](", 0),
        ("<a ", 1),
        ("lesson 1 ", 0),
    ],
)
def test_hostile_text_comes_to_an_end(part: str, warnings: int) -> None:
    """In quadratic time these would take minutes."""
    found = list(unknown("page.md", [Inline(part * 30_000 + "fence 8")], {9}))
    assert len(found) == warnings
