"""`fencerun watch`: re-run what a save touches, and show it."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from fencerun.verbs import reports, shared

if TYPE_CHECKING:
    from fencerun.events import LiveEvent
    from fencerun.keyboard import Keyboard
    from fencerun.live import Live
    from fencerun.reporters.watch import WatchReporter
    from fencerun.reporters.wording import Line

#: Each key and what it does.
KEYS = {
    "r": "record what differs",
    "s": "run what is stale, also what takes long (so does Enter)",
    "a": "run all",
    "x": "end the run",
    "c": "clear the screen",
    "?": "these keys",
    "q": "quit (so does Ctrl-C)",
}

#: How often the last line is drawn at most, in seconds.
_TICK = 0.1


class _Told(Exception):
    """The process was told to end, by a signal of this number."""


_EXAMPLES = """\
examples:
  fencerun watch                          every page of the project
  fencerun watch lessons/x.md
"""


def options(verb: argparse.ArgumentParser) -> None:
    """Which pages, and under which interpreter."""
    verb.epilog = _EXAMPLES
    verb.add_argument(
        "targets", nargs="*", metavar="ID", help="PAGE, DIR, PAGE::FENCE or PAGE:LINE"
    )
    shared.python(verb)
    reports.diff(verb)
    verb.add_argument("--without", metavar="CAPS", default="", help="treat these as not there")
    verb.add_argument(
        "-v", "--verbose", action="count", default=0, help="more of it; -vv all of it"
    )


def run(arguments: argparse.Namespace) -> int:
    """Watch until the author quits, which is 0 by `q` and by Ctrl-C; a signal's code otherwise."""
    from fencerun.keyboard import Keyboard, on_end
    from fencerun.live import Live
    from fencerun.live.watching import Watching

    with Keyboard() as keys:
        reporter = _reporter(keys.there, arguments)
        faults: list[Exception] = []

        def emit(event: LiveEvent) -> None:
            try:
                reporter.handle(event)
            except Exception as fault:  # nobody reads it any more: told on the main thread
                faults.append(fault)
            keys.wake()

        live = Live(
            arguments.targets,
            emit,
            python=arguments.python,
            without=shared.commas(arguments.without),
        )
        undo = on_end(_tell)
        try:
            live.start()
            with Watching(live):
                reporter.say(_opening(live))
                _loop(live, keys, reporter, faults)
        except KeyboardInterrupt:
            pass  # how most people end a watcher, and nothing that went wrong
        except _Told as told:
            return 128 + int(told.args[0])
        finally:
            undo()
            live.close()
            with suppress(Exception):  # the terminal may be gone
                reporter.close()
        return 0


def _tell(number: int) -> None:
    raise _Told(number)


def _reporter(keys: bool, arguments: argparse.Namespace) -> WatchReporter:
    from fencerun.reporters.watch import WatchReporter

    out = shared.stdout()
    terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    color = terminal and not os.environ.get("NO_COLOR")
    return WatchReporter(
        out,
        color=color,
        bottom=terminal,
        width=_width,
        verbose=arguments.verbose,
        keys=keys,
        beside=arguments.diff == "side-by-side",
    )


def _width() -> int:
    try:
        return os.get_terminal_size(1).columns or 80
    except (OSError, ValueError):
        return 80


def _loop(live: Live, keys: Keyboard, reporter: WatchReporter, faults: Sequence[Exception]) -> None:
    """Do what keys say, until one says to quit. Raises the first fault of the reporter."""
    acts = _acts(live, reporter)
    drawn = 0.0
    while True:
        left = drawn + _TICK - time.monotonic()
        if left <= 0:
            reporter.bottom(_bottom(live, keys.there))
            drawn, left = time.monotonic(), _TICK
        if faults:
            raise faults[0]
        pressed = keys.read(left if live.busy or left < _TICK else None)
        if pressed in ("q", "Q", "\x04"):
            return
        if pressed in acts:
            acts[pressed]()


def _acts(live: Live, reporter: WatchReporter) -> dict[str, Callable[[], None]]:
    from fencerun.reporters.wording import Span

    def counted(number: int, what: str) -> None:
        if not number:
            reporter.say((Span("note", what),))

    def stale() -> None:
        counted(live.run_stale(), "nothing is stale: a runs all")

    return {
        "r": lambda: counted(live.record(), "nothing to record: what ran is as recorded"),
        "s": stale,
        "\n": stale,
        "\r": stale,
        "a": lambda: counted(live.run(), "no fence to run"),
        "x": live.stop,
        "c": lambda: reporter.clear(),
        "?": lambda: reporter.say(*_help()),
        "h": lambda: reporter.say(*_help()),
    }


def _help() -> list[Line]:
    from fencerun.reporters.wording import Span

    return [(Span("command", f"  {key}"), Span("text", f"  {what}")) for key, what in KEYS.items()]


def _opening(live: Live) -> Line:
    from fencerun.plural import count
    from fencerun.reporters.wording import Span

    all_of_it = live.tally()
    what = f": {count(all_of_it.pages, 'page')}, {count(all_of_it.fences, 'fence')}"
    return (Span("command", "fencerun watch"), Span("text", what))


def _bottom(live: Live, keys: bool) -> Line:
    """How things stand: what is not as recorded, and the keys."""
    from fencerun.reporters.wording import ORDER, Span, severity

    now = live.tally()
    line: list[Span] = []
    for kind in ORDER:
        if now.kinds.get(kind) and severity(kind) != "note":
            line += (Span(severity(kind), f"{now.kinds[kind]} {kind}"), Span("faint", " · "))
    if now.stale:
        line += (Span("warning", f"{now.stale} stale"), Span("faint", " · "))
    if now.broken:
        plural = "s" if now.broken > 1 else ""
        line += (Span("error", f"{now.broken} page{plural} with problems"), Span("faint", " · "))
    words = "r record  s stale  a all  ? keys  q quit" if keys else "Ctrl-C quits"
    return (*line, Span("faint", words))
