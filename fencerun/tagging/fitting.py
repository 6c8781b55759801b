"""The tags of a page's candidates, and which of them a page can carry. Pure.

A tag can make a problem of a block that was none of our business before: one with a tab in its
indentation, or one that is never closed. Knows nothing of how candidates were found or tried.
"""

from __future__ import annotations

from collections.abc import Sequence

from fencerun.infostring import Carrier
from fencerun.page import Page
from fencerun.tagging.candidates import Candidate, Left
from fencerun.tagging.drafts import first_number, requires
from fencerun.tagging.links import Links
from fencerun.tagging.rounds import Settled
from fencerun.tagging.writing import Refusal, Tag, possible, tagged


def fit(
    page: Page, found: Sequence[Candidate], carrier: Carrier
) -> tuple[list[Candidate], list[Left] | Refusal]:
    """The candidates that a tag can be written on, and why not on the others."""
    ready: list[Candidate] = []
    left: list[Left] = []
    for candidate in found:
        if possible(page, candidate.block, carrier) is None:
            what = "it begins on the line of its list marker, where no comment can stand above it"
            left.append(Left(candidate.line, what, "begin it on a line of its own"))
        else:
            ready.append(candidate)
    while ready:
        made = tagged(page, tags_of(page, Settled(ready, Links()), carrier))
        if not isinstance(made, Refusal):
            break
        bad = made.tag and next((c for c in ready if c.block is made.tag.block), None)
        bad = bad or _odd_one(page, ready, carrier)
        if bad is None:
            return [], made
        ready.remove(bad)
        left.append(Left(made.line, made.what, made.remedy))
    return ready, left


def _odd_one(page: Page, ready: Sequence[Candidate], carrier: Carrier) -> Candidate | None:
    """A candidate whose tag alone is refused already."""
    for candidate in ready if len(ready) > 1 else ():
        tags = tags_of(page, Settled([candidate], Links()), carrier)
        made = tagged(page, tags)
        if isinstance(made, Refusal):
            return candidate
    return None


def tags_of(page: Page, settled: Settled, wished: Carrier) -> list[Tag]:
    """The tags of what is settled, numbered in page order behind what the page has."""
    first = first_number(page)
    numbers = {fence.line: fence.number for fence in page.fences}
    numbers |= {c.line: first + index for index, c in enumerate(settled.kept)}
    tags = []
    for candidate in settled.kept:
        parent = settled.links.parents.get(candidate.line)
        tags.append(
            Tag(
                candidate.block,
                numbers[candidate.line],
                possible(page, candidate.block, wished) or wished,
                continues=None if parent is None else numbers[parent],
                requires=requires(candidate),
                echo=candidate.echo,
            )
        )
    return tags
