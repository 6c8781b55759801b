"""The command line: arguments in, an exit code out.

Finds the verb, and words the errors. Imports what the verb at hand needs and nothing more, since
authors start it all day.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import io
import os
import sys
from collections.abc import Sequence

from fencerun import __version__, heap
from fencerun.errors import FencerunError, UsageError
from fencerun.later import put_off
from fencerun.outlet import NotTaken, drop_stdout
from fencerun.verbs.shared import stdout

_EPILOG = """\
examples:
  fencerun check                          every page of the project
  fencerun check lessons/25_custom_ops.md
  fencerun check lessons/x.md::3          one fence, and what it continues
  fencerun record lessons/x.md:120        the fence at that line
  fencerun record --dry-run -k softmax    show what would be written
  fencerun status                         what is there, without running it

exit codes: 0 as recorded · 1 out of date · 2 usage · 3 a problem in a page · 4 a fence failed
            5 nothing verified · 6 a fault of fencerun · 130 interrupted
"""


#: Each verb and what it does, in one line; its module is ``fencerun.verbs.NAME``.
VERBS = {
    "check": "run and compare; never writes a page",
    "record": "run, and write what was printed into the pages",
    "watch": "re-run what a save touches, and show what it prints",
    "status": "every fence and what is known of it; runs nothing",
    "tag": "number the code blocks of pages that have no tags yet",
    "audit": "is each result independent of order and company?",
    "explain": "why a fence is stale, kept or skipped",
    "init": "a first lesson, a configuration and a CI workflow",
    "serve": "the pages in the browser, live: run and record from there",
    "export": "a page as a notebook, a script or an HTML file; runs nothing",
    "completion": "a script that completes commands in bash, zsh or fish",
    "schema": "JSON schemas for editors: configuration, front matter",
    "matrix": "which fences hold with which versions of what they import",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``fencerun`` with ``argv`` and return the exit code.

    Without ``argv`` they are the process's, and the process is ours alone.
    """
    if argv is not None:
        return _main(argv)
    put_off("inspect", "dataclasses")
    heap.relax()
    try:
        return _main(sys.argv[1:])
    finally:
        heap.leave()


def _main(argv: Sequence[str]) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The name of a page, or a help text, may hold what the terminal's encoding does not.
        sys.stdout.reconfigure(errors="backslashreplace")
    if sys.stdout is None:
        print("fencerun: error: stdout is closed. Send it to /dev/null, say", file=sys.stderr)
        return UsageError.exit_code
    try:
        arguments = _parser(argv).parse_args(argv)
        code = int(arguments.run(arguments))
        stdout().flush()
        return code
    except FencerunError as error:
        if isinstance(error, NotTaken):
            drop_stdout()
        print(f"fencerun: error: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output went away (`| head`). That is nobody's error, and no success.
        drop_stdout()
        return 141  # 128 + SIGPIPE, as a shell reports it
    except KeyboardInterrupt:
        return 130
    except Exception:
        import traceback

        traceback.print_exc()
        print("fencerun: this is a fault of fencerun itself; please report it", file=sys.stderr)
        return 6


def _parser(argv: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The parser of ``argv``: only the verb that is named there gets its options (else all)."""
    parser = argparse.ArgumentParser(
        prog="fencerun",
        description="Run the fenced code blocks of Markdown pages, record and check their output.",
        epilog=_EPILOG,
        formatter_class=_Formatter,
    )
    parser.add_argument("--version", action="version", version=f"fencerun {__version__}")
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    # The help of one verb does not name the others.
    named = argv[0] if argv and argv[0] in VERBS else None
    for name, about in VERBS.items():
        if named is not None and name != named:
            continue
        verb = verbs.add_parser(name, help=about, formatter_class=_Formatter, epilog=_EPILOG)
        if argv is None or name in argv:
            module = importlib.import_module(f"fencerun.verbs.{name}")
            module.options(verb)
            verb.set_defaults(run=module.run)
    return parser


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal. One is made for each option, and argparse's own imports shutil."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)
        # argparse forgets that verbs are indented twice, and breaks the line of the longest.
        self._action_max_length = max(map(len, VERBS)) + 4


@functools.cache
def _columns() -> int:
    """``shutil.get_terminal_size().columns``."""
    try:
        said = int(os.environ.get("COLUMNS", 0))
    except ValueError:
        said = 0
    try:
        return said if said > 0 else os.get_terminal_size(1).columns or 80
    except OSError:
        return 80
