"""The fences of a page, settled: tag over page over project, and which continues which.

Knows nothing of what was asked for, or of what can run here.
"""

from __future__ import annotations

from collections.abc import Mapping

from fencerun.frontmatter import PageSettings, Records
from fencerun.frozen import dataclass
from fencerun.kinds import PYTHONS
from fencerun.page import Fence, Page
from fencerun.tags import Tags


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
