"""One page as it was read: its members, what each fence depends on, and in which files that lies.

Between the session, which reads pages, and the pure `due`, which compares two readings. Knows
nothing of runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import field, replace

from fencerun import files, freshness, intake, preload
from fencerun.discovery import NoSuchPath
from fencerun.frozen import dataclass
from fencerun.live.prints import Print, print_of
from fencerun.members import Member, members
from fencerun.page import Page
from fencerun.session import Session

#: Installed modules that take long to import, besides those that every run preloads: here each
#: run is short. None of them is anybody's own, which would have to be read again when it changes.
_HEAVY = tuple(
    (name, re.compile(rf"^[ \t]*(?:import|from)[ \t]+{named}\b", re.MULTILINE))
    for name, named in (
        ("matplotlib.pyplot", r"matplotlib(?:\.pyplot|[ \t]+import[ \t]+pyplot)"),
        ("pandas", "pandas"),
        ("scipy", "scipy"),
        ("sympy", "sympy"),
    )
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A page, read. Without ``data`` it could not be."""

    path: str
    data: bytes | None
    page: Page
    members: Mapping[int, Member] = field(default_factory=dict)
    prints: Mapping[int, Print] = field(default_factory=dict)
    #: Absolute paths of the files that it depends on besides itself, of missing ones too.
    depends: frozenset[str] = frozenset()
    #: Modules worth loading before its fences run.
    loads: tuple[str, ...] = ()
    #: What was read beside it, by path relative to it; None for what is not there.
    files: Mapping[str, bytes | None] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether a problem keeps its fences from running."""
        return self.page.broken

    def chain(self, number: int) -> tuple[int, ...]:
        """The fences that a fence continues, the first of them first, and itself."""
        found = freshness.chain_of(self.members[number], self.members)
        return tuple(member.fence.number for member in found)


def read(
    session: Session,
    path: str,
    before: Reading | None = None,
    changed: Collection[str] | None = None,
) -> Reading:
    """The page called ``path`` as it is now; its text is parsed only where it changed.

    ``changed`` are the absolute paths that are no longer as they were ``before``; without it
    nothing is known of any. Raises NoSuchPath where the page is gone.
    """
    data = files.read(path)
    if before is not None and before.data == data and _stands_alone(before):
        page = before.page
    else:
        page = replace(session.page(path, data), tokens=())
    settled = {m.fence.number: m for m in members(page, session.defaults(page))}
    if page.broken:
        # What it depends on may be what is to be mended.
        depends = before.depends if before else frozenset()
        return Reading(path, data, page, settled, depends=depends | _set_up(page, settled))
    directory = os.path.dirname(os.path.abspath(path))
    same = {}
    if before is not None and changed is not None:
        same = {name: one for name, one in before.files.items()
                if not touches(changed, [_absolute(directory, name)])}  # fmt: skip
    noted = _Noted(session.unrun.beside(path), same)
    prints = {n: print_of(member, settled, noted, session) for n, member in settled.items()}
    depends = frozenset(_absolute(directory, name) for name in noted.asked)
    files_beside = {name: same[name] for name in noted.asked}
    loads = _loads(page, settled, noted)
    return Reading(path, data, page, settled, prints, depends, loads, files_beside)


def _stands_alone(page: Reading) -> bool:
    """Whether its own text is all that its problems, or their absence, depend on."""
    return not page.page.problems and not any(one.setup for one in page.members.values())


def touches(changed: Collection[str], paths: Collection[str]) -> bool:
    """Whether one of ``paths``, or a directory that it lies in, is among the changed ones."""
    return any(path in changed for path in paths) or any(
        path.startswith(f"{one}{os.sep}") for one in changed for path in paths
    )


def _absolute(directory: str, name: str) -> str:
    return os.path.normpath(os.path.join(directory, name))


def unreadable(path: str, error: NoSuchPath) -> Reading:
    """A page that is there and cannot be read."""
    return Reading(path, None, intake.unreadable(path, error))


def _loads(
    page: Page, settled: Mapping[int, Member], read: Callable[[str], bytes | None]
) -> tuple[str, ...]:
    texts = [fence.code for fence in page.fences] + [block.text for block in page.files]
    setups = {member.setup for member in settled.values() if member.setup}
    texts += ((read(name) or b"").decode("utf-8", "replace") for name in setups)
    heavy = (name for name, used in _HEAVY if any(map(used.search, texts)))
    return (*preload.modules(texts), *heavy)


class _Noted:
    """A reader of files that notes which were asked for, and reads those that are not ``known``."""

    def __init__(self, read: Callable[[str], bytes | None], known: dict[str, bytes | None]) -> None:
        self._read, self._known = read, known
        self.asked: set[str] = set()

    def __call__(self, path: str) -> bytes | None:
        self.asked.add(path)
        if path not in self._known:
            self._known[path] = self._read(path)
        return self._known[path]


def _set_up(page: Page, settled: Mapping[int, Member]) -> frozenset[str]:
    directory = os.path.dirname(os.path.abspath(page.path))
    names = {member.setup for member in settled.values() if member.setup}
    return frozenset(_absolute(directory, name) for name in names)
