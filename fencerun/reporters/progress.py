"""How far a run is, and the lines that show it. Pure: the time comes from the caller.

Fences that are not run (kept, skipped, …) do not count as done: they were never to do.
"""

from __future__ import annotations

from dataclasses import field

from fencerun.events import Event, FenceDone, FenceStarted, PageDone, PageStarted, RunStarted
from fencerun.frozen import dataclass
from fencerun.plural import count
from fencerun.reporters.escape import one_line
from fencerun.reporters.wording import Line, Span, duration, severity

#: The fence in flight is named once it takes longer, in seconds.
_LONG = 1.0
_NOT_RUN = frozenset({"kept", "stale", "edited", "missing", "expired", "skipped", "orphan"})


@dataclass(slots=True)
class _Page:
    """A page in progress. ``flight`` is the fence that runs, and when it began."""

    total: int
    began: float
    finished: set[int] = field(default_factory=set)
    flight: tuple[int, float] | None = None


class Progress:
    """The pages in progress, and totals over the run."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._pages: dict[str, _Page] = {}
        self._expected = RunStarted("", "", 0, 0)
        self._began = 0.0
        self._pages_done = 0
        self._finished: set[tuple[str, int]] = set()
        self._failed = 0

    def add(self, event: Event, now: float) -> None:
        """Take an event in, that happened at ``now`` (seconds on any clock)."""
        if isinstance(event, RunStarted):
            self._clear()
            self._expected, self._began = event, now
        elif isinstance(event, PageStarted):
            self._pages[event.page] = _Page(event.fences, now)
        elif isinstance(event, FenceStarted) and event.page in self._pages:
            self._begin(event, self._pages[event.page], now)
        elif isinstance(event, FenceDone):
            self._finished.add((event.verdict.page, event.verdict.fence))
            self._failed += severity(event.verdict.kind) == "error"
            page = self._pages.get(event.verdict.page)
            if page is not None:
                if page.flight and page.flight[0] == event.verdict.fence:
                    page.flight = None
                if event.verdict.kind not in _NOT_RUN:
                    page.finished.add(event.verdict.fence)
        elif isinstance(event, PageDone):
            self._pages_done += 1
            self._pages.pop(event.page, None)

    def _begin(self, event: FenceStarted, page: _Page, now: float) -> None:
        # A page runs its fences one after another, so the one before has ended; its verdict may
        # come much later, since `record` has it only once the page is written.
        if page.flight is not None:
            page.finished.add(page.flight[0])
            self._finished.add((event.page, page.flight[0]))
        page.flight = (event.fence, now)

    def lines(self, now: float, width: int, height: int) -> list[Line]:
        """At most ``height`` lines that aim at ``width`` columns: pages, and a total if several."""
        # The drawing thread reads while the session's thread adds.
        pages = list(self._pages.items())
        total = [self._total(now)] if self._expected.pages > 1 else []
        room = max(1, height - len(total))
        if len(pages) > room:
            rest = len(pages) - room + 1
            pages = pages[: room - 1]
            total.insert(0, (Span("faint", f"and {count(rest, 'more page')}"),))
        name = _name_width([name for name, _ in pages], width)
        return [*(_row(*page, name, now, width) for page in pages), *total]

    def _total(self, now: float) -> Line:
        pages = f"{self._pages_done:,}/{self._expected.pages:,} pages"
        fences = f"{len(self._finished):,}/{self._expected.fences:,} fences"
        line: Line = (Span("faint", f"{pages}, {fences}, {duration(now - self._began)}"),)
        if self._failed:
            line += (Span("faint", ", "), Span(severity("failed"), f"{self._failed:,} failed"))
        return line


def _name_width(names: list[str], width: int) -> int:
    return min(max((len(one_line(name)) for name in names), default=0), max(12, width * 2 // 5))


def _short(name: str, limit: int) -> str:
    """The name without its middle: pages differ at their beginnings and ends."""
    if len(name) <= limit:
        return name
    tail = (limit - 1) // 2
    return f"{name[: limit - 1 - tail]}…{name[len(name) - tail :]}"


def _row(name: str, page: _Page, names: int, now: float, width: int) -> Line:
    """``lessons/07.md ━━━━────── 12/40 4.1 s · fence 13, 2.3 s``."""
    shown = _short(one_line(name), names)
    done = min(len(page.finished), page.total)
    cells = 20 if width >= 100 else 12
    full = cells * done // page.total if page.total else cells
    row: Line = (
        Span("text", f"{shown:<{names}} "),
        Span("ok", "━" * full),
        Span("faint", "─" * (cells - full)),
        Span("text", f" {done:>{len(str(page.total))}}/{page.total}"),
        Span("faint", f" {duration(now - page.began)}"),
    )
    flight = page.flight
    if flight is not None and now - flight[1] > _LONG:
        row += (Span("warning", f" · fence {flight[0]}, {duration(now - flight[1])}"),)
    return row
