"""One lane to a node: an engine whose worker is far away. The calling machine's side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from fencerun.capabilities import Requirement
from fencerun.distributed.luggage import Luggage
from fencerun.distributed.station import Answers
from fencerun.engines.base import Chain, Closing, EngineError, EngineEvent, Started
from fencerun.lanes import Lost
from fencerun.plural import count

if TYPE_CHECKING:
    from fencerun.distributed.cluster import Link

T = TypeVar("T")

#: How long a station may take to end what runs, in seconds.
_PATIENCE = 3.0

#: How long to wait after a node was lost, in seconds.
_PAUSE = 1.0


class Cut(Exception):
    """The node, or the station's process on it, is gone; the message says how."""


class RemoteLane(Closing):
    """Runs chains at a station, which is opened when it is first needed.

    ``make`` gives a link to a new one; it may wait until a node has room, as long as what it is
    given says that nobody has given up. Links raise Cut.
    """

    isolates = True

    def __init__(self, make: Callable[[Callable[[], bool]], Link]) -> None:
        self._make = make
        self._link: Link | None = None
        self._page = ""
        self._halted = False
        self._since = 0.0
        self.answers = Answers({}, "cpu", {})

    def begin(self, page: str, luggage: Luggage) -> None:
        """Get a station ready for a page. Raises Lost when it goes away meanwhile."""
        self._page = page
        if self._link is None:
            self._link = self._asked(lambda: self._make(lambda: self._halted))
        self.answers = self._asked(lambda: self._there().open(luggage))

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        """As an engine does. Raises Lost."""
        wanted = [chain for chain in chains if chain.jobs]
        if not wanted:
            return
        left = {job.key for chain in wanted for job in chain.jobs}
        events = self._asked(lambda: self._there().run(wanted))
        while (event := self._asked(lambda: next(events, None))) is not None:
            if not isinstance(event, Started):
                left.discard(event.key)
            yield event
        if left:
            self._asked(lambda: _incomplete(len(left)))

    def _there(self) -> Link:
        if self._link is None:
            raise Cut("no station is open")
        return self._link

    def _asked(self, question: Callable[[], T]) -> T:
        if self._halted:
            raise EngineError("the run was halted")
        try:
            return question()
        except Cut as error:
            where = self._link.node if self._link else "a node"
            self._link = None
            # The cluster takes a moment to notice, and would send the page there again.
            time.sleep(_PAUSE)
            what = f"{self._page} ran again on another node: {where} was lost ({error})"
            raise Lost(what) from None

    def fresh(self) -> None:
        """The next chain starts in a pristine process."""
        self._asked(lambda: self._there().fresh())

    def halt(self) -> None:
        """End what runs. Called by another thread."""
        link, first = self._link, not self._halted
        if first:
            self._halted, self._since = True, time.monotonic()
        if link is not None and first:
            link.halt()
        elif link is not None and time.monotonic() - self._since > _PATIENCE:
            link.cut()

    def describe(self) -> str:
        """Where it leads."""
        return self._link.node if self._link else "no node yet"

    def close(self) -> None:
        """Give the station up. Safe to call twice."""
        link, self._link = self._link, None
        if link is not None:
            link.close()


def _incomplete(jobs: int) -> None:
    raise Cut(f"it ended without a word on {count(jobs, 'fence')}")


class RemoteProber:
    """Answers for the node that a lane leads to, as it gave them for the page at hand."""

    def __init__(self, lane: RemoteLane) -> None:
        self._lane = lane

    def unmet(self, requirement: Requirement) -> str | None:
        """Why ``requirement`` does not hold there."""
        return self._lane.answers.unmet.get(requirement.text, "it was not asked for on the node")

    def device(self) -> str:
        """What fences there run on that ask for an accelerator."""
        return self._lane.answers.device

    def versions(self) -> Mapping[str, str]:
        """``python`` and ``torch`` there."""
        return self._lane.answers.versions
