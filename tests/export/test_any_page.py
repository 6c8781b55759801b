"""Pages of every form: none breaks an export, and scripts are Python."""

from __future__ import annotations

import ast
import json

from hypothesis import given, settings
from properties.pages import lessons, wrecks

from fencerun import reader
from fencerun.export.cells import Code, Cut, Text, cut
from fencerun.export.notebook import notebook
from fencerun.export.script import script
from fencerun.frontmatter import PageSettings

from .making import MARK, PINNED


def cells(data: bytes) -> Cut | None:
    page = reader.parse(data, "page.md")
    return None if page.broken else cut(page, PageSettings(), lambda requirement: "not here")


@settings(max_examples=60)
@given(lessons() | wrecks())
def test_every_fence_is_a_cell(data: bytes) -> None:
    made = cells(data)
    if made is None:
        return
    numbers = [cell.member.fence.number for cell in made.cells if isinstance(cell, Code)]
    assert numbers == [fence.number for fence in made.page.fences]
    prose = "\n".join(cell.markdown for cell in made.cells if isinstance(cell, Text))
    assert "output:1" not in prose or "output:1" in made.page.text


@settings(max_examples=60)
@given(lessons() | wrecks())
def test_notebooks_are_valid(data: bytes) -> None:
    made = cells(data)
    if made is not None:
        # `notebook` validates it.
        book = json.loads(notebook(made, lambda path: None, PINNED, {"page": MARK}))
        assert len(book["cells"]) >= len(made.cells)


@settings(max_examples=60)
@given(lessons() | wrecks())
def test_scripts_are_python(data: bytes) -> None:
    made = cells(data)
    if made is not None:
        ast.parse(script(made, PINNED, MARK))
