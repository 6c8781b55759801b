"""Tags onto any page, in each form: the same blocks, now numbered, or a refusal."""

from __future__ import annotations

from typing import get_args

from fencerun.infostring import Carrier
from fencerun.page import Page
from fencerun.reader import parse
from fencerun.splice import encode
from fencerun.tagging.candidates import candidates
from fencerun.tagging.writing import Tag, possible, tagged


def check(data: bytes) -> None:
    """Raises AssertionError, or whatever tagging raises, where it should not."""
    page = parse(data, "page.md")
    assert tagged(page, []) == data, "tagging nothing changes something"
    found, left = candidates(page)
    assert all(1 <= one.line <= max(1, len(page.lines)) for one in left)
    first = max((fence.number for fence in page.fences), default=0) + 1
    for carrier in get_args(Carrier):
        tags = [
            Tag(one.block, first + index, form)
            for index, one in enumerate(found)
            if (form := possible(page, one.block, carrier)) is not None
        ]
        made = tagged(page, tags)
        if isinstance(made, bytes):
            _assert_numbered(page, parse(made, "page.md"), tags)


def _assert_numbered(page: Page, after: Page, tags: list[Tag]) -> None:
    codes = {fence.number: fence.block.content for fence in after.fences}
    for fence in page.fences:
        assert codes.pop(fence.number) == fence.block.content, "the code of a fence changed"
    assert codes == {tag.number: tag.block.content for tag in tags}
    assert [r.text for r in page.recordings] == [r.text for r in after.recordings]
    assert tagged(after, []) == encode(after)
