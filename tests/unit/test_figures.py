"""What figures are called, and what a region of them shows."""

from __future__ import annotations

import pytest

from fencerun import figures
from fencerun.figures import Figure, Shown
from fencerun.reader import parse
from fencerun.tags import Raises, Tags


def test_names() -> None:
    assert figures.named("loss.svg", ()) == ()
    assert figures.named("loss.svg", ["a"]) == (Figure("figures/loss.svg", "a"),)
    assert figures.named("a.b.svg", ["x", "y"]) == (
        Figure("figures/a.b-1.svg", "x"),
        Figure("figures/a.b-2.svg", "y"),
    )


@pytest.mark.parametrize(
    ("lines", "text", "paths"),
    [
        ((), (), ()),
        (("![a](figures/a.svg)",), (), ("figures/a.svg",)),
        (("```text", "x", "", "```", "", "![a](figures/a.svg)"), ("x", ""), ("figures/a.svg",)),
        (("~~~~ json", "```", "~~~~",), ("```",), ()),
        (("![a \\] [b]](figures/a-1.svg 'c')", "", "![](figures/b.svg){width=9}"), (),
         ("figures/a-1.svg", "figures/b.svg")),
        (("![a \\] b](figures/a-1.svg 'c')",), (), ("figures/a-1.svg",)),
    ],
)  # fmt: skip
def test_reading(lines: tuple[str, ...], text: tuple[str, ...], paths: tuple[str, ...]) -> None:
    shown = figures.read(lines)
    assert (shown.text, shown.paths) == (text, paths)


def test_what_stands_there_stays() -> None:
    lines = ("~~~console", "x", "~~~", "", '![The loss](figures/a.svg "falls")')
    before = figures.read(lines)
    assert figures.write(("x",), ("figures/a.svg",), before) == lines
    assert figures.write(("y",), ("figures/a.svg",), before) == ("```text", "y", "```", *lines[3:])
    assert figures.write((), ("figures/a.svg", "figures/b.svg"), before) == (
        lines[4],
        "",
        "![b](figures/b.svg)",
    )


def test_text_that_looks_like_a_block_reads_back() -> None:
    text = ("```", "![a](figures/a.svg)", "````text", "~~~")
    shown = figures.read(figures.write(text, ("figures/a.svg",), Shown()))
    assert (shown.text, shown.paths, shown.other) == (text, ("figures/a.svg",), False)


def test_what_else_a_region_holds_is_noticed() -> None:
    assert figures.read(("![a](figures/a.svg)", "", "A caption")).other
    assert not figures.read(("![a](figures/a.svg)",)).other


@pytest.mark.parametrize(
    ("names", "clash"),
    [
        (("loss", "loss"), True),
        (("loss", "Loss"), True),
        (("loss", "loss-2"), True),
        (("loss-2", "loss"), True),
        (("loss", "loss-0"), False),
        (("loss", "loss2"), False),
        (("loss", "gloss"), False),
        (("lo.s", "loxs"), False),
    ],
)
def test_figures_that_would_write_over_each_other(names: tuple[str, str], clash: bool) -> None:
    page = "".join(f"```python fence:{n} figure:{x}.svg\n```\n" for n, x in enumerate(names, 1))
    found = parse(page.encode()).problems
    assert [problem.code for problem in found] == (["figure"] if clash else [])
    assert all(problem.line == 3 and problem.also == (1,) for problem in found)


@pytest.mark.parametrize("name", ["a.svg", "A-b_c.1.svg", "_.svg"])
def test_good_names(name: str) -> None:
    assert parse(f"```python fence:1 figure:{name}\n```\n".encode()).fences[0].tags.figure == name


@pytest.mark.parametrize("name", ["a", "a.png", "a/b.svg", "../a.svg", ".svg", "-a.svg", "ä.svg",
                                  '"a b.svg"', "a(1).svg", "a\\b.svg"])  # fmt: skip
def test_bad_names(name: str) -> None:
    assert [p.code for p in parse(f"```python fence:1 figure:{name}\n```\n".encode()).problems]


def test_a_key_covers_no_alt_text_and_no_padding() -> None:
    tags = Tags(figure="a.svg")
    one, two = ("![a](figures/a.svg)",), ("![A better text](figures/a.svg)",)
    assert figures.essence(tags, one) == figures.essence(tags, two)
    assert figures.essence(tags, ("```", "x", "```", "", *one)) != figures.essence(tags, one)
    assert figures.essence(tags, ("![a](figures/a-1.svg)",)) != figures.essence(tags, one)
    table = Tags(as_="markdown")
    assert figures.essence(table, ("|a|", "|-|")) == figures.essence(table, ("| a |", "|---|"))
    assert figures.essence(Tags(raises=Raises("E")), two) == two
