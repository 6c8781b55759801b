"""From a call to a server that runs until it is told to stop, and then leaves nothing behind."""

from __future__ import annotations

import os
import queue
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TextIO

from fencerun import launch
from fencerun.discovery import NoSuchPath
from fencerun.events import LiveEvent
from fencerun.keyboard import on_end
from fencerun.live import Live, PageView
from fencerun.live.watching import Watching
from fencerun.plural import count
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
    base = _base(targets)
    events: queue.SimpleQueue[LiveEvent | None] = queue.SimpleQueue()
    live = Live(targets, events.put, python=python, without=without)
    hub, keys = Hub(secrets.token_hex(4)), tokens.fresh()
    desk = Desk(live, events, base, keys, hub)
    stopped = threading.Event()
    undo = _on_signals(stopped.set)
    try:
        with Server(app(desk), hub, bind(port)) as server:
            address = f"http://{HOST}:{server.port}/?{PARAMETER}="
            _greet(stream, address + keys.secret)
            live.start()
            desk.open()
            with Watching(live):
                _count(stream, live.pages())
                if opens and _has_screen():
                    _open(address + keys.ticket())
                while server.alive and not stopped.wait(1.0):
                    pass
    finally:
        live.close()
        desk.close()
        undo()
    # After the `^C` that a terminal shows.
    stream.write("\nstopped\n" if stream.isatty() else "stopped\n")
    return 0


def _base(targets: Sequence[str]) -> Path:
    """A directory that holds every page: the project's, or one above that.

    Raises UsageError where the project or a page makes no sense, before an address is printed.
    """
    places = [os.path.abspath(launch.project().root)]
    for target in launch.targets(targets):
        if not os.path.exists(target.path):
            raise NoSuchPath.absent(target.path)
        places.append(os.path.dirname(os.path.abspath(target.path)))
    return Path(os.path.commonpath(places))


def _greet(stream: TextIO, address: str) -> None:
    stream.write(f"fencerun serves your pages at\n\n  {address}\n\n")
    stream.write("Whoever has this address can run code here. Ctrl-C stops.\n")
    stream.flush()


def _count(stream: TextIO, pages: Sequence[PageView]) -> None:
    fences = sum(len(page.fences) for page in pages)
    stream.write(f"{count(len(pages), 'page')}, {count(fences, 'fence')}\n")
    stream.flush()


def _has_screen() -> bool:
    """Whether a browser would open beside the terminal, and not in it."""
    if sys.platform == "darwin" or os.environ.get("BROWSER"):
        return True
    # Windows' own browser is there without a display.
    windows = "microsoft" in os.uname().release.lower()
    return windows or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _open(address: str) -> None:
    """Show it in the author's browser, where there is one."""
    import webbrowser

    # A browser that is started may write to our terminal, and may not return at once.
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _on_signals(stop: Callable[[], None]) -> Callable[[], None]:
    """Have the signals that end a server do ``stop``, where this is the main thread."""
    if threading.current_thread() is threading.main_thread():
        return on_end(lambda number: stop(), signal.SIGINT)
    return lambda: None
