from __future__ import annotations

import pytest

from fencerun import rendering
from fencerun.rendering.headings import slug

from .reading import Elements, page


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("A title", "a-title"),
        ("1. When a custom operator pays", "1-when-a-custom-operator-pays"),
        ("C++ and CUDA", "c-and-cuda"),
        ("`triton_op`: a box", "triton_op-a-box"),
        ("Über-Größe", "über-größe"),
        ("a & b", "a--b"),
        ("日本語", "日本語"),
        ("!!!", ""),
    ],
)
def test_slugs_are_githubs(text: str, anchor: str) -> None:
    assert slug(text, {}) == anchor


def test_equal_headings_are_numbered() -> None:
    used: dict[str, int] = {}
    assert [slug(t, used) for t in ("A", "A", "A-1", "A")] == ["a", "a-1", "a-1-1", "a-2"]


def test_headings_of_a_page() -> None:
    rendered = rendering.render(page("# One `x`\n\ntext\n\n## [Two](a.md) $y$\n\nThree\n---\n"))
    one, two, three = rendered.headings
    assert (one.level, one.id, one.text, one.line) == (1, "one-x", "One x", 1)
    assert one.html == "One <code>x</code>"
    assert (two.level, two.id, two.text) == (2, "two-y", "Two y")
    assert "<a" not in two.html and "<math" in two.html
    assert (three.level, three.line) == (2, 7)


def test_each_heading_has_its_anchor() -> None:
    found = Elements(rendering.render(page("# A\n\n## A\n")).body)
    assert [said["id"] for tag, said in found.found if tag in ("h1", "h2")] == ["a", "a-1"]
    assert [said["href"] for said in found.of_class("anchor")] == ["#a", "#a-1"]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("", ""),
        ("# A\n\n## B\n", ""),
        ("# T\n\n## A\n\n## B\n", "(A B)"),
        ("# T\n\n## A\n\n### B\n\n## C\n", "(A(B) C)"),
        ("# A\n\n## B\n\n# C\n\n## D\n", "(A(B) C(D))"),
        ("### A\n\n## B\n\n### C\n", "(A B(C))"),
        ("# T\n\n## A\n\n#### deep\n\n## B\n", "(A B)"),
        ("# A\n\n### B\n\n## C\n\n### D\n\n# E\n", "(A(B C(D)) E)"),
    ],
)
def test_contents(text: str, shape: str) -> None:
    html = rendering.contents(rendering.render(page(text)).headings)
    found = Elements(html)
    assert found.open == [] and found.stray == []
    drawn = html.replace("<ol>", "(").replace("</ol>", ")").replace("</li><li>", " ")
    for tag in ("li", "a"):
        drawn = drawn.replace(f"</{tag}>", "").replace(f"<{tag}>", "")
    while "<" in drawn:
        start = drawn.index("<")
        drawn = drawn[:start] + drawn[drawn.index(">", start) + 1 :]
    assert drawn == shape
