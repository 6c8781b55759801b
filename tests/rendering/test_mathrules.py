from __future__ import annotations

import pytest

from fencerun.rendering.mathrules import formula

from .reading import Elements, body


@pytest.mark.parametrize(
    ("text", "tex", "display"),
    [
        (r"\(x\)", "x", False),
        (r"\(a \) b\)", "a ", False),
        (r"\(f(x)\)", "f(x)", False),
        (r"\(a\\b\)", r"a\\b", False),
        (r"\[x = 1\]", "x = 1", True),
        ("$x$", "x", False),
        ("$x_1 + y$", "x_1 + y", False),
        (r"$a \$ b$", r"a \$ b", False),
        ("$$x$$", "x", True),
        ("$`a_b`$", "a_b", False),
        ("$x$.", "x", False),
        ("$x$-axis", "x", False),
    ],
)
def test_formulas(text: str, tex: str, display: bool) -> None:
    found = formula(text, 0, len(text))
    assert found is not None
    assert found[0] == tex and found[2] == display


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $6",
        "$5, $6 and $7",
        "$5-$10",
        "$5/$6",
        "$ x$",
        "$x $",
        "$HOME/$USER",
        "$$",
        "$",
        r"\(",
        r"\( \)",
        r"\[WIP\]",
        r"\[not a link\](x)",
        r"\[1\]",
        r"\(a",
        r"\[ \]",
    ],
)
def test_what_only_looks_like_one(text: str) -> None:
    assert formula(text, 0, len(text)) is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (r"\(x\) and \(y\)", 2),
        ("US$5 (US$ 6)", 0),
        ("it costs $5 and $6 more", 0),
        (r"`\(x\)` `$x$`", 0),
        ("```\n$x$ \\(y\\)\n```", 0),
        ("text\n\n    $x$", 0),
        (r"\$x\$", 0),
        (r"\\(x\\)", 0),
        ("# Of $x$", 1),
        ("| $x$ |\n|---|\n| \\(y\\) |", 2),
        ("*$x$*", 1),
        ("[$x$](a.md)", 1),
        ("> $$\n> x\n> = y\n> $$", 1),
        ("- a\n\n  \\[\n  x = 1\n  \\]", 1),
        ("text\n\\[\nx\n= 1\n\\]\ntext", 1),
        ("$$\nx\n\n$$", 0),
        ("$$ x $$", 1),
        ("a $$x$$ b", 1),
        ("```math\nx = 1\n```", 1),
    ],
)
def test_formulas_in_markdown(text: str, count: int) -> None:
    assert len(Elements(body(f"{text}\n")).of_class("math")) == count


def test_markdown_touches_nothing_in_a_formula() -> None:
    shown = body(r"\(a_1 * b_2 * c\) and $\{x\}$" + "\n")
    assert "<em>" not in shown
    assert "{" in shown and "}" in shown


def test_a_formula_of_several_lines_stays_one() -> None:
    shown = body("$$\na\n= b\n- c\n$$\n")
    assert shown.count("<math") == 1 and "<ul" not in shown and "<h1" not in shown
