"""Lessons as the live core knows them, for the server: what changed, told to the browsers.

Events of the live core only say where to look. Then every fence of those pages is compared with
what was last told of it, and what differs goes out: no event can be missed, and none be told
twice. A page's text is not sent: browsers that show it fetch it.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from fencerun.events import (
    EngineReady,
    FenceDone,
    FenceStarted,
    LiveEvent,
    PageDone,
    PageRead,
    PageStarted,
    ProblemFound,
    RunDone,
    RunStarted,
    Trouble,
)
from fencerun.frozen import dataclass
from fencerun.live import Live, PageView
from fencerun.rendering import render
from fencerun.serve import faces, pictures, search, titles
from fencerun.serve.hub import Hub
from fencerun.serve.state import Hit, Lesson, Line, Order
from fencerun.serve.tokens import Tokens


@dataclass(slots=True)
class _Told:
    """What browsers know of a page."""

    line: Line
    version: str
    faces: dict[int, tuple[Any, ...]]


class Desk:
    """The `State` of a server over ``live``, whose events come in through ``events``.

    Pages are called relative to ``base``. None among the events is the last.
    """

    def __init__(
        self,
        live: Live,
        events: queue.SimpleQueue[LiveEvent | None],
        base: Path,
        tokens: Tokens,
        hub: Hub,
    ) -> None:
        self.live = live
        self.base = base
        self.tokens = tokens
        self.hub = hub
        self._events = events
        self._told: dict[str, _Told] = {}
        self._run: dict[str, Any] = {"running": False}
        self._trouble: dict[str, str] = {}
        self._about = ""
        self._titles = titles.Titles()
        self._opened = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="fencerun-serve", daemon=True)

    # What the live core tells.

    def open(self) -> None:
        """Begin to tell browsers what changes from now on."""
        for view in self.live.pages():
            self._told[view.path] = self._as_told(view)
        self._thread.start()
        self._opened.set()

    def close(self) -> None:
        """Tell no more. Safe to call twice, and where it was never opened."""
        self._opened.set()
        self._events.put(None)
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _listen(self) -> None:
        while True:
            batch = [self._events.get()]
            while not self._events.empty():
                batch.append(self._events.get())
            self.tell([event for event in batch if event is not None])
            if None in batch:
                return

    def tell(self, events: Sequence[LiveEvent]) -> None:
        """Send what ``events`` changed to browsers."""
        paths: dict[str, None] = {}
        everywhere = False
        for event in events:
            if isinstance(event, (FenceStarted, PageStarted, PageDone, PageRead)):
                paths[event.page] = None
            elif isinstance(event, FenceDone):
                paths[event.verdict.page] = None
            elif isinstance(event, ProblemFound):
                paths[event.problem.page] = None
            else:
                everywhere = True  # what waits for its turn may be on any page
        if everywhere:
            views = {view.path: view for view in self.live.pages()}
            paths.update(dict.fromkeys((*views, *self._told)))
        for path in paths:
            self._compare(path, views.get(path) if everywhere else self.live.page(path))
        for event in events:
            self._note(event)
        self._progress(sum(isinstance(event, FenceDone) for event in events))

    def _compare(self, path: str, view: PageView | None) -> None:
        name, before = self.name(path), self._told.get(path)
        if view is None:
            if before is not None:
                del self._told[path]
                self.hub.publish("gone", {"path": name})
            return
        now = self._told[path] = self._as_told(view)
        if before is None:
            self.hub.publish("line", {**now.line.data(), "next": self._next(path)})
            before = _Told(now.line, "", {})
        for fence in view.fences:
            if before.faces.get(fence.number) != now.faces[fence.number]:
                self.hub.publish("fence", faces.message(fence, view.page), name)
        if before.version != now.version:
            soon = any(fence.queued or fence.running_since is not None for fence in view.fences)
            page = {"path": name, "version": now.version, "runs": soon}
            self.hub.publish("page", page, name)
        if before.line != now.line:
            self.hub.publish("line", now.line.data())

    def _as_told(self, view: PageView) -> _Told:
        looks = {fence.number: faces.signature(fence) for fence in view.fences}
        return _Told(self._line(view), _version(view), looks)

    def _next(self, path: str) -> str | None:
        """The lesson after that one."""
        paths = [view.path for view in self.live.pages()]
        after = paths[paths.index(path) + 1 :] if path in paths else []
        return self.name(after[0]) if after else None

    def _note(self, event: LiveEvent) -> None:
        if isinstance(event, RunStarted):
            self._run = {"running": True, "verb": event.verb, "fences": event.fences}
            self._run["done"] = 0
            self.hub.publish("run", self._run)
        elif isinstance(event, RunDone):
            counts: dict[str, int] = {}
            for verdict in event.verdicts:
                counts[verdict.kind] = counts.get(verdict.kind, 0) + 1
            self._run = {
                "running": False,
                "counts": counts,
                "seconds": event.seconds,
                "interrupted": event.interrupted,
                "notes": list(event.notes),
            }
            self.hub.publish("run", self._run)
        elif isinstance(event, EngineReady):
            self._about = event.about
            self.hub.publish("about", {"about": event.about})
        elif isinstance(event, Trouble):
            self._trouble = {"what": event.what, "remedy": event.remedy} if event.what else {}
            self.hub.publish("trouble", self._trouble)

    def _progress(self, done: int) -> None:
        if done and self._run["running"]:
            self._run = {**self._run, "done": self._run["done"] + done}
            self.hub.publish("run", self._run)

    # What the server asks.

    def name(self, path: str) -> str:
        """What browsers call the page that the live core calls ``path``."""
        return os.path.relpath(os.path.abspath(path), self.base).replace(os.sep, "/")

    @property
    def opened(self) -> bool:
        """Whether the pages are read."""
        return self._opened.is_set()

    def _views(self) -> Sequence[PageView]:
        """The pages; waits until they are read."""
        self._opened.wait()
        return self.live.pages() if self._thread.is_alive() else ()

    def _view(self, name: str) -> PageView | None:
        for view in self._views():
            if self.name(view.path) == name:
                return view
        return None

    def lines(self) -> Sequence[Line]:
        """The lessons, in the order in which they run."""
        return [self._line(view) for view in self._views()]

    def _line(self, view: PageView) -> Line:
        title = self._titles.of(view.page)
        return faces.line(view, self.name(view.path), title)

    def status(self) -> dict[str, Any]:
        """The run, the engine and what is wrong with the project."""
        return {"run": self._run, "about": self._about, "trouble": self._trouble}

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
            hidden=True,
        )
        line = self._line(view)
        return Lesson(
            line, rendered.body, rendered.headings, view.problems, _version(view), at, view.path
        )

    def directories(self) -> Sequence[Path]:
        """Those of the pages."""
        return [Path(os.path.abspath(view.path)).parent for view in self._views()]

    def search(self, words: str) -> Sequence[Hit]:
        """Lines of pages."""
        return search.search(words, self._texts())

    def _texts(self) -> Iterable[tuple[str, str, str]]:
        for view in self._views():
            yield self.name(view.path), self._titles.of(view.page), view.page.text

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


def _version(view: PageView) -> str:
    page = view.page
    facts = page.text, page.syntax, view.problems, pictures.stamps(page)
    return f"{hash(facts) & 0xFFFFFFFFFFFFFFFF:x}"
