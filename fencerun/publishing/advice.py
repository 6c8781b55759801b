"""Tags that the project's site would show to its readers. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fencerun.events import Problem
from fencerun.infostring import Carrier
from fencerun.page import CodeBlock, Page
from fencerun.plural import count
from fencerun.publishing.site import Site

#: Each form, for a message.
FORMS: Mapping[Carrier, str] = {
    "words": "write them as words (`fence:1`)",
    "attributes": "write them in braces (`{fence=1}`)",
    "comment": "write them in a comment above the block (`<!-- fence:1 -->`)",
}


def problems(page: Page, site: Site) -> Iterator[Problem]:
    """One warning, where any block of the page has its tags in a form that readers would see."""
    if not site.shows:
        return
    shown = [block for block in _blocks(page) if block.info.carrier in site.shows]
    if not shown:
        return
    first = min(shown, key=lambda block: block.open)
    tags = f"the tags of {count(len(shown), 'code block')}"
    what = f"{site.generator} shows readers {tags} as text ({site.file})"
    remedy = FORMS[site.carrier]
    if site.remedy:
        remedy = f"{site.remedy}, or {remedy}"
    yield Problem(page.path, first.line, "carrier", what, remedy, "warning")


def _blocks(page: Page) -> Iterator[CodeBlock]:
    """The blocks whose opening lines have tags: not regions, nor hidden code."""
    yield from (fence.block for fence in page.fences if not fence.tags.hidden)
    yield from (recording.block for recording in page.recordings if not recording.region)
    yield from (file.block for file in page.files)
    yield from page.excused
