"""The server of this process: bound to the loopback address, on a thread, ended in order.

Knows uvicorn. The thread that starts it stays free, so that Ctrl-C reaches whoever waits there.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from typing import Any

import uvicorn

from fencerun.errors import UsageError
from fencerun.serve.hub import Hub

#: The only address that is ever bound.
HOST = "127.0.0.1"

#: Tried first, so that an address that is bookmarked stays; with none given, the next free one.
PORT = 8025

#: How many ports after that are tried.
_TRIES = 20


def bind(port: int | None) -> socket.socket:
    """A socket that listens to ``port``, 0 for any; None for the first free one from PORT on.

    Raises UsageError where that is taken.
    """
    wanted = range(PORT, PORT + _TRIES) if port is None else [port]
    for number in wanted:
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        # A server that ended a second ago left its port in TIME_WAIT.
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((HOST, number))
            one.listen(128)
        except OSError as error:
            one.close()
            why = error.strerror or str(error)
            continue
        return one
    if port is None:
        return bind(0)
    raise UsageError(f"--port {port}: {why}", "leave it out for the first one that is free")


class Server:
    """Serves ``app`` on ``listening`` until it is closed. A context manager."""

    def __init__(self, app: Any, hub: Hub, listening: socket.socket) -> None:
        self.hub = hub
        self.listening = listening
        self.port: int = listening.getsockname()[1]
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=2,
            # A stream that nobody reads is noticed when a heartbeat cannot be sent.
            timeout_keep_alive=30,
            h11_max_incomplete_event_size=32 << 10,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="fencerun-http", daemon=True)
        logging.getLogger("uvicorn.error").addFilter(_told)

    def _serve(self) -> None:
        asyncio.run(self._run())

    async def _run(self) -> None:
        await self._server.serve([self.listening])
        # What is left is written to readers that do not read, and would be so for ever.
        for connection in list(self._server.server_state.connections):
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(0)

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End every stream and answer, and the thread. Safe to call twice."""
        self.hub.close()
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        self.listening.close()

    @property
    def alive(self) -> bool:
        """Whether it still serves."""
        return self._thread.is_alive()


def _told(record: logging.LogRecord) -> bool:
    """Whether an author should see what uvicorn logs: not, where a browser went away."""
    return record.levelno >= logging.ERROR and "without completing" not in record.getMessage()
