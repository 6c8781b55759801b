"""What waits for its turn: fences that are due, asked for, to be judged anew, or to be recorded.

Pure, and not safe for threads: its owner holds the lock.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import field
from typing import Literal

from fencerun.engines.standing import Place
from fencerun.frozen import dataclass
from fencerun.live.due import Due

Kind = Literal["judge", "check", "record"]


@dataclass(slots=True)
class Waiting:
    """Places in the order in which they came, by why they wait."""

    #: Their print changed, so that they run.
    due: dict[Place, None] = field(default_factory=dict)
    #: Somebody asked for them.
    asked: dict[Place, None] = field(default_factory=dict)
    #: What they printed is known, and is to be compared anew.
    judge: dict[Place, None] = field(default_factory=dict)
    #: To be recorded.
    record: dict[Place, None] = field(default_factory=dict)

    def renew(self, page: str, found: Due, news: Container[int] = ()) -> None:
        """What is due on a page from now on: of what waits, what is still so, and the ``news``."""
        for line, numbers in ((self.due, found.run), (self.judge, found.judge)):
            before = [place for place in line if place[0] == page]
            for place in before:
                del line[place]
            places = ((page, number) for number in numbers)
            line.update(dict.fromkeys(p for p in places if p[1] in news or p in before))

    def next(self, ready: Callable[[Place], bool]) -> tuple[Kind, tuple[Place, ...]] | None:
        """What is to be done next, taken off; only ``ready`` places can."""
        for kind, lines in (
            ("judge", (self.judge,)),
            ("check", (self.due, self.asked)),
            ("record", (self.record,)),
        ):
            places = dict.fromkeys(place for line in lines for place in line if ready(place))
            for line in lines:
                for place in places:
                    line.pop(place, None)
            if places:
                return kind, tuple(places)  # type: ignore[return-value]
        return None

    def any(self, ready: Callable[[Place], bool]) -> bool:
        """Whether anything can be done."""
        lines = (self.due, self.asked, self.judge, self.record)
        return any(ready(place) for line in lines for place in line)

    def queued(self) -> frozenset[str]:
        """Ids of the fences that are to run."""
        lines = (self.due, self.asked, self.record)
        return frozenset(f"{page}::{number}" for line in lines for page, number in line)

    def clear(self) -> None:
        """Nothing waits any more."""
        for line in (self.due, self.asked, self.judge, self.record):
            line.clear()
