"""Tells browsers what changed: events of the live core in, messages to the hub out.

Events only say where to look. Every fence of those pages is compared with what was last told of
it, and what differs goes out: no event can be missed, and none be told twice. A page's text is not
sent: browsers that show it fetch it.
"""

from __future__ import annotations

import queue
import threading
import traceback
from collections.abc import Sequence
from typing import Any

from fencerun.events import (
    FenceDone,
    FenceStarted,
    LiveEvent,
    PageDone,
    PageRead,
    PageStarted,
    ProblemFound,
)
from fencerun.frozen import dataclass
from fencerun.live import Live, PageView
from fencerun.serve import faces
from fencerun.serve.goings import Goings
from fencerun.serve.hub import Hub
from fencerun.serve.roster import Roster, version
from fencerun.serve.state import Line


@dataclass(slots=True)
class _Told:
    """What browsers know of a page."""

    line: Line
    version: str
    faces: dict[int, tuple[Any, ...]]


class Teller:
    """Listens to ``events`` of ``live`` on a thread of its own, once it is opened."""

    def __init__(
        self, live: Live, events: queue.SimpleQueue[LiveEvent | None], roster: Roster, hub: Hub
    ) -> None:
        self.goings = Goings()
        self._live, self._events, self._roster, self._hub = live, events, roster, hub
        self._told: dict[str, _Told] = {}
        self._thread = threading.Thread(target=self._listen, name="fencerun-serve", daemon=True)

    def open(self) -> None:
        """Tell what changes from now on."""
        for view in self._live.pages():
            self._told[view.path] = self._as_told(view)
        self._thread.start()

    def close(self) -> None:
        """Tell no more."""
        self._events.put(None)
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    @property
    def listening(self) -> bool:
        """Whether it is open."""
        return self._thread.is_alive()

    def _listen(self) -> None:
        while True:
            batch = [self._events.get()]
            while not self._events.empty():
                batch.append(self._events.get())
            try:
                self.tell([event for event in batch if event is not None])
            except Exception:
                # A fault of ours that one page shows must not silence the others.
                traceback.print_exc()
            if None in batch:
                return

    def tell(self, events: Sequence[LiveEvent]) -> None:
        """Send what ``events`` changed."""
        paths = [_page(event) for event in events]
        if None in paths:  # what waits for its turn may be on any page
            views = {view.path: view for view in self._live.pages()}
            for path in dict.fromkeys((*views, *self._told)):
                self._compare(path, views.get(path))
        else:
            for path in dict.fromkeys(filter(None, paths)):
                self._compare(path, self._live.page(path))
        for kind, data in self.goings.note(events):
            self._hub.publish(kind, data)

    def _compare(self, path: str, view: PageView | None) -> None:
        name, before = self._roster.name(path), self._told.get(path)
        if view is None:
            if before is not None:
                del self._told[path]
                self._hub.publish("gone", {"path": name})
            return
        now = self._told[path] = self._as_told(view)
        if before is None:
            self._hub.publish("line", {**now.line.data(), "next": self._next(path)})
            before = _Told(now.line, "", {})
        for fence in view.fences:
            if before.faces.get(fence.number) != now.faces[fence.number]:
                self._hub.publish("fence", faces.message(fence, view.page), name)
        if before.version != now.version:
            soon = any(fence.queued or fence.running_since is not None for fence in view.fences)
            page = {"path": name, "version": now.version, "runs": soon}
            self._hub.publish("page", page, name)
        if before.line != now.line:
            self._hub.publish("line", now.line.data())

    def _as_told(self, view: PageView) -> _Told:
        looks = {fence.number: faces.signature(fence) for fence in view.fences}
        return _Told(self._roster.line(view), version(view), looks)

    def _next(self, path: str) -> str | None:
        """The lesson after that one."""
        paths = [view.path for view in self._live.pages()]
        after = paths[paths.index(path) + 1 :] if path in paths else []
        return self._roster.name(after[0]) if after else None


def _page(event: LiveEvent) -> str | None:
    """The page that an event is about; None where it may be any."""
    if isinstance(event, (FenceStarted, PageStarted, PageDone, PageRead)):
        return event.page
    if isinstance(event, FenceDone):
        return event.verdict.page
    return event.problem.page if isinstance(event, ProblemFound) else None
