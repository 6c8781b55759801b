"""From a call to a server that runs until it is told to stop, and then leaves nothing behind."""

from __future__ import annotations

import os
import queue
import secrets
import signal
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from types import FrameType
from typing import TextIO
from urllib.parse import quote

from fencerun import config
from fencerun.events import LiveEvent
from fencerun.live import Live
from fencerun.live.watching import Watching
from fencerun.serve import tokens
from fencerun.serve.app import app
from fencerun.serve.desk import Desk
from fencerun.serve.doorkeeper import PARAMETER
from fencerun.serve.hub import Hub
from fencerun.serve.server import HOST, Server, bind


def serve(
    targets: Sequence[str],
    *,
    port: int | None,
    opens: bool,
    python: str | None,
    without: Collection[str],
    stream: TextIO,
) -> int:
    """Serve the pages that ``targets`` name, until Ctrl-C. Returns the exit code.

    Raises FencerunError for a call or a configuration that makes no sense.
    """
    events: queue.SimpleQueue[LiveEvent | None] = queue.SimpleQueue()
    live = Live(targets, events.put, python=python, without=without)
    hub, keys = Hub(secrets.token_hex(4)), tokens.fresh()
    desk = Desk(live, events, _base(targets), keys, hub)
    stopped = _on_signals()
    try:
        with Server(app(desk), hub, bind(port)) as server:
            live.start()
            desk.open()
            with Watching(live):
                address = f"http://{HOST}:{server.port}/?{PARAMETER}={quote(keys.secret)}"
                _greet(stream, address, len(live.pages()))
                if opens:
                    _open(address)
                while server.alive and not stopped.wait(1.0):
                    pass
    except KeyboardInterrupt:
        pass
    finally:
        live.close()
        desk.close()
    stream.write("stopped\n")
    return 0


def _base(targets: Sequence[str]) -> Path:
    """A directory that holds every page: the project's, or one above that."""
    root = config.find_root(Path.cwd())
    places = [os.path.abspath(root), *(os.path.dirname(os.path.abspath(t)) for t in targets)]
    return Path(os.path.commonpath(places))


def _greet(stream: TextIO, address: str, pages: int) -> None:
    stream.write(f"fencerun serves {pages} page{'' if pages == 1 else 's'} at\n\n  {address}\n\n")
    stream.write("Whoever has this address can run code here. Ctrl-C stops.\n")
    stream.flush()


def _open(address: str) -> None:
    """Show it in the author's browser, where there is one."""
    import webbrowser

    # A browser that is started may write to our terminal, and may not return at once.
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _on_signals() -> threading.Event:
    """Set by the signals that end a server, where this is the main thread."""
    stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, stop)
    return stopped
