"""A page as it will be once its blocks are tagged, made in memory. Pure.

Lines are those of the page as it is, so that what a trial says points to where the author looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fencerun.infostring import InfoString
from fencerun.kinds import PYTHONS
from fencerun.members import Member
from fencerun.page import Fence, Page, Recording
from fencerun.tagging.bindings import bindings
from fencerun.tagging.candidates import Candidate
from fencerun.tagging.links import Links, Node
from fencerun.tags import Tags


def first_number(page: Page) -> int:
    """The number after all that the page uses."""
    used = [0, *(fence.number for fence in page.fences)]
    used += [recording.number for recording in page.recordings]
    used += [value.fence for value in page.values]
    return max(used) + 1


def requires(candidate: Candidate) -> tuple[str, ...]:
    """What a candidate's code says that it needs."""
    return ("cuda",) if candidate.needs else ()


def nodes(candidates: Sequence[Candidate], members: Sequence[Member]) -> list[Node]:
    """The blocks and fences of Python, in page order, to be linked."""
    lines = {member.fence.number: member.fence.line for member in members}
    found = [
        Node(candidate.line, candidate.names, leaf=bool(candidate.needs))
        for candidate in candidates
        if candidate.language in PYTHONS
    ]
    for member in members:
        if member.fence.language in PYTHONS:
            parent = lines.get(member.parent or 0)
            leaf = bool(member.tags.requires or member.tags.isolated or member.tags.skip)
            names = bindings(member.fence.code)
            found.append(Node(member.fence.line, names, True, parent, leaf))
    return sorted(found, key=lambda node: node.key)


def draft(
    page: Page, candidates: Sequence[Candidate], numbers: Mapping[int, int], links: Links
) -> Page:
    """``page`` with ``candidates`` as fences. ``numbers`` are those of all fences, by line."""
    fences = [*page.fences, *_fences(candidates, numbers, links)]
    settings = page.settings
    if links.previous:
        defaults = replace(settings.defaults, continues="previous")
        settings = replace(settings, defaults=defaults)
    fences.sort(key=lambda fence: fence.line)
    return replace(page, fences=tuple(fences), settings=settings)


def _fences(
    candidates: Sequence[Candidate], numbers: Mapping[int, int], links: Links
) -> Iterator[Fence]:
    for candidate in candidates:
        number = numbers[candidate.line]
        parent = links.parents.get(candidate.line)
        tags = Tags(
            continues=None if parent is None else numbers[parent],
            requires=requires(candidate) or None,
            echo=candidate.echo or None,
        )
        info = InfoString(candidate.block.info.language, "words", number, tags=tags)
        block = replace(candidate.block, info=info)
        recording = None
        if candidate.transcript is not None:
            lines = tuple(candidate.block.content.removesuffix("\n").split("\n"))
            recording = Recording(number, block, lines)
        yield Fence(number, candidate.language, block, recording, (), candidate.transcript)
