"""A page cut into cells: prose, fences, files, in page order. Pure; knows no file format.

Fences that are linked are one script; others know nothing of each other. A notebook and a script
have one set of names, so a cell says which chain it belongs to, and what of that chain has to run
again where two fences continue the same one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from fencerun import members as settled
from fencerun import plan
from fencerun.export import prose
from fencerun.frontmatter import PageSettings
from fencerun.frozen import dataclass
from fencerun.kinds import PYTHONS
from fencerun.members import Member
from fencerun.page import FileBlock, Page
from fencerun.plan import Idle


@dataclass(frozen=True, slots=True)
class Text:
    """Markdown between two blocks; ``after`` is the number of the fence above it, 0 for none."""

    markdown: str
    after: int


@dataclass(frozen=True, slots=True)
class File:
    """A file that the page has for its fences."""

    block: FileBlock


@dataclass(frozen=True, slots=True)
class Code:
    """A fence. ``chain`` is the number of the first fence that only its chain runs.

    ``enters`` says that the cell above belongs to another chain. ``again`` are fences that
    were run above and have to run once more before it. ``idle`` says why it does not run here.
    """

    member: Member
    chain: int
    enters: bool
    again: tuple[Member, ...]
    idle: Idle | None


Cell = Text | File | Code


@dataclass(frozen=True, slots=True)
class Cut:
    """A page in cells. ``chains`` counts the sets of names that its Python fences need."""

    page: Page
    cells: tuple[Cell, ...]
    chains: int
    #: Chains to which the page comes back after another one.
    resumed: tuple[int, ...]
    members: tuple[Member, ...]
    #: Files that a fence above them names: a chain has all files from its start.
    early: tuple[FileBlock, ...] = ()


def cut(page: Page, base: PageSettings, unmet: Callable[[str], str | None]) -> Cut:
    """The cells of ``page``; ``unmet`` says why a requirement does not hold here."""
    members = settled.members(page, base)
    everything = plan.build([members], lambda member: True, lambda requirement: None)
    here = plan.build([members], lambda member: True, unmet)
    idle = {one.member.fence.number: one for one in here.idle}
    chains, again = _chains(everything.chains, members)
    cells: list[Cell] = []
    current = last = 0
    by_number = {member.fence.number: member for member in members}
    for found in _pieces(page):
        if isinstance(found, str):
            cells.append(Text(found, last))
        elif isinstance(found, FileBlock):
            cells.append(File(found))
        else:
            member = by_number[found]
            last = found
            python = member.fence.language in PYTHONS
            chain = chains[found] if python else 0
            enters = python and chain != current
            current = chain if python else current
            cells.append(Code(member, chain, enters, again.get(found, ()), idle.get(found)))
    entered = [cell.chain for cell in cells if isinstance(cell, Code) and cell.enters]
    resumed = tuple(dict.fromkeys(one for one in entered if entered.count(one) > 1))
    return Cut(page, tuple(cells), len({*entered}), resumed, members, tuple(_early(cells)))


def _early(cells: Sequence[Cell]) -> Iterator[FileBlock]:
    above = ""
    for cell in cells:
        if isinstance(cell, Code):
            above += cell.member.fence.code
        elif isinstance(cell, File) and above and _names(above, cell.block.path):
            yield cell.block


def _names(code: str, path: str) -> bool:
    """Whether ``code`` names a file, or imports it."""
    module = path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
    imports = rf"^\s*(?:import|from)\b.*\b{re.escape(module)}\b"
    if path.rpartition("/")[2] != "__init__.py" and path.rpartition("/")[2] in code:
        return True
    return path.endswith(".py") and re.search(imports, code, re.MULTILINE) is not None


def _chains(
    planned: Sequence[plan.PlannedChain], members: Sequence[Member]
) -> tuple[Mapping[int, int], Mapping[int, tuple[Member, ...]]]:
    """The chain of each fence, and what runs again before it."""
    chains: dict[int, int] = {}
    again: dict[int, tuple[Member, ...]] = {}
    for one in planned:
        name = next(step.member.fence.number for step in one.steps if step.compared)
        before: list[Member] = []
        for step in one.steps:
            number = step.member.fence.number
            if not step.compared:
                before.append(step.member)
                continue
            chains[number] = name
            if before:
                again[number] = tuple(before)
                before = []
    for member in members:  # those that are skipped on purpose are in no chain
        own = member.fence.number
        chains.setdefault(own, chains.get(member.parent or 0, own))
    return chains, again


def _pieces(page: Page) -> Iterator[str | int | FileBlock]:
    """Markdown, numbers of fences, and files, in page order."""
    taken: list[tuple[int, int, int | FileBlock | None]] = [
        *((fence.block.start, fence.block.end, fence.number) for fence in page.fences),
        *((one.block.start, one.block.end, None) for one in page.recordings),
        *((file.block.start, file.block.end, file) for file in page.files),
    ]
    cutter = prose.Prose(page)
    at = cutter.first
    for start, end, what in sorted(taken, key=lambda one: one[:2]):
        if markdown := cutter.between(at, start):
            yield markdown
        if what is not None:
            yield what
        at = max(at, end)
    if markdown := cutter.between(at, len(page.lines)):
        yield markdown
