"""One run over open pages: a session with a standing engine, and what it told of which prints.

Knows nothing of what is due or why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from fencerun import launch
from fencerun.engines.base import Engine
from fencerun.engines.standing import Place
from fencerun.events import Event
from fencerun.frozen import dataclass
from fencerun.live.prints import Print
from fencerun.live.reading import Reading
from fencerun.live.waiting import Kind
from fencerun.selection import Target
from fencerun.session import Request, Session


@dataclass(slots=True)
class Run:
    """What runs, as it was when the run began. Fences that have their verdict are ``done``."""

    kind: Kind
    places: tuple[Place, ...]
    readings: Mapping[str, Reading]
    done: set[Place] = field(default_factory=set)
    #: Of every fence on its pages: its print, and its page line.
    prints: Mapping[Place, Print] = field(init=False)
    lines: Mapping[Place, int] = field(init=False)
    #: Whether it was ended because what it ran is no longer so.
    pointless: bool = False
    #: Whether it is to end before its next fence begins, and to go on later.
    yields: bool = False
    #: Whether somebody ended it.
    stopped: bool = False

    def __post_init__(self) -> None:
        pages = self.readings.items()
        self.prints = {(path, n): one for path, r in pages for n, one in r.prints.items()}
        self.lines = {(path, f.number): f.line for path, r in pages for f in r.page.fences}

    @property
    def left(self) -> tuple[Place, ...]:
        """What it did not get to."""
        return tuple(place for place in self.places if place not in self.done)

    def loses(self, reading: Reading) -> bool:
        """Whether a new reading of a page makes pointless what is still to run."""
        if reading.path not in self.readings:
            return False
        before = self.readings[reading.path].prints
        return any(
            number not in reading.prints or reading.prints[number].does != before[number].does
            for page, number in self.left
            if page == reading.path
        )

    def session(
        self, base: Session, engine: Callable[[], Engine], emit: Callable[[Event], None]
    ) -> Session:
        """The session that does it, on an engine that is asked for when it is needed."""
        readings = list(self.readings.values())
        request = Request(
            "record" if self.kind == "record" else "check",
            tuple(self._targets()),
            allow_empty=True,
            show=True,
        )
        session = launch.again(base, [reading.path for reading in readings], request)
        session.emit = emit
        session.engine = lambda _: engine()
        # Pages are read again while this one runs, and a key must not be made of both.
        settled = {reading.path: reading.members for reading in readings}
        session.unrun = replace(base.unrun, settled=dict(settled))
        if self.kind != "record":  # which splices into the page, and reads all that is on it
            members = [tuple(reading.members.values()) for reading in readings]
            session.loaded = [reading.page for reading in readings], members
        return session

    def _targets(self) -> Sequence[Target]:
        found: list[Target] = []
        for page, reading in self.readings.items():
            own = [number for path, number in self.places if path == page]
            whole = len(own) == len(reading.members)
            found += [Target(page)] if whole else [Target(page, number) for number in own]
        return found
