"""The terminal of `fencerun watch`: what a save changed, as soon as a fence has its verdict.

Plain escape codes, since a line is to be there within a millisecond. Knows no keyboard: what keys
there are is told by its caller. Called from several threads.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import TextIO

from fencerun.events import FenceDone, FenceStarted, LiveEvent, RunDone
from fencerun.reporters import links
from fencerun.reporters.escape import encodable, one_line
from fencerun.reporters.saves import Saves
from fencerun.reporters.sidebyside import fitting
from fencerun.reporters.wording import Line, Role, Span, duration, text
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
        beside: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream, self._width, self._clock = stream, width, clock
        self._encoding: str | None = getattr(stream, "encoding", None)
        self._color, self._has_bottom = color, bottom
        self._linked = color and links.wanted(os.environ, stream.isatty())
        columns: Callable[[], int | None] = lambda: fitting(width()) if beside else None  # noqa: E731
        self._saves = Saves(verbose=verbose, keys=keys, columns=columns)
        self._lock = threading.RLock()
        self._bottom: Line = ()
        self._drawn = ""
        self._flight: tuple[str, float] | None = None

    def handle(self, event: LiveEvent) -> None:
        """Write what the event tells."""
        with self._lock:
            if isinstance(event, FenceStarted):
                self._flight = event.id, self._clock()
            elif isinstance(event, (FenceDone, RunDone)):
                self._flight = None
            lines = tuple(self._saves.lines(event))
            if lines:
                self._write(lines)

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
        shown = self._styled(_fit(line, self._width() - 1))
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


def _linked(words: str) -> str:
    """``path:line:`` as a link, where that file is there."""
    link = links.lead(words, os.environ)
    if link is None:
        return words
    end, target = link
    return f"\x1b]8;;{target}\x1b\\{words[:end]}\x1b]8;;\x1b\\{words[end:]}"


def _fit(line: Line, width: int) -> Line:
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
