"""What runs, in which order, and what does not: pages in, chains out.

A chain is a path of fences linked by ``continues:``, run as one script. Two fences that continue
the same one cannot both take over its namespace: the first does, and for each other one the
fences before it run again, uncompared. Knows nothing of processes, output or verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal

from fencerun.frontmatter import PageSettings, Records
from fencerun.frozen import dataclass
from fencerun.kinds import PYTHONS
from fencerun.page import Fence, Page
from fencerun.tags import Tags

#: Says why a requirement does not hold, or None when it does.
Unmet = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Member:
    """A fence on its page, with its tags over the page's defaults.

    ``requires`` holds what it asks for and what it inherits from the fences it continues.
    """

    page: Page
    fence: Fence
    tags: Tags
    parent: int | None
    op_namespace: str | None
    requires: tuple[str, ...]
    record: Records = "all"
    #: A Python file that runs before the first fence of its chain, relative to the page.
    setup: str | None = None
    #: Whether its chain runs in a fresh directory.
    scratch: bool = False

    @property
    def recorded(self) -> bool:
        """Whether the page is to say what it prints: if not, it only has to run."""
        if self.tags.hidden or self.record == "none":
            return False
        return self.record == "all" or self.has_recording

    @property
    def has_recording(self) -> bool:
        """Whether the page says what it prints; a transcript does once it shows any output."""
        transcript = self.fence.transcript
        if transcript is not None:
            return any(turn.output for turn in transcript.turns)
        return self.fence.recording is not None

    @property
    def id(self) -> str:
        """``page.md::3``."""
        return f"{self.page.path}::{self.fence.number}"


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


def members(page: Page, base: PageSettings) -> tuple[Member, ...]:
    """The fences of ``page`` in page order, settled: tag over page over ``base``."""
    settings = page.settings.over(base)
    settled: dict[int, Member] = {}
    scratch = bool(page.files) or settings.cwd == "scratch"
    for fence in page.fences:
        tags = fence.tags.over(settings.defaults)
        parent = _parent(fence, tags, settled)
        own = tags.requires or ()
        # On a page with a problem, it may continue a fence that there is not.
        before = settled.get(parent or 0)
        inherited = before.requires if before else ()
        namespace = settings.op_namespace and f"{settings.op_namespace}_f{fence.number}"
        requires = tuple(dict.fromkeys((*inherited, *own)))
        settled[fence.number] = Member(
            page,
            fence,
            tags,
            parent,
            namespace,
            requires,
            settings.record or "all",
            settings.setup,
            scratch,
        )
    return tuple(settled.values())


def _parent(fence: Fence, tags: Tags, earlier: Mapping[int, Member]) -> int | None:
    if isinstance(tags.continues, int) or tags.continues is None:
        return tags.continues
    if fence.language not in PYTHONS:
        return None
    for member in reversed(tuple(earlier.values())):
        if not _is_leaf(member):
            return member.fence.number
    return None


def _is_leaf(member: Member) -> bool:
    """Whether ``continues: previous`` passes over it: it may not run, or leaves nothing."""
    own = member.fence.tags
    return bool(own.requires or own.isolated or own.skip or member.fence.language not in PYTHONS)


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
