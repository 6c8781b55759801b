from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.rendering import code

from .reading import Elements


@pytest.mark.parametrize(
    ("language", "coloured"),
    [("python", True), ("PY", True), ("cpp", True), ("console", True), ("", False),
     ("text", False), ("nosuchlanguage", False), ("{.x}", False)],
)  # fmt: skip
def test_colours_by_language(language: str, coloured: bool) -> None:
    html = code.lines("for x in y:\n    pass\n", language, 1)
    assert ("class=" in html.replace('class="line"', "")) == coloured
    assert Elements(html).text == "for x in y:\n    pass\n"


def test_very_long_text_is_shown_without_colours() -> None:
    text = "x = 1\n" * (code.MAX_LENGTH // 6 + 1)
    assert "class=" not in code.lines(text, "python", 1).replace('class="line"', "")


@settings(max_examples=150, deadline=None)
@given(
    st.text(alphabet=st.sampled_from("ab \n\t'\"#<>&\\{}$%>.0\u2028\x0c"), max_size=60),
    st.sampled_from(("python", "pycon", "bash", "console", "cpp", "text", "json", "html", "")),
)
def test_no_text_is_lost_and_lines_stay_lines(text: str, language: str) -> None:
    found = Elements(code.lines(text, language, 5))
    numbers = [int(said["data-line"]) for said in found.of_class("line")]
    assert found.text.removesuffix("\n") == text.removesuffix("\n")
    assert numbers == list(range(5, 5 + len(numbers)))
    assert found.open == [] and found.stray == []
