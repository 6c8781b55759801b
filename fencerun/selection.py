"""What the command line selects: pages, directories and single fences. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from fencerun.capabilities import Requirement
from fencerun.capabilities import parse as parse_capability
from fencerun.errors import UsageError
from fencerun.frozen import dataclass
from fencerun.members import Member
from fencerun.patterns import later

#: Capabilities that a fence bounds or names further; to select them, or to leave them out, their
#: names alone will do.
NAMES_ALONE = frozenset({"gpu", "gpus", "sm", "python"})

_TARGET = later(
    r"(?P<path>.+?)(?:::(?P<fence>[1-9][0-9]{,99})|:(?P<line>[1-9][0-9]{,99}))?\Z", re.DOTALL
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


def insist(target: Target) -> Target:
    """``target``, unless it is a mistyped id. Raises UsageError that says what an id looks like."""
    name, mark, number = target.path.rpartition("::")
    if not mark and not target.path.endswith(":"):
        return target
    page = name.strip(":") or "PAGE"
    digits = re.search("[1-9][0-9]*", number)
    example = f"{page}::{digits[0] if digits else (target.fence or target.line or 3)}"
    what = f"{target} is no id of a fence"
    raise UsageError(what, f"write `{example}`, or `{page}:41` for the fence at line 41")


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


def capability(word: str, own: Collection[str] = ()) -> Requirement | None:
    """What a word of `--requires` or `--without` says; None for a name alone that fences bound.

    ``own`` are the project's own names. Raises TagError for a word that is no capability.
    """
    return None if word in NAMES_ALONE else parse_capability(word, own)


#: Further capabilities that a fence may name for what needs the first.
_ALSO: Mapping[str, frozenset[str]] = {
    "cuda": frozenset({"accelerator", "gpu", "gpus", "sm"}),
    "rocm": frozenset({"accelerator", "gpu", "gpus"}),
    "mps": frozenset({"accelerator"}),
    "xpu": frozenset({"accelerator"}),
}


def requiring(words: Sequence[str], own: Collection[str] = ()) -> Callable[[Member], bool]:
    """Whether a member requires one of ``words``, itself or through what it continues.

    ``cuda`` means all that a machine with CUDA is needed for: ``sm>=90`` and ``gpus>=2`` too, and
    ``accelerator`` any of those. ``own`` are the project's own names. Raises TagError for a word
    that is no capability.
    """
    if not words:
        return lambda member: True
    wanted = [one for word in words if (one := capability(word, own)) is not None]
    names = {word for word in words if word in NAMES_ALONE}
    names |= {one.name for one in wanted if not one.operator and not one.value}
    names |= {name for word in words for name in _ALSO.get(word, ())}
    texts = {one.text for one in wanted}

    def selects(member: Member) -> bool:
        asked = [parse_capability(text, own) for text in member.requires]
        return any(
            one.text in texts or one.name in names or ("accelerator" in words and one.accelerated)
            for one in asked
        )

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
