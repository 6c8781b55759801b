"""One end of a socket that carries frames, never blocking: what can't be sent yet waits here."""

from __future__ import annotations

import select
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from fencerun.protocol import Decoder, ProtocolError, encode

if TYPE_CHECKING:
    import _socket

_READ = 1 << 18


class Gone(Exception):
    """The other side closed its end, died, or sent something that is no frame."""


class Link:
    """Frames to and from one child process."""

    def __init__(self, sock: _socket.socket) -> None:
        sock.setblocking(False)
        self.sock = sock
        self._decoder = Decoder()
        self._received: deque[dict[str, Any]] = deque()
        self._unsent = bytearray()
        self._over: str | None = None
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)

    def post(self, *frames: dict[str, Any]) -> None:
        """Send frames, as far as the other side takes them; the rest goes with later calls."""
        for frame in frames:
            self._unsent += encode(frame)
        self._push()

    def _push(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: self.sock.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:
            # The other side is gone. Its last frames may still lie in the socket: reading
            # finds them, and then the end.
            self._unsent.clear()
        events = select.POLLIN | (select.POLLOUT if self._unsent else 0)
        self._poll.modify(self.sock, events)

    def received(self) -> dict[str, Any] | None:
        """The next frame, if one was read already."""
        return self._received.popleft() if self._received else None

    def receive(self, seconds: float, lag: float = 0.0) -> dict[str, Any] | None:
        """The next frame, waiting for it at most so long; None if there was none.

        Where it is not there yet, it is looked for after ``lag`` seconds: others come meanwhile,
        and the other side need not wake this one for each. Raises Gone when none will ever come.
        """
        if lag and not self._received and not self._pull():
            time.sleep(lag)
        if not self._received and not self._pull() and seconds > 0:
            self._poll.poll(seconds * 1000)
            if self._unsent:
                self._push()
            self._pull()
        if self._received:
            return self._received.popleft()
        if self._over is not None:
            raise Gone(self._over)
        return None

    def _pull(self) -> bool:
        """Take what is there; whether that was anything."""
        if self._over is not None:
            return True
        try:
            data = self.sock.recv(_READ)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self._over = ""
            return True
        try:
            for frame in self._decoder.feed(data):
                self._received.append(frame)
        except ProtocolError as error:
            self._over = str(error)
        return True

    def close(self) -> None:
        """Close the socket. Safe to call twice."""
        self.sock.close()
