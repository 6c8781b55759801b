"""What tests of export share: pages in a directory, and their cells."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fencerun import reader
from fencerun.export.cells import Cut, cut
from fencerun.export.notebook import notebook
from fencerun.export.script import script
from fencerun.frontmatter import PageSettings
from fencerun.page import Page

PINNED = {"TZ": "UTC", "COLUMNS": "80", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
MARK = "fencerun export of page.md (000000000000)"


def page(text: str) -> Page:
    """A page of dedented text."""
    return reader.parse(textwrap.dedent(text).lstrip("\n").encode(), "page.md")


def cells(text: str, unmet: Callable[[str], str | None] = lambda requirement: None) -> Cut:
    """A page of this text, in cells."""
    return cut(page(text), PageSettings(), unmet)


def as_notebook(
    text: str,
    unmet: Callable[[str], str | None] = lambda requirement: None,
    files: dict[str, bytes] | None = None,
) -> dict[str, Any]:
    """The notebook of a page of this text, which is valid."""
    made = notebook(cells(text, unmet), (files or {}).get, PINNED, {"page": MARK})
    found: dict[str, Any] = json.loads(made)
    return found


def as_script(text: str, unmet: Callable[[str], str | None] = lambda requirement: None) -> str:
    """The script of a page of this text."""
    return script(cells(text, unmet), PINNED, MARK)


def by_id(book: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The cells of a notebook."""
    return {cell["id"]: cell for cell in book["cells"]}


def source(cell: dict[str, Any]) -> str:
    """The source of a cell."""
    return "".join(cell["source"])


def write(directory: Path, text: str, name: str = "page.md") -> Path:
    """A page on disk."""
    path = directory / name
    path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
    return path
