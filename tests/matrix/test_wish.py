"""Environments as they are asked for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.errors import UsageError
from fencerun.matrix.wish import Wish, wishes


@pytest.mark.parametrize(
    ("spec", "requirements"),
    [
        ("torch==2.13.0", ("torch==2.13.0",)),
        ("torch==2.8.0  triton==3.4.0", ("torch==2.8.0", "triton==3.4.0")),
        ("mine @ file:///a/b.whl", ("mine@file:///a/b.whl",)),
        ("'./a dir/b.whl'", ("./a dir/b.whl",)),
        ("numpy>=2,<3", ("numpy>=2,<3",)),
        (" torch ", ("torch",)),
    ],
)
def test_a_word_is_an_environment(spec: str, requirements: tuple[str, ...]) -> None:
    (wish,) = wishes([spec])
    assert wish.requirements == requirements


def test_each_once_and_in_order() -> None:
    found = wishes(["b==2", "a==1", "b==2"], ["numpy", "x y"])
    assert [wish.label for wish in found] == ["b==2", "a==1"]
    assert {wish.common for wish in found} == {("numpy", "x", "y")}


@pytest.mark.parametrize(
    ("specs", "common", "why"),
    [
        ([""], [], "'' names no package"),
        (["a", "  "], [], "names no package"),
        (["a --pre"], [], "--pre is no package. Give it as --pip-args"),
        (["'a"], [], "No closing quotation"),
        (["a"], ["-r x.txt"], "--with '-r x.txt': -r is no package"),
    ],
)
def test_no_environment(specs: list[str], common: list[str], why: str) -> None:
    with pytest.raises(UsageError) as caught:
        wishes(specs, common)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "start"),
    [
        ("torch==2.13.0", "torch-2.13.0-"),
        ("torch==2.13.0+cpu triton", "torch-2.13.0+cpu-triton-"),
        ("torch>=2", "torch-2-"),
        ("../../x", "x-"),
        ("x" * 300, "x" * 60 + "-"),
    ],
)
def test_names_are_readable(spec: str, start: str) -> None:
    (wish,) = wishes([spec])
    assert re.fullmatch(re.escape(start) + "[0-9a-f]{6}", wish.name)


@given(st.text(min_size=1))
def test_a_name_is_one_of_a_file(label: str) -> None:
    name = Wish(label, ()).name
    assert re.fullmatch(r"[A-Za-z0-9.+-]+", name) and not name.startswith(".")


@given(st.text(), st.text())
def test_names_tell_labels_apart(one: str, other: str) -> None:
    assert (Wish(one, ()).name == Wish(other, ()).name) == (one == other)
