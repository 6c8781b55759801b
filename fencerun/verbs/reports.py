"""`--report NAME[=FILE]`: the reports that a run was asked for, opened."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from fencerun.errors import UsageError
from fencerun.outlet import outlet
from fencerun.verbs.shared import stdout

if TYPE_CHECKING:
    from fencerun.reporters import Reporter


def options(verb: argparse.ArgumentParser) -> None:
    """``--report``."""
    verb.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="NAME[=FILE]",
        help="rich, plain, github, junit=FILE, jsonl=FILE; several at once",
    )
    diff(verb)


def diff(verb: argparse.ArgumentParser) -> None:
    """``--diff``."""
    verb.add_argument(
        "--diff",
        choices=("unified", "side-by-side"),
        default="unified",
        help="side-by-side: recorded on the left, printed on the right, from 100 columns on",
    )


def made(arguments: argparse.Namespace, opened: list[TextIO]) -> list[Reporter]:
    """The reporters; what is opened for them is added to ``opened``, for the caller to close.

    One of them writes to the terminal, unless another was given it. Raises UsageError for a
    report that there is not, and for a file that cannot be written.
    """
    from fencerun import reporters

    found: list[Reporter] = []
    on_stdout = False
    for wish in arguments.report:
        name, _, file = wish.partition("=")
        if name not in reporters.NAMES:
            known = ", ".join(reporters.NAMES)
            raise UsageError(f"--report {name}: no such report", f"there are {known}")
        on_stdout = on_stdout or not file
        stream = file_of(wish, file, opened) if file else stdout()
        found.append(_make(name, stream, arguments))
    if not on_stdout:
        # A line that is redrawn and a debugger's prompt would write over each other.
        terminal = "rich" if sys.stdout.isatty() and not arguments.pdb else "plain"
        found.insert(0, _make(terminal, stdout(), arguments))
    return found


def _make(name: str, stream: TextIO, arguments: argparse.Namespace) -> Reporter:
    from fencerun import reporters

    beside = arguments.diff == "side-by-side"
    return reporters.make(
        name,
        stream,
        width=_columns(stream) if beside and name == "plain" else None,
        verbose=arguments.verbose,
        summary=os.environ.get("GITHUB_STEP_SUMMARY") or None,
        beside=beside,
    )


def _columns(stream: TextIO) -> int | None:
    """The columns of what ``stream`` writes to, where it is a terminal or COLUMNS says it."""
    import shutil

    said = os.environ.get("COLUMNS", "")
    if not stream.isatty() and not said.isdigit():
        return None
    return shutil.get_terminal_size().columns


def file_of(wish: str, file: str, opened: list[TextIO]) -> TextIO:
    """The file of a report, opened; it is added to ``opened`` as well. Raises UsageError."""
    try:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        stream = open(file, "w", encoding="utf-8", newline="\n")  # noqa: SIM115, closed by the run
    except OSError as error:
        raise UsageError(f"--report {wish}: {error.strerror}") from None
    opened.append(outlet(stream, f"--report {wish}"))
    return opened[-1]
