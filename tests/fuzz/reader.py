"""Any bytes as a page: reading never fails, and keeps every byte."""

from __future__ import annotations

from itertools import pairwise

from fencerun.page import Page
from fencerun.reader import parse
from fencerun.splice import encode, splice


def check(data: bytes) -> None:
    """Raises AssertionError, or whatever reading raises, where it should not."""
    for syntax in ("commonmark", "mkdocs"):
        page = parse(data, "page.md", syntax)
        assert encode(page) == data
        assert splice(page, {}) == data
        _is_in_order(page)
        again = parse(data, "page.md", syntax)
        assert (again.fences, again.recordings, again.problems) == (
            page.fences,
            page.recordings,
            page.problems,
        ), "reading twice gives two pages"


def _is_in_order(page: Page) -> None:
    """Every line that a page names is one of its own, and its fences do not overlap."""
    count = max(1, len(page.lines))
    for problem in page.problems:
        assert 1 <= problem.line <= count, f"{problem} is on no line"
        assert problem.what
        assert problem.code
    blocks = [fence.block for fence in page.fences]
    for block in (*blocks, *(found.block for found in page.recordings)):
        assert 0 <= block.start <= block.open < block.end <= count
    for one, other in pairwise(sorted(blocks, key=lambda block: block.start)):
        assert one.end <= other.start, "two fences overlap"
    if not page.broken:
        numbers = [fence.number for fence in page.fences]
        assert len(numbers) == len(set(numbers)), "a number twice, and no problem"
