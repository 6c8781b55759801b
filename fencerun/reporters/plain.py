"""Plain text: for logs, pipes and editors. No escape codes, no rich.

Quiet when all is well: one line at the beginning, one at the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from fencerun.events import Event, FenceStarted, PageDone, RunDone, RunStarted
from fencerun.reporters.details import report
from fencerun.reporters.escape import encodable
from fencerun.reporters.summary import closing, opening
from fencerun.reporters.tally import Tally
from fencerun.reporters.wording import Line, called, problem_also, problem_head, text

#: Columns of what is no terminal, as `diff --side-by-side` has them.
WIDTH = 130


class PlainReporter:
    """Writes a message a line, details indented beneath."""

    def __init__(
        self, stream: TextIO, *, verbose: int = 0, width: int | None = None, beside: bool = False
    ) -> None:
        self._stream = stream
        self._encoding: str | None = getattr(stream, "encoding", None)
        self._verbose = verbose
        self._columns = _fitting(width or WIDTH) if beside else None
        self._tally = Tally()

    def handle(self, event: Event) -> None:
        """Write what the event tells, if it is worth a line."""
        if isinstance(event, FenceStarted):
            return
        news = self._tally.add(event)
        for problem in news.problems:
            self._write((problem_head(problem), *problem_also(problem)))
        for verdict in news.verdicts:
            if lines := report(verdict, self._verbose, self._columns):
                self._write(lines)
        if isinstance(event, RunStarted):
            self._write((opening(event),))
        elif isinstance(event, PageDone) and event.written and self._verbose:
            self._stream.write(encodable(f"{called(event.page)}: written\n", self._encoding))
        elif isinstance(event, RunDone):
            self._write(closing(self._tally))

    def _write(self, lines: Iterable[Line]) -> None:
        shown = "".join(f"{text(line).rstrip()}\n" for line in lines)
        if shown:
            self._stream.write(encodable(shown, self._encoding))
            self._stream.flush()

    def close(self) -> None:
        """Close a run that broke off with what is known of it."""
        if self._tally.started is not None and self._tally.done is None:
            self._write(closing(self._tally))
        self._tally = Tally()


def _fitting(width: int) -> int | None:
    from fencerun.reporters.sidebyside import fitting  # few runs show it

    return fitting(width)
