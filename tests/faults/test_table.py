"""The table of faults is complete: each has tests, they are there, and the docs say the same."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from .inputs import INPUTS, TORCH
from .table import DOCS, FAULTS, SECTIONS, Fault, written
from .table import PAGES as AS_A_PAGE
from .table import TORCH as AS_A_PAGE_WITH_TORCH

ROOT = Path(__file__).parents[2]

ids = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)


@cache
def functions(module: str) -> set[str]:
    """The test functions that a file defines, read and not imported."""
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_no_number_is_missing() -> None:
    numbers = [int(fault.id[1:]) for fault in FAULTS]
    assert numbers == list(range(1, 50))
    letters = [fault.id[0] for fault in FAULTS]
    assert letters == sorted(letters)
    assert set(letters) == set(SECTIONS)


@ids
def test_no_cell_is_empty(fault: Fault) -> None:
    assert fault.what.strip() and fault.seen.strip() and fault.tests
    assert len(set(fault.tests)) == len(fault.tests)
    assert "|" not in fault.what + fault.seen, "it would end its cell"


@ids
def test_its_tests_are_there(fault: Fault) -> None:
    for test in fault.tests:
        found = re.fullmatch(r"(tests/[\w/]+\.py)::(test_\w+)(?:\[([^]]+)\])?", test)
        assert found, f"{test} is no test"
        module, function, case = found.groups()
        assert function in functions(module), f"{test} is gone"
        if case:
            verb = function.removeprefix("test_")
            assert (ROOT / "tests" / "cases" / verb / case).is_dir(), f"{test} is gone"


@ids
def test_what_is_held_by_a_page_has_one(fault: Fault) -> None:
    for node, inputs in ((AS_A_PAGE, INPUTS), (AS_A_PAGE_WITH_TORCH, TORCH)):
        own = [name for name in inputs if name.partition("-")[0] == fault.id]
        assert (node in fault.tests) == bool(own)


def test_the_docs_have_the_same_table() -> None:
    """`python -m tests.faults.table` writes it."""
    text = DOCS.read_text(encoding="utf-8")
    assert text == written(text)
