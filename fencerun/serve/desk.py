"""The `State` of a server over the live core: what is asked of it, and what it is told to do."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from fencerun.events import LiveEvent
from fencerun.live import Live, PageView
from fencerun.rendering import render
from fencerun.serve import faces, pictures, search
from fencerun.serve.hub import Hub
from fencerun.serve.roster import Roster, version
from fencerun.serve.state import Hit, Lesson, Line, Order
from fencerun.serve.teller import Teller
from fencerun.serve.tokens import Tokens


class Desk:
    """Lessons of ``live``, whose events come in through ``events``; None is the last of them.

    Pages are called relative to ``base``.
    """

    def __init__(
        self,
        live: Live,
        events: queue.SimpleQueue[LiveEvent | None],
        base: Path,
        tokens: Tokens,
        hub: Hub,
    ) -> None:
        self.live, self.base, self.tokens, self.hub = live, base, tokens, hub
        self.roster = Roster(base)
        self.teller = Teller(live, events, self.roster, hub)
        self._opened = threading.Event()

    def open(self) -> None:
        """The pages are read: answer, and begin to tell browsers what changes."""
        self.teller.open()
        self._opened.set()

    def close(self) -> None:
        """Tell no more. Safe to call twice, and where it was never opened."""
        self._opened.set()
        self.teller.close()

    @property
    def opened(self) -> bool:
        """Whether the pages are read."""
        return self._opened.is_set()

    def _views(self) -> Sequence[PageView]:
        """The pages; waits until they are read."""
        self._opened.wait()
        return self.live.pages() if self.teller.listening else ()

    def _view(self, name: str) -> PageView | None:
        for view in self._views():
            if self.roster.name(view.path) == name:
                return view
        return None

    def lines(self) -> Sequence[Line]:
        """The lessons, in the order in which they run."""
        return [self.roster.line(view) for view in self._views()]

    def status(self) -> dict[str, Any]:
        """The run, the engine and what is wrong with the project."""
        return self.teller.goings.status()

    def lesson(self, path: str) -> Lesson | None:
        """A page as HTML, with what is known of its fences."""
        at = self.hub.number
        view = self._view(path)
        if view is None:
            return None
        fences = {fence.number: fence for fence in view.fences}
        rendered = render(
            view.page,
            decorate=lambda fence: faces.decorated(fences.get(fence.number), fence),
            image=pictures.versioned(view.path),
            size=pictures.sized(view.path),
            hidden=True,
        )
        line = self.roster.line(view)
        return Lesson(
            line, rendered.body, rendered.headings, view.problems, version(view), at, view.path
        )

    def directories(self) -> Sequence[Path]:
        """Those of the pages."""
        return [Path(os.path.abspath(view.path)).parent for view in self._views()]

    def search(self, words: str) -> Sequence[Hit]:
        """Lines of pages."""
        return search.search(words, self._texts())

    def _texts(self) -> Iterable[tuple[str, str, str]]:
        for view in self._views():
            yield self.roster.name(view.path), self.roster.title(view), view.page.text

    def act(self, order: Order) -> str:
        """Hand it to the live core, which runs one thing after another."""
        if order.verb == "stop":
            self.live.stop()
            return ""
        if not order.page:
            run = self.live.run_stale if order.verb == "stale" else self.live.run
            return "" if run() else "there is nothing to run"
        view = self._view(order.page)
        if view is None:
            return f"{order.page}: no such lesson"
        if view.broken:
            return f"{order.page}: the page has a problem that keeps it from running"
        known = {fence.number for fence in view.fences}
        absent = [number for number in order.fences if number not in known]
        if absent:
            return f"{order.page}: there is no fence {absent[0]}"
        ids = [f"{view.path}::{number}" for number in order.fences] or [view.path]
        if order.verb == "stale":
            ids = [fence.id for fence in view.fences if fence.stale]
            if not ids:
                return "nothing is stale"
        found = self.live.record(ids) if order.verb == "record" else self.live.run(ids)
        return "" if found else f"{order.page}: it has no fence"
