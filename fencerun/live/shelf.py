"""The open pages: read, read again when files change, and what that has wait for its turn.

Reads and never runs. Not safe for threads: its owner holds the lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress

from fencerun import state
from fencerun.discovery import NoSuchPath
from fencerun.engines.standing import Place
from fencerun.errors import FencerunError
from fencerun.events import LiveEvent, PageRead, Trouble
from fencerun.live import reading
from fencerun.live.book import Book
from fencerun.live.due import Due
from fencerun.live.opening import Opening
from fencerun.live.reading import Reading
from fencerun.live.waiting import Waiting
from fencerun.session import Session


class Shelf:
    """Pages that are kept open. ``emit`` gets what is told of them."""

    def __init__(self, opening: Opening, emit: Callable[[LiveEvent], None]) -> None:
        self._opening, self._emit = opening, emit
        self._base: Session | None = None
        self.book = Book()
        self.waiting = Waiting()
        #: Called with each new reading of a page.
        self.on_reading: Callable[[Reading], None] = lambda now: None
        #: Pages that hold nothing all of a sudden: most likely they are being written.
        self._emptied: set[str] = set()
        #: Changed files that may have been compiled as they were before.
        self.changed: set[str] = set()
        #: What keeps everything from running, by what it is that it keeps from.
        self._troubles: dict[str, str] = {}
        #: What earlier runs said, by page and number.
        self._last: dict[str, dict[int, state.Last]] = {}

    @property
    def base(self) -> Session:
        """The session that all runs are made of."""
        assert self._base is not None, "opened"
        return self._base

    @property
    def is_open(self) -> bool:
        """Whether pages were read."""
        return self._base is not None

    @property
    def names(self) -> tuple[str, ...]:
        """The open pages, in the order in which they run."""
        return tuple(name for name in self.base.names if name in self.book.readings)

    def open(self) -> None:
        """Read every page; nothing is due. Raises FencerunError."""
        self._base = self._opening.session()
        for name, one in state.load(self._base.project.root).items():
            page, _, number = name.rpartition("::")
            if number.isdecimal():
                self._last.setdefault(page, {})[int(number)] = one
        for name in self._base.names:
            self._read(name, opened=True)

    def directories(self) -> frozenset[str]:
        """The absolute directories in which a change may concern the pages."""
        return self._opening.directories(self.base, self.book.readings.values())

    def saved(self, changed: Collection[str] | None) -> None:
        """Read again what depends on these absolute paths; all, without them."""
        if changed is not None and not changed and not self._emptied:
            return
        known = {os.path.abspath(path) for path in self.book.readings}
        again = False
        if changed is None or any(self._opening.concerns(path, known) for path in changed):
            again = self._renew()
        for path in self.names:
            if again or changed is None or self._is_touched(path, changed):
                self._read(path, anew=again, changed=changed)
        self.changed |= set(changed or ())

    def written(self, path: str, numbers: Iterable[int]) -> None:
        """A page was recorded: what these fences rest on is the page as it is now."""
        with suppress(FencerunError):
            now = reading.read(self.base, path, self.book.readings.get(path), ())
            self.book.recorded(now, numbers)
        self._read(path, changed=())

    def can_run(self, place: Place) -> bool:
        """Whether there is such a fence, on a page without errors."""
        page = self.book.readings.get(place[0])
        return page is not None and not page.broken and place[1] in page.prints

    def in_trouble(self, what: str, error: FencerunError | None) -> None:
        """Say what keeps from ``what``, once, and once when nothing does any more."""
        before = self._troubles.pop(what, "")
        if error is not None:
            self._troubles[what] = str(error)
            if str(error) != before:
                self._emit(Trouble(error.what, error.remedy))
        elif before and not self._troubles:
            self._emit(Trouble())

    def _renew(self) -> bool:
        """See which pages there are and how they are configured; whether the latter is new."""
        before = self.base
        try:
            self._base = self._opening.session(before)
        except FencerunError as error:
            self.in_trouble("reading", error)
            return False
        self.in_trouble("reading", None)
        for path in [name for name in self.book.readings if name not in self.base.names]:
            self._close(path)
        for path in self.base.names:
            if path not in self.book.readings:
                self._read(path)
        return self.base.gate is not before.gate

    def _is_touched(self, path: str, changed: Collection[str]) -> bool:
        """Whether a page, or what it depends on, is among absolute paths, or below one of them."""
        page = self.book.readings.get(path)
        if page is None or path in self._emptied:
            return True
        own = (os.path.abspath(path), os.path.realpath(path))
        return any(one in changed for one in own) or reading.touches(changed, page.depends)

    def _close(self, path: str) -> None:
        """A page is gone. What is known of its fences stays, should it come back."""
        gone = self.book.readings.pop(path)
        self._emptied.discard(path)
        self.waiting.renew(path, Due())
        self.on_reading(Reading(path, None, gone.page))
        self._emit(PageRead(path, gone=True))

    def _read(
        self,
        path: str,
        *,
        opened: bool = False,
        anew: bool = False,
        changed: Collection[str] | None = None,
    ) -> None:
        """Read a page, and have wait what that makes due; ``anew`` as if for the first time."""
        before = self.book.readings.get(path)
        try:
            now = reading.read(self.base, path, None if anew else before, changed)
        except NoSuchPath as error:
            if not os.path.exists(path):
                if before is not None:
                    self._close(path)
                return
            now = reading.unreadable(path, error)
        if before is not None and before.data and now.data == b"" and path not in self._emptied:
            self._emptied.add(path)  # looked at once more, at the next call
            return
        self._emptied.discard(path)
        old = before.prints if before else {}
        news = {number for number, one in now.prints.items() if old.get(number) != one}
        if before is not None and before.data == now.data and news and changed:
            self.book.echoes(now, news, list(_times(changed)))
        last = self._last.get(self.base.relative(path), {})
        found = self._selected(path, self.book.take(now, last, opened=opened))
        # What was due at the last reading waits already, or runs, or somebody ended it.
        self.waiting.renew(path, found, news)
        self.on_reading(now)
        if not opened and (before is None or news or _differ(before, now)):
            self._emit(_read_anew(now, found, news))

    def _selected(self, path: str, found: Due) -> Due:
        """What of it the command line asked for."""
        if not any(target.fence or target.line for target in self.base.request.targets):
            return found
        selects, members = self.base.selects(), self.book.readings[path].members
        return Due(*(
            tuple(n for n in numbers if selects(members[n]))
            for numbers in (found.run, found.held, found.judge)
        ))  # fmt: skip


def _times(paths: Iterable[str]) -> Iterator[float]:
    """When files changed, those that there are."""
    for path in paths:
        with suppress(OSError):
            yield os.stat(path).st_mtime


def _differ(before: Reading, now: Reading) -> bool:
    """Whether there is anything to be seen of a new reading."""
    return before.data != now.data or before.page.problems != now.page.problems


def _read_anew(now: Reading, found: Due, news: Collection[int]) -> PageRead:
    due, held = (
        tuple(f"{now.path}::{number}" for number in numbers if number in news)
        for numbers in (found.run, found.held)
    )
    return PageRead(now.path, due, held, now.page.problems)
