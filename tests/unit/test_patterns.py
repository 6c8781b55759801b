"""Patterns that wait behave as compiled ones do."""

from __future__ import annotations

import re

import pytest

from fencerun.patterns import later


def test_methods_and_attributes_are_those_of_the_pattern() -> None:
    pattern = later(r"(?P<word>[a-z]+)-([0-9])", re.IGNORECASE)
    compiled = re.compile(r"(?P<word>[a-z]+)-([0-9])", re.IGNORECASE)
    text = "Ab-1 cd-2"
    assert pattern.findall(text) == compiled.findall(text)
    assert pattern.sub(r"\2", text) == compiled.sub(r"\2", text)
    assert pattern.groupindex == compiled.groupindex
    match = pattern.match(text, 5, 9)
    assert match is not None
    assert match["word"] == "cd"


def test_nothing_is_compiled_before_the_first_use() -> None:
    pattern = later("(")
    with pytest.raises(re.error):
        pattern.match("")
