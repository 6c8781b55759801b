"""Options that several verbs have, and how their words are read."""

from __future__ import annotations

import argparse
import sys
from typing import Any, TextIO

from fencerun.outlet import outlet


def commas(text: str) -> tuple[str, ...]:
    """The words of ``cuda,slow``."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def stdout() -> TextIO:
    """Where reports go; what it does not take is told as an error."""
    return outlet(sys.stdout, "stdout")


def selection(verb: argparse.ArgumentParser) -> None:
    """Which fences: ids, ``-k`` and ``--requires``."""
    verb.add_argument(
        "targets", nargs="*", metavar="ID", help="PAGE, DIR, PAGE::FENCE or PAGE:LINE"
    )
    verb.add_argument("-k", dest="word", metavar="WORD", help="fences whose id or code holds WORD")
    verb.add_argument(
        "--requires", metavar="CAPS", default="", help="fences that need one of these to run"
    )
    verb.add_argument(
        "-v", "--verbose", action="count", default=0, help="more of it; -vv all of it"
    )


def python(verb: argparse.ArgumentParser) -> None:
    """Which interpreter."""
    verb.add_argument("--python", metavar="PATH", help="the interpreter that runs the fences")


def told(verb: argparse.ArgumentParser) -> None:
    """Other machines' runs."""
    verb.add_argument(
        "--from",
        dest="told",
        action="append",
        default=[],
        metavar="RUN",
        help="take in what another machine's run printed (a file of --report jsonl=, or a pattern)",
    )


def jobs(verb: argparse.ArgumentParser, help: str) -> None:
    """``-j``: ``jobs`` is how many at once, 0 for as many as there are cores, None where unsaid."""
    verb.set_defaults(jobs=None, stray=())
    verb.add_argument("-j", action=_Jobs, nargs="?", metavar="N", help=help)


def targets(arguments: argparse.Namespace) -> list[str]:
    """The ids of a verb that has ``-j``: one of them may have been taken for its number."""
    return [*arguments.targets, *arguments.stray]


#: Digits of a number of pages side by side: no machine runs more.
_DIGITS = 4


class _Jobs(argparse.Action):
    """``-j``, ``-j auto``, ``-j 4``. In ``-j page.md``, the page is a page."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        namespace.jobs = 0
        if values is None or values == "auto":
            return
        if not values.isdecimal():
            namespace.stray = (*namespace.stray, values)
        elif len(values) > _DIGITS:
            raise argparse.ArgumentError(self, "no machine runs so many pages side by side")
        elif int(values) == 0:
            raise argparse.ArgumentError(self, "0 pages at once are none; for all cores, -j auto")
        else:
            namespace.jobs = int(values)
