"""What runs, in which order, and what does not: members in, chains out.

A chain is a path of fences linked by ``continues:``, run as one script. Two fences that continue
the same one cannot both take over its namespace: the first does, and for each other one the
fences before it run again, uncompared. Knows nothing of processes, output or verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal

from fencerun.frozen import dataclass
from fencerun.members import Member
from fencerun.page import Page

#: Says why a requirement does not hold, or None when it does.
Unmet = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Step:
    """A member's turn in a chain. Uncompared steps only set the stage for later ones."""

    member: Member
    compared: bool


@dataclass(frozen=True, slots=True)
class PlannedChain:
    """Steps that run as one script."""

    page: Page
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Idle:
    """A selected member that does not run. ``reason`` groups (``requires:cuda``), ``why`` tells."""

    member: Member
    kind: Literal["unmet", "skip", "told"]
    reason: str
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Every selected fence is in exactly one place: compared in one chain, or idle."""

    chains: tuple[PlannedChain, ...] = ()
    idle: tuple[Idle, ...] = ()
    #: How many members of each page are selected, by path.
    selected: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Share:
    """One page's part of a plan."""

    page: Page
    chains: tuple[PlannedChain, ...]
    idle: tuple[Idle, ...]
    selected: int


def shares(pages: Iterable[Page], plan: Plan) -> tuple[Share, ...]:
    """What of ``plan`` belongs to each page."""
    chains: dict[str, list[PlannedChain]] = {}
    idle: dict[str, list[Idle]] = {}
    for chain in plan.chains:
        chains.setdefault(chain.page.path, []).append(chain)
    for one in plan.idle:
        idle.setdefault(one.member.page.path, []).append(one)
    return tuple(
        Share(
            page,
            tuple(chains.get(page.path, ())),
            tuple(idle.get(page.path, ())),
            plan.selected.get(page.path, 0),
        )
        for page in pages
    )


def build(
    pages: Sequence[Sequence[Member]],
    selects: Callable[[Member], bool],
    unmet: Unmet,
) -> Plan:
    """The plan for the selected members of each page. ``unmet`` is asked only where needed."""
    chains: list[PlannedChain] = []
    idle: list[Idle] = []
    selected: dict[str, int] = {}
    for page_members in pages:
        wanted = {m.fence.number for m in page_members if selects(m)}
        if not wanted:
            continue
        selected[page_members[0].page.path] = len(wanted)
        idlers = _idle(page_members, wanted, unmet)
        idle += (i for i in idlers.values() if i.member.fence.number in wanted)
        runs = {m.fence.number: m for m in page_members if m.fence.number not in idlers}
        chains += _chains(runs, wanted)
    return Plan(tuple(chains), tuple(idle), selected)


def untouched(pages: Sequence[Sequence[Member]], selects: Callable[[Member], bool]) -> Plan:
    """The plan that runs nothing: every selected member is idle, for another run to tell of."""
    idle: list[Idle] = []
    selected: dict[str, int] = {}
    for page_members in pages:
        wanted = [member for member in page_members if selects(member)]
        if wanted:
            selected[wanted[0].page.path] = len(wanted)
        for member in wanted:
            skip = member.tags.skip
            if skip is not None:
                idle.append(Idle(member, "skip", skip, skip))
            else:
                idle.append(Idle(member, "told", "not run here", "no run tells of it"))
    return Plan((), tuple(idle), selected)


def _idle(page_members: Iterable[Member], wanted: set[int], unmet: Unmet) -> dict[int, Idle]:
    needed = _with_ancestors(page_members, wanted)
    idlers: dict[int, Idle] = {}
    for member in page_members:
        number = member.fence.number
        if number not in needed:
            continue
        before = idlers.get(member.parent or 0)
        own = member.tags.requires or ()
        if before is not None:
            why = f"it continues fence {before.member.fence.number}: {before.why}"
            idlers[number] = Idle(member, before.kind, before.reason, why)
        elif member.tags.skip is not None:
            idlers[number] = Idle(member, "skip", member.tags.skip, member.tags.skip)
        else:
            for requirement in own:
                if (reason := unmet(requirement)) is not None:
                    idlers[number] = Idle(member, "unmet", f"requires:{requirement}", reason)
                    break
    return idlers


def _with_ancestors(page_members: Iterable[Member], wanted: set[int]) -> set[int]:
    parents = {m.fence.number: m.parent for m in page_members}
    if not any(parents.values()):
        return wanted
    needed = set()
    for number in wanted:
        current: int | None = number
        while current and current not in needed:
            needed.add(current)
            current = parents.get(current)
    return needed


def _chains(runs: Mapping[int, Member], wanted: set[int]) -> Iterator[PlannedChain]:
    """Cover the wanted members of a page with paths, each fence compared once."""
    needed = _with_ancestors(runs.values(), wanted)
    children: dict[int | None, list[int]] = {}
    for number, member in runs.items():
        if number in needed:
            children.setdefault(member.parent, []).append(number)
    taken: set[int] = set()
    for number in (n for n in runs if n in needed):
        if number in taken:
            continue
        if runs[number].parent is None and number not in children:  # the rule
            yield PlannedChain(runs[number].page, (Step(runs[number], True),))
            continue
        path = _path_to(number, runs)
        while children.get(path[-1]):
            path.append(children[path[-1]][0])
        steps = tuple(Step(runs[n], n in wanted and n not in taken) for n in path)
        taken.update(path)
        if any(step.compared for step in steps):
            yield PlannedChain(runs[number].page, _until_last_compared(steps))


def _path_to(number: int, runs: Mapping[int, Member]) -> list[int]:
    path = [number]
    while (parent := runs[path[0]].parent) is not None:
        path.insert(0, parent)
    return path


def _until_last_compared(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    last = max(index for index, step in enumerate(steps) if step.compared)
    return steps[: last + 1]
