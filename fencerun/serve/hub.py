"""Messages to the browsers that are looking: Server-Sent Events, as the HTML standard has them.

Anyone may publish, from any thread. Each reader has a queue of its own that is bounded: one that
does not read is dropped, and comes back by itself with the id of the last message it saw. What
it missed is sent again while it is kept; else it is told to load everything anew. Knows neither
pages nor fences.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncGenerator
from typing import Any

from fencerun.frozen import dataclass

#: Messages that are kept for readers that come back, and those that may wait for one reader.
KEPT, SLACK = 512, 512

#: Seconds without a message after which a reader hears that all is well.
BEAT = 15.0

#: Digits that the number of a message has at most.
_DIGITS = 15

#: What a browser waits before it comes back, in milliseconds.
_RETRY = 700


@dataclass(frozen=True, slots=True)
class Frame:
    """A message as it goes over the wire. ``page`` names the only readers it is for."""

    number: int
    data: bytes
    page: str | None


class Reader:
    """One stream, for one browser window. ``queue`` ends with None."""

    def __init__(self, page: str | None, loop: asyncio.AbstractEventLoop) -> None:
        self.page = page
        self.loop = loop
        self.queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.dropped = False

    def put(self, data: bytes | None) -> None:
        """Called in the reader's own loop."""
        if self.dropped:
            return
        if data is None or self.queue.qsize() >= SLACK:
            self.dropped = True
            data = None
        self.queue.put_nowait(data)


class Hub:
    """``boot`` tells this server's messages from those of an earlier one."""

    def __init__(self, boot: str) -> None:
        self.boot = boot
        self._lock = threading.Lock()
        self._number = 0
        self._kept: deque[Frame] = deque(maxlen=KEPT)
        self._readers: set[Reader] = set()
        self._closed = False

    def publish(self, kind: str, data: dict[str, Any], page: str | None = None) -> None:
        """Send ``data`` to every reader, or to those of ``page`` only."""
        with self._lock:
            self._number += 1
            text = _frame(kind, data, f"{self.boot}-{self._number}")
            self._kept.append(Frame(self._number, text, page))
            for reader in self._readers:
                if page is None or reader.page == page:
                    _hand(reader, text)

    async def stream(self, page: str | None, last: str | None) -> AsyncGenerator[bytes, None]:
        """What a reader of ``page`` gets, from the message after ``last`` on."""
        reader = Reader(page, asyncio.get_running_loop())
        try:
            for data in self._joined(reader, last):
                yield data
            while True:
                try:
                    data_or_end = await asyncio.wait_for(reader.queue.get(), BEAT)
                except asyncio.TimeoutError:
                    yield b": beat\n\n"
                    continue
                if data_or_end is None:
                    return
                yield data_or_end
        finally:
            with self._lock:
                self._readers.discard(reader)

    def _joined(self, reader: Reader, last: str | None) -> list[bytes]:
        """Take the reader in, and return what it has to hear first."""
        with self._lock:
            if self._closed:
                reader.put(None)
            self._readers.add(reader)
            first = f"retry: {_RETRY}\n\n".encode()
            missed = self._after(last)
            if missed is None:
                hello = {"boot": self.boot, "fresh": last is None}
                return [first, _frame("hello", hello, f"{self.boot}-{self._number}")]
            return [first, *(f.data for f in missed if f.page in (None, reader.page))]

    def _after(self, last: str | None) -> list[Frame] | None:
        """The messages after the one called ``last``; None where not all are there."""
        boot, _, number = (last or "").rpartition("-")
        if boot != self.boot or not number.isdecimal() or len(number) > _DIGITS:
            return None
        seen = int(number)
        oldest = self._kept[0].number if self._kept else self._number + 1
        if not oldest - 1 <= seen <= self._number:
            return None
        return [frame for frame in self._kept if frame.number > seen]

    @property
    def number(self) -> int:
        """That of the last message."""
        return self._number

    @property
    def readers(self) -> int:
        """How many are looking."""
        return len(self._readers)

    def close(self) -> None:
        """End every stream, and those to come."""
        with self._lock:
            self._closed = True
            for reader in self._readers:
                _hand(reader, None)


def _hand(reader: Reader, data: bytes | None) -> None:
    try:
        reader.loop.call_soon_threadsafe(reader.put, data)
    except RuntimeError:
        reader.dropped = True  # its loop is closed: the server is on its way out


def _frame(kind: str, data: dict[str, Any], number: str) -> bytes:
    # JSON as dumped here has no line break, which would end the field.
    return f"id: {number}\nevent: {kind}\ndata: {json.dumps(data)}\n\n".encode()
