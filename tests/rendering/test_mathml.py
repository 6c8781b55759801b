from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.rendering.mathml import MAX_LENGTH, mathml


@pytest.mark.parametrize(
    "tex",
    [
        "x",
        r"\frac{a}{b}",
        r"\sum_{i=1}^n x_i",
        r"\begin{aligned}a&=b\\c&=d\end{aligned}",
        r"\begin{cases}1&x>0\\0&\text{else}\end{cases}",
        r"\left\{ x \right\}",
        r"\mathbb{R}^{n\times m}",
        r"\operatorname{gelu}(u)",
        r"50\%",
        "a < b",
        "m'",
    ],
)
def test_tex_is_drawn(tex: str) -> None:
    drawn = mathml(tex, display=False)
    assert drawn.startswith('<span class="math"><math display="inline">')
    ElementTree.fromstring(drawn)


@pytest.mark.parametrize(
    "tex", [r"\frac{", "}", r"\nosuchcommand x", "a & b", r"\left(", "x" * (MAX_LENGTH + 1), ""]
)
def test_what_does_not_parse_is_shown_as_its_source(tex: str) -> None:
    shown = mathml(tex, display=True)
    assert 'class="math display source"' in shown or "<math" in shown
    assert "Traceback" not in shown
    if tex.strip():
        assert "<code>" in shown


def test_display_formulas_stand_apart() -> None:
    assert '<math display="block">' in mathml("x", display=True)
    assert "munderover" in mathml(r"\sum_{i}^{n} x", display=True)


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{color:red}{x}",
        r"\class{fence}{x}",
        r"\text{&lt;script&gt;}",
        r'\color{"onclick="x}y',
        r"<script>",
    ],
)
def test_nothing_gets_out_of_a_formula(tex: str) -> None:
    tree = ElementTree.fromstring(mathml(tex, display=False))
    for element in tree.iter():
        assert element.tag != "script"
        assert not {"href", "style", "onclick"} & set(element.attrib)
        if element is not tree:
            assert "class" not in element.attrib


_TEX = st.lists(
    st.sampled_from(
        (r"\frac", "{", "}", "^", "_", "x", "1", "&", r"\\", r"\left(", r"\right)", r"\text{<a>}",
         r"\begin{matrix}", r"\end{matrix}", "'", " ", r"\sqrt", "[", "]", r"\href", r"\unknown")
    ),
    max_size=12,
).map("".join)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(_TEX)
def test_any_tex_gives_html(tex: str) -> None:
    ElementTree.fromstring(mathml(tex, display=False))
