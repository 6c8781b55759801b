"""One page as it was read: its members, what each fence depends on, and in which files that lies.

Between the session, which reads pages, and the pure `due`, which compares two readings. Knows
nothing of runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from dataclasses import field, replace

from fencerun import files, freshness, preload
from fencerun.discovery import NoSuchPath
from fencerun.events import Problem
from fencerun.frozen import dataclass
from fencerun.page import Page
from fencerun.plan import Member, members
from fencerun.session import Session

#: Tags that say how a fence runs, and are no part of its key.
_RUNS = ("requires", "skip", "timeout", "isolated", "allows", "quiet")


@dataclass(frozen=True, slots=True)
class Print:
    """What a verdict on a fence rests on.

    ``does`` changes with what the fence would do, ``shows`` with what the page says that it did
    and how that is compared: where only this changed, what it printed holds as before.
    """

    does: Hashable
    shows: Hashable


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

    @property
    def broken(self) -> bool:
        """Whether a problem keeps its fences from running."""
        return self.page.broken

    def chain(self, number: int) -> tuple[int, ...]:
        """The fences that a fence continues, the first of them first, and itself."""
        found = freshness.chain_of(self.members[number], self.members)
        return tuple(member.fence.number for member in found)


def read(session: Session, path: str, before: Reading | None = None) -> Reading:
    """The page called ``path`` as it is now; its text is parsed only where it changed.

    Raises NoSuchPath where it is gone.
    """
    data = files.read(path)
    if before is not None and before.data == data:
        page = before.page
    else:
        page = replace(session.page(path, data), tokens=())
    settled = {m.fence.number: m for m in members(page, session.defaults(page))}
    if page.broken:
        # What it depends on may be what is to be mended.
        depends = before.depends if before else frozenset()
        return Reading(path, data, page, settled, depends=depends | _set_up(page, settled))
    noted = _Noted(session.unrun.beside(path))
    common = _common(session)
    prints = {n: _print(member, settled, noted, common) for n, member in settled.items()}
    directory = os.path.dirname(os.path.abspath(path))
    depends = frozenset(os.path.normpath(os.path.join(directory, name)) for name in noted.asked)
    return Reading(path, data, page, settled, prints, depends, _loads(page, settled, noted))


def unreadable(path: str, error: NoSuchPath) -> Reading:
    """A page that is there and cannot be read."""
    problem = Problem(path, 1, "unreadable", str(error.what), "make it readable")
    return Reading(path, None, Page(path, "", problems=(problem,)))


def _loads(
    page: Page, settled: Mapping[int, Member], read: Callable[[str], bytes | None]
) -> tuple[str, ...]:
    texts = [fence.code for fence in page.fences] + [block.text for block in page.files]
    setups = {member.setup for member in settled.values() if member.setup}
    texts += ((read(name) or b"").decode("utf-8", "replace") for name in setups)
    return preload.modules(texts)


class _Noted:
    """A reader of files that notes which were asked for."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self.asked: set[str] = set()

    def __call__(self, path: str) -> bytes | None:
        self.asked.add(path)
        return self._read(path)


def _set_up(page: Page, settled: Mapping[int, Member]) -> frozenset[str]:
    directory = os.path.dirname(os.path.abspath(page.path))
    names = {member.setup for member in settled.values() if member.setup}
    return frozenset(os.path.normpath(os.path.join(directory, name)) for name in names)


def _common(session: Session) -> Hashable:
    """What every fence of the project depends on."""
    project = session.project
    env = tuple(sorted(project.env.items()))
    return session.python, env, project.threads, project.width


def _print(member: Member, settled: Mapping[int, Member], read: _Noted, common: Hashable) -> Print:
    parts = freshness.of_chain(freshness.chain_of(member, settled), read)
    tags, fence = member.tags, member.fence
    own = tuple(getattr(tags, name) for name in _RUNS)
    does = (tuple(p.digest for p in parts), own, member.requires, member.op_namespace, common)
    recording = fence.recording
    said = recording and (recording.text, recording.region, recording.key, recording.on)
    values = tuple((value.shown, value.spec) for value in fence.values)
    return Print(hash(does), (said, values, repr(tags), member.record, member.scratch))
