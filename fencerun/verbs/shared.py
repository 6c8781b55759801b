"""Options that several verbs have, and how their words are read."""

from __future__ import annotations

import argparse
import sys
from typing import TextIO

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
