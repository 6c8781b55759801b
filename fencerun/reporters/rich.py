"""The terminal, through rich: a live line a page, failures above it, a closing summary.

Colours are the terminal's own eight, never black or white, so that light and dark themes both
work. Text from fences becomes rich Text, never markup.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.style import Style
from rich.text import Text

from fencerun.events import Event, PageDone, RunDone, RunStarted
from fencerun.reporters import links
from fencerun.reporters.details import report
from fencerun.reporters.escape import encodable
from fencerun.reporters.progress import Progress
from fencerun.reporters.sidebyside import fitting
from fencerun.reporters.summary import closing, opening
from fencerun.reporters.tally import Tally
from fencerun.reporters.wording import Line, Role, Span, called, problem_also, problem_head
from fencerun.reporters.wrap import wrap

STYLES: dict[Role, str] = {
    "text": "",
    "location": "bold",
    "error": "bold red",
    "outdated": "bold magenta",
    "warning": "bold yellow",
    "note": "dim",
    "ok": "green",
    "label": "dim",
    "margin": "dim",
    "source": "",
    "caret": "red",
    "quoted": "",
    "same": "dim",
    "removed": "red",
    "added": "green",
    "remedy": "bold",
    "command": "bold",
    "faint": "dim",
}

#: How often the live display is drawn anew, a second.
_FRAMES = 8
#: A run shorter than this never shows it, so that quick runs don't flicker; in seconds.
_PATIENCE = 0.3


class RichReporter:
    """Draws the run on a terminal; on anything else it prints what stays, without the display."""

    def __init__(
        self,
        stream: TextIO,
        *,
        color: bool | None = None,
        width: int | None = None,
        verbose: int = 0,
        live: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
        beside: bool = False,
    ) -> None:
        self._console = _console(stream, color, width)
        self._animated = _animates(self._console, stream) if live is None else live
        self._verbose = verbose
        self._beside = beside
        self._linked = links.wanted(os.environ, stream.isatty())
        self._clock = clock
        self._tally = Tally()
        self._progress = Progress()
        self._live: Live | None = None
        self._began = clock()
        self._gap = False
        self._is_ahead = False

    def ahead(self, event: Event) -> None:
        """Move the live display on; what stays on the screen is left to ``handle``."""
        self._is_ahead = True
        self._progress.add(event, self._clock())

    def handle(self, event: Event) -> None:
        """Show what the event tells, above the live display."""
        news = self._tally.add(event)
        if isinstance(event, RunStarted):
            self._is_ahead = False
        if not self._is_ahead:
            self._progress.add(event, self._clock())
        if isinstance(event, RunStarted):
            self.show((opening(event),))
            self._start()
        for problem in news.problems:
            self.show((problem_head(problem), *problem_also(problem)))
        for verdict in news.verdicts:
            self._print_block(report(verdict, self._verbose, self._room()))
        if isinstance(event, PageDone) and event.written and self._verbose:
            self.show(((Span("note", f"{called(event.page)}: written"),),))
        elif isinstance(event, RunDone):
            self._end()

    def close(self) -> None:
        """Take the live display away; close a run that broke off with what is known of it."""
        if self._tally.started is not None and self._tally.done is None:
            self._end()
        self._stop()
        self._tally = Tally()

    def _end(self) -> None:
        self._stop()
        if self._gap:
            self._console.print()
            self._gap = False
        self.show(closing(self._tally))

    def _start(self) -> None:
        if not self._animated:
            return
        self._began = self._clock()
        self._live = Live(
            console=self._console,
            get_renderable=self.frame,
            refresh_per_second=_FRAMES,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._live.start()

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def frame(self) -> Text:
        """The live display as it stands now; drawn from a thread of rich's."""
        now = self._clock()
        if now - self._began < _PATIENCE:
            return Text()
        width, height = self._console.size
        lines = self._progress.lines(now, width, min(height - 2, 10))
        rows = [Text(), *map(self._text, lines)] if self._gap else map(self._text, lines)
        return Text("\n", no_wrap=True, overflow="crop").join(rows)

    def _room(self) -> int | None:
        """The columns for a diff side by side; a terminal may be made wider during a run."""
        return fitting(self._console.width) if self._beside else None

    def _print_block(self, lines: tuple[Line, ...]) -> None:
        """A message with its details; a blank line apart from its neighbours when it has any."""
        if not lines:
            return
        tall = len(lines) > 1
        if tall or self._gap:
            self._console.print()
        self.show(lines)
        self._gap = tall

    def show(self, lines: Iterable[Line]) -> None:
        """Print lines, wrapped and styled."""
        for line in lines:
            for row in wrap(line, self._console.width):
                self._console.print(self._text(row), soft_wrap=True)

    def _text(self, line: Line) -> Text:
        shown = Text(no_wrap=True, overflow="crop")
        for span in line:
            start = len(shown)
            shown.append(encodable(span.text, self._console.encoding), STYLES[span.role])
            if self._linked and span.role == "location":
                link = links.lead(span.text, os.environ)
                if link is not None:
                    shown.stylize(Style(link=link[1]), start, start + link[0])
        shown.rstrip()
        return shown


def printer(stream: TextIO) -> Callable[[Line], None]:
    """What prints single lines on a terminal, as the reporter does."""
    reporter = RichReporter(stream, live=False)
    return lambda line: reporter.show((line,))


def _animates(console: Console, stream: TextIO) -> bool:
    """Whether lines can be drawn over: colour may be forced on a pipe, this may not."""
    return stream.isatty() and not console.is_dumb_terminal


def _console(stream: TextIO, color: bool | None, width: int | None) -> Console:
    """A console without markup, emoji codes or guessing at highlights."""
    return Console(
        file=stream,
        color_system="auto" if color is None else "standard" if color else None,
        force_terminal=True if color else None,
        no_color=False if color else None,
        width=width,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=True,
    )
