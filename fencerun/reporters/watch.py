"""The terminal of `fencerun watch`: what a save changed, as soon as a fence has its verdict.

Plain escape codes, since a line is to be there within a millisecond. Knows no keyboard: what keys
there are is told by its caller. Called from several threads.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TextIO

from fencerun.events import (
    EngineReady,
    FenceDone,
    FenceStarted,
    LiveEvent,
    PageRead,
    Problem,
    RunDone,
    RunStarted,
    Trouble,
    Verdict,
    VerdictKind,
)
from fencerun.plural import count
from fencerun.reporters import links
from fencerun.reporters.details import INDENT, report
from fencerun.reporters.escape import block, cut, encodable, one_line
from fencerun.reporters.wording import (
    ORDER,
    Line,
    Role,
    Span,
    duration,
    head,
    kind_words,
    location,
    needs_attention,
    problem_also,
    problem_head,
    severity,
    text,
)
from fencerun.reporters.wrap import wrap

#: The terminal's own eight colours, so that light and dark themes both work.
_CODES: dict[Role, str] = {
    "location": "1",
    "error": "1;31",
    "outdated": "1;35",
    "warning": "1;33",
    "note": "2",
    "ok": "32",
    "label": "2",
    "margin": "2",
    "caret": "31",
    "same": "2",
    "removed": "31",
    "added": "32",
    "remedy": "1",
    "command": "1",
    "faint": "2",
}

#: Lines of output that are shown of a fence that is as it should be.
_SHOWN = 24

#: A fence is named while it runs once it takes longer, in seconds.
_LONG = 0.5


class WatchReporter:
    """Writes what happens; on a terminal, a line at the bottom says how things stand."""

    def __init__(
        self,
        stream: TextIO,
        *,
        color: bool = False,
        bottom: bool = False,
        width: Callable[[], int] = lambda: 80,
        verbose: int = 0,
        keys: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream, self._width, self._clock = stream, width, clock
        self._encoding: str | None = getattr(stream, "encoding", None)
        self._color, self._has_bottom, self._verbose = color, bottom, verbose
        self._keys = keys
        self._linked = color and links.wanted(os.environ, stream.isatty())
        self._lock = threading.RLock()
        self._bottom: Line = ()
        self._drawn = ""
        #: Fences whose output is news, and pages whose problems were told.
        self._fresh: set[str] = set()
        self._faulty: dict[str, tuple[Problem, ...]] = {}
        self._flight: tuple[str, float] | None = None
        self._kinds: Counter[VerdictKind] = Counter()
        self._slow: set[str] = set()

    def handle(self, event: LiveEvent) -> None:
        """Write what the event tells."""
        with self._lock:
            lines = tuple(self._lines(event))
            if lines:
                self._write(lines)

    def _lines(self, event: LiveEvent) -> Iterator[Line]:
        if isinstance(event, PageRead):
            yield from self._page_read(event)
        elif isinstance(event, RunStarted):
            self._kinds.clear()
        elif isinstance(event, FenceStarted):
            self._flight = event.id, self._clock()
        elif isinstance(event, FenceDone):
            self._flight = None
            self._kinds[event.verdict.kind] += 1
            yield from self._fence_done(event.verdict)
        elif isinstance(event, RunDone):
            self._flight = None
            yield from self._run_done(event)
        elif isinstance(event, EngineReady):
            ready = f"{one_line(event.about)}, ready in {duration(event.seconds)}"
            yield (Span("faint", ready),)
        elif isinstance(event, Trouble):
            yield from _trouble(event)

    def _page_read(self, event: PageRead) -> Iterator[Line]:
        name = one_line(event.page)
        before = self._faulty.pop(event.page, ())
        if event.gone:
            yield (Span("location", name), Span("note", " is gone"))
            return
        if event.problems:
            self._faulty[event.page] = event.problems
        if event.problems != before:
            for problem in event.problems:
                yield problem_head(problem)
                yield from problem_also(problem)
        if _errors(before) and not _errors(event.problems):
            yield (Span("location", name), Span("ok", " reads well again"))
        self._fresh.update(event.due, event.held)
        if event.due:
            yield (Span("faint", f"{_now()} "), Span("location", name),
                   Span("faint", f": {_fences(event.due)}"))  # fmt: skip
        new = [one for one in event.held if one not in self._slow]
        self._slow.difference_update(event.due)
        self._slow.update(event.held)
        if new:
            how = "Enter runs what is stale" if self._keys else f"fencerun check {name}"
            yield (Span("location", name), Span("warning", f": {_fences(new)} held back"),
                   Span("faint", ", for the time that takes or since it runs itself again; "),
                   Span("command", how))  # fmt: skip

    def _fence_done(self, verdict: Verdict) -> Iterator[Line]:
        news = verdict.id in self._fresh
        self._fresh.discard(verdict.id)
        self._slow.discard(verdict.id)
        if needs_attention(verdict):
            if self._keys and verdict.kind in ("changed", "unrecorded"):
                verdict = replace(verdict, remedy="")  # it is a key
            if verdict.kind == "unrecorded" and verdict.printed:
                yield (*head(verdict), *_took(verdict))
                yield from _output(verdict, self._verbose)
                return
            first, *rest = report(verdict, self._verbose)
            yield (*first, *_took(verdict))
            yield from rest
            return
        if news or self._verbose or verdict.kind == "recorded":
            words = "" if verdict.kind == "passed" else f", {one_line(verdict.what)}"
            yield (Span("location", f"{location(verdict.page, verdict.line)}:"), Span("text", " "),
                   Span(severity(verdict.kind), verdict.kind),
                   Span("text", f": fence {verdict.fence}{words}"), *_took(verdict))  # fmt: skip
        if news and verdict.kind != "recorded":
            yield from _output(verdict, self._verbose)
        yield from report(verdict, self._verbose)[1 if self._verbose else 0 :]

    def _run_done(self, event: RunDone) -> Iterator[Line]:
        spans: list[Span] = []
        for kind in ORDER:
            if self._kinds[kind]:
                words = f"{self._kinds[kind]:,} {kind_words(kind)}"
                spans += (Span("text", ", "), Span(severity(kind), words))
        if event.interrupted:
            spans += (Span("text", ", "), Span("warning", "ended early"))
        spans = spans[1:] or [Span("note", "nothing ran")]
        spans.append(Span("faint", f" in {duration(event.seconds)}"))
        differ = sum(self._kinds[kind] for kind in ("changed", "rounding", "unrecorded"))
        if differ and self._keys:
            spans.append(Span("command", f"  r records {'it' if differ == 1 else 'them'}"))
        yield tuple(spans)

    def say(self, *lines: Line) -> None:
        """Write lines of the caller's."""
        with self._lock:
            self._write(lines)

    def bottom(self, line: Line) -> None:
        """What the last line is to say, before what runs for long."""
        with self._lock:
            self._bottom = line
            if self._has_bottom:
                self._draw()

    def clear(self) -> None:
        """Start at the top of an empty screen."""
        with self._lock:
            if self._has_bottom:
                self._stream.write("\x1b[2J\x1b[H")
                self._drawn = ""
                self._draw()

    def close(self) -> None:
        """Take the last line away."""
        with self._lock:
            if self._has_bottom:
                self._stream.write("\r\x1b[2K" if self._drawn else "")
                self._stream.flush()
            self._has_bottom, self._drawn = False, ""

    def _write(self, lines: Iterable[Line]) -> None:
        width = self._width()
        rows = (row for line in lines for row in wrap(line, width))
        shown = "".join(f"{self._styled(row)}\n" for row in rows)
        if self._has_bottom:
            shown = f"\r\x1b[2K{shown}" if self._drawn else shown
            self._drawn = ""
        self._stream.write(shown)
        self._draw()
        self._stream.flush()

    def _draw(self) -> None:
        """The last line: drawn anew where it differs."""
        if not self._has_bottom:
            return
        line = self._bottom
        if self._flight is not None and self._clock() - self._flight[1] > _LONG:
            name, since = self._flight
            took = duration(self._clock() - since)
            line = (Span("warning", f"{one_line(name)} {took}"), Span("faint", " · "), *line)
        shown = self._styled(_fitting(line, self._width() - 1))
        if shown != self._drawn:
            self._stream.write(f"\r\x1b[2K{shown}")
            self._stream.flush()
            self._drawn = shown

    def _styled(self, line: Line) -> str:
        if not self._color:
            return encodable(text(line).rstrip(), self._encoding)
        parts = []
        for span in line:
            code = _CODES.get(span.role)
            words = encodable(span.text, self._encoding)
            if self._linked and span.role == "location":
                words = _linked(words)
            parts.append(f"\x1b[{code}m{words}\x1b[0m" if code and words else words)
        return "".join(parts)


def _errors(problems: Iterable[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def _now() -> str:
    return time.strftime("%H:%M:%S")


def _fences(ids: Iterable[str]) -> str:
    """``fence 3``, ``fences 3, 4 and 12 more``."""
    numbers = [name.rpartition("::")[2] for name in ids]
    if len(numbers) == 1:
        return f"fence {numbers[0]}"
    if len(numbers) > 8:
        return f"fences {', '.join(numbers[:6])} and {len(numbers) - 6} more"
    return f"fences {', '.join(numbers[:-1])} and {numbers[-1]}"


def _took(verdict: Verdict) -> Line:
    return () if verdict.seconds is None else (Span("faint", f" ({duration(verdict.seconds)})"),)


def _output(verdict: Verdict, verbose: int) -> Iterator[Line]:
    """What a fence printed, without the middle where that is long."""
    lines = block("\n".join(verdict.printed or ()))
    limit = _SHOWN if not verbose else len(lines)
    if len(lines) > limit:
        half = limit // 2
        left = count(len(lines) - 2 * half, "more line")
        lines = [*lines[:half], f"… {left} (-v shows them)", *lines[-half:]]
    for line in lines:
        yield (Span("margin", f"{INDENT}| "), Span("quoted", cut(line)))


def _linked(words: str) -> str:
    """``path:line:`` as a link, where that file is there."""
    path, _, line = words.rstrip(":").rpartition(":")
    if not line.isdecimal() or not os.path.isfile(path):
        return words
    # VS Code takes a host for a share on the network.
    host = "" if os.environ.get("TERM_PROGRAM") == "vscode" else platform.node()
    target = links.url(os.path.abspath(path), int(line), host)
    return f"\x1b]8;;{target}\x1b\\{words}\x1b]8;;\x1b\\"


def _trouble(event: Trouble) -> Iterator[Line]:
    if not event.what:
        yield (Span("ok", "back to work"),)
        return
    advice = event.remedy[:1].upper() + event.remedy[1:]
    yield (Span("error", "error"), Span("text", f": {one_line(event.what)}. "),
           Span("remedy", one_line(advice)))  # fmt: skip


def _fitting(line: Line, width: int) -> Line:
    """As much of a line as fits: a row that folds could not be taken back."""
    from rich.cells import cell_len, set_cell_size

    spans: list[Span] = []
    for span in line:
        if cell_len(span.text) > width:
            spans.append(Span(span.role, set_cell_size(span.text, max(0, width))))
            break
        spans.append(span)
        width -= cell_len(span.text)
    return tuple(spans)
