"""Which block is being tried, on one line of a terminal that is wiped before anything else is said.

Elsewhere than on a terminal it says nothing.
"""

from __future__ import annotations

from types import TracebackType
from typing import TextIO

from fencerun.events import Event, FenceStarted

_WIPE = "\r\x1b[K"


class Progress:
    """The line. It takes the events of a session."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream if stream.isatty() else None
        self._shown = False

    def told(self, event: Event) -> None:
        """Show the block that begins to run."""
        if self._stream is not None and isinstance(event, FenceStarted):
            self._stream.write(f"{_WIPE}trying {event.page}:{event.line}")
            self._stream.flush()
            self._shown = True

    def clear(self) -> None:
        """Wipe the line, if there is one."""
        if self._stream is not None and self._shown:
            self._stream.write(_WIPE)
            self._stream.flush()
            self._shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()
