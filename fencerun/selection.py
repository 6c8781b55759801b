"""What the command line selects: pages, directories and single fences. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from fencerun.frozen import dataclass
from fencerun.plan import Member

_TARGET = re.compile(
    r"(?P<path>.+?)(?:::(?P<fence>[1-9][0-9]*)|:(?P<line>[1-9][0-9]*))?\Z", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Target:
    """``path``, ``path::fence`` or ``path:line``."""

    path: str
    fence: int | None = None
    line: int | None = None

    def __str__(self) -> str:
        if self.fence:
            return f"{self.path}::{self.fence}"
        return f"{self.path}:{self.line}" if self.line else self.path


def parse(text: str) -> Target:
    """The target that an argument names. A drive letter or a plain path stays a path."""
    match = _TARGET.match(text)
    if match is None:
        return Target(text)
    number = match["fence"] and int(match["fence"])
    line = match["line"] and int(match["line"])
    return Target(match["path"], number or None, line or None)


def selector(targets: Sequence[Target], word: str | None) -> Callable[[Member], bool]:
    """Whether a member is selected: named by a target, and holding ``word``.

    A page that only appears as ``path::N`` has just those fences selected; a line selects the
    fence whose block or recording holds it.
    """
    single: dict[str, list[Target]] = {}
    for target in targets:
        if target.fence or target.line:
            single.setdefault(target.path, []).append(target)
    whole = {target.path for target in targets if not target.fence and not target.line}
    lowered = word and word.lower()

    def selects(member: Member) -> bool:
        named = single.get(member.page.path)
        if named and member.page.path not in whole and not any(_names(t, member) for t in named):
            return False
        return not lowered or lowered in f"{member.id}\n{member.fence.code}".lower()

    return selects


def unmatched(targets: Sequence[Target], members: Iterable[Member]) -> Iterator[Target]:
    """The targets of single fences that no member is named by."""
    by_page: dict[str, list[Member]] = {}
    for member in members:
        by_page.setdefault(member.page.path, []).append(member)
    for target in targets:
        if not target.fence and not target.line:
            continue
        if not any(_names(target, member) for member in by_page.get(target.path, ())):
            yield target


def _names(target: Target, member: Member) -> bool:
    if target.fence is not None:
        return target.fence == member.fence.number
    blocks = [member.fence.block]
    if member.fence.recording:
        blocks.append(member.fence.recording.block)
    line = (target.line or 0) - 1
    return any(block.start <= line < block.end for block in blocks)
