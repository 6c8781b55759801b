"""Which pages are open, under which configuration, and where files lie that may change that.

Makes sessions; runs none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from fencerun import launch
from fencerun.discovery import SUFFIXES, NoSuchPath
from fencerun.events import Event
from fencerun.live.reading import Reading
from fencerun.session import Request, Session

#: Directories that hold nobody's lessons, and a great many files.
_NEVER = frozenset({"node_modules", "__pycache__", "site-packages"})

_CONFIGURATION = frozenset({"pyproject.toml", ".gitignore"})


class Opening:
    """The call that opened the pages, to be made again when files come, go or configure it."""

    def __init__(
        self,
        targets: Sequence[str],
        emit: Callable[[Event], None],
        python: str | None,
        without: Collection[str],
        root: Path | None,
    ) -> None:
        self._targets, self._emit, self._root = targets, emit, root
        self._python, self._without = python, without
        self._walked: frozenset[str] | None = None

    def session(self, before: Session | None = None) -> Session:
        """A session over the pages that there are now.

        Where nothing but the pages changed since ``before``, it knows of the machine what that
        did. Raises FencerunError; a target that is gone is no error once there was one.
        """
        targets = list(self._targets)
        self._walked = None
        while True:
            try:
                new = self._session(targets)
                break
            except NoSuchPath as error:
                left = [name for name in targets if _page_of(name) != error.path]
                if before is None or len(left) == len(targets):
                    raise
                targets = left
        if self._targets and not targets:
            new = replace(new, names=())
        if before is None or _is_other(before, new):
            return new
        return replace(before, names=new.names, request=new.request)

    def _session(self, targets: Sequence[str]) -> Session:
        return launch.session(
            Request("check", launch.targets(targets), allow_empty=True, show=True),
            self._emit,
            python=self._python,
            without=self._without,
            root=self._root,
        )

    def concerns(self, path: str, known: Collection[str]) -> bool:
        """Whether a change of this file may open or close pages, or configure them.

        ``known`` are the absolute paths of the open ones.
        """
        name = os.path.basename(path)
        if name in _CONFIGURATION:
            return True
        if path in known:
            return not os.path.exists(path)
        if path in {os.path.abspath(name) for name in self._targets}:
            return True
        if name.startswith("."):
            return False
        return name.lower().endswith(SUFFIXES) or os.path.isdir(path)

    def directories(self, session: Session, readings: Iterable[Reading]) -> frozenset[str]:
        """Where files lie, or would, that the open pages depend on or that would be new ones."""
        if self._walked is None:
            paths = [_page_of(name) for name in self._targets]
            paths = paths or [str(session.project.root / path) for path in session.project.paths]
            below = (name for path in paths for name in _below(os.path.abspath(path)))
            self._walked = frozenset(below)
        found = {os.getcwd(), str(session.project.root), *self._walked}
        for reading in readings:
            page = os.path.abspath(reading.path)
            found |= {os.path.dirname(page), os.path.dirname(os.path.realpath(page))}
            found |= {os.path.dirname(name) for name in reading.depends}
        return frozenset(name for name in found if os.path.isdir(name))


def _is_other(before: Session, now: Session) -> bool:
    """Whether the configuration is another, or the interpreter."""
    return (before.project, before.python) != (now.project, now.python)


def _page_of(target: str) -> str:
    return target if os.path.exists(target) else launch.targets([target])[0].path


def _below(path: str) -> Iterator[str]:
    """A directory and those below it that may hold pages; of a file the one it lies in."""
    if not os.path.isdir(path):
        yield os.path.dirname(path)
        return
    for where, folders, names in os.walk(path):
        if "pyvenv.cfg" in names:
            folders.clear()
            continue
        folders[:] = [name for name in folders if name[0] != "." and name not in _NEVER]
        yield where
