"""`fencerun matrix`: which fences hold with which versions of what they import."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from fencerun.verbs import shared

if TYPE_CHECKING:
    from fencerun.reporters.wording import Line

_EXAMPLES = """\
examples:
  fencerun matrix 'torch==2.12.1' 'torch==2.13.0'
  fencerun matrix 'torch==2.12.1 triton==3.7.1' 'torch==2.13.0' -- lessons/25_custom_ops.md
  fencerun matrix 'numpy<2' 'numpy>=2' --with matplotlib --report jsonl=matrix.jsonl
  fencerun matrix ./dist/mine-1.0-py3-none-any.whl 'mine==0.9' --pip-args='--pre'

Each word is an environment, kept in .fencerun/environments and built again where it does not fit
any more; pages and fences are named behind `--`. The options of pip's own environment (PIP_…, or
UV_… for uv) hold, too.

exit codes: those of `check`, the worst of all environments; 5 where one could not be built, 2
where none could
"""


def options(verb: argparse.ArgumentParser) -> None:
    """What `matrix` takes."""
    verb.epilog = _EXAMPLES
    verb.usage = "fencerun matrix [options] SPEC [SPEC ...] [-- ID ...]"
    verb.add_argument("specs", nargs="+", metavar="SPEC", help="requirements of an environment")
    verb.add_argument("-k", dest="word", metavar="WORD", help="fences whose id or code holds WORD")
    verb.add_argument(
        "--requires", metavar="CAPS", default="", help="fences that need one of these to run"
    )
    verb.add_argument("--without", metavar="CAPS", default="", help="treat these as not there")
    verb.add_argument("-v", "--verbose", action="count", default=0, help="every fence, and details")
    verb.add_argument(
        "--with",
        dest="common",
        action="append",
        default=[],
        metavar="SPEC",
        help="requirements that every environment gets",
    )
    verb.add_argument("--python", metavar="PATH", help="the interpreter that they are built for")
    verb.add_argument(
        "--installer", choices=("auto", "uv", "pip"), default="auto", help="auto: uv if it is there"
    )
    verb.add_argument(
        "--pip-args", default="", metavar="ARGS", help="further options of the installer"
    )
    verb.add_argument("--rebuild", action="store_true", help="build the environments anew")
    verb.add_argument("--report", metavar="jsonl=FILE", help="every event, with its environment")
    verb.add_argument(
        "--allow-empty", action="store_true", help="no fence, or none that can run, is fine"
    )
    _split_at_dashes(verb)


def _split_at_dashes(verb: argparse.ArgumentParser) -> None:
    """Make what follows `--` the targets: argparse itself would make them further specs."""
    known = verb.parse_known_args

    def parse(args: Sequence[str] | None = None, namespace: Any = None) -> Any:
        words = list(args or ())
        at = words.index("--") if "--" in words else len(words)
        found, rest = known(words[:at], namespace)
        found.targets = words[at + 1 :]
        return found, rest

    vars(verb)["parse_known_args"] = parse


def run(arguments: argparse.Namespace) -> int:
    """Build, check in each, and print the table."""
    import os
    import shlex
    import sys
    from contextlib import ExitStack

    from fencerun import interpreter, launch
    from fencerun.errors import UsageError
    from fencerun.matrix.environments import builder_for
    from fencerun.matrix.sweep import Sweep, progress
    from fencerun.matrix.wish import wishes
    from fencerun.request import Request

    found = wishes(arguments.specs, arguments.common)
    try:
        more = shlex.split(arguments.pip_args)
    except ValueError as error:
        raise UsageError(f"--pip-args {arguments.pip_args!r}: {error}") from None
    root = launch.project().root
    python = interpreter.choose(arguments.python, root, os.environ, sys.executable)
    say = progress(sys.stderr)
    builder = builder_for(root, python, arguments.installer, more, arguments.rebuild, say)
    request = Request(
        "check",
        launch.targets(arguments.targets),
        arguments.word,
        requires=shared.commas(arguments.requires),
        allow_empty=arguments.allow_empty,
    )
    with ExitStack() as opened:
        written = _report(arguments.report, opened)
        without = shared.commas(arguments.without)
        sweep = Sweep(request, builder, _printer(), without, arguments.verbose, written)
        return sweep.run(found)


def _printer() -> Callable[[Line], None]:
    import sys

    if sys.stdout.isatty():
        from fencerun.reporters.rich import printer

        return printer(shared.stdout())
    from fencerun.matrix.sweep import plain

    return plain(shared.stdout())


def _report(wish: str | None, opened: Any) -> TextIO | None:
    from fencerun.errors import UsageError
    from fencerun.verbs import reports

    if wish is None:
        return None
    name, _, file = wish.partition("=")
    if name != "jsonl" or not file:
        raise UsageError(f"--report {wish}: a matrix has no such report", "write jsonl=FILE")
    streams: list[TextIO] = []
    written = reports.file_of(wish, file, streams)
    opened.callback(streams[-1].close)
    return written
