"""The command line: arguments in, an exit code out.

Parses, wires a session to files, engines and reporters, and words the errors. Imports what the
verb at hand needs and nothing more, since authors start it all day.
"""

from __future__ import annotations

import argparse
import functools
import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from fencerun import __version__, heap
from fencerun.errors import FencerunError, UsageError
from fencerun.outlet import NotTaken, drop_stdout, outlet

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


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``fencerun`` with ``argv`` and return the exit code.

    Without ``argv`` they are the process's, and the process is ours alone.
    """
    if argv is not None:
        return _main(argv)
    heap.relax()
    try:
        return _main(sys.argv[1:])
    finally:
        heap.leave()


def _main(argv: Sequence[str]) -> int:
    arguments = _parser(argv).parse_args(argv)
    if sys.stdout is None:
        print("fencerun: error: stdout is closed. Send it to /dev/null, say", file=sys.stderr)
        return UsageError.exit_code
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The name of a page may hold what the terminal's encoding does not.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = int(arguments.run(arguments))
        _stdout().flush()
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
    for name, (options, about) in _VERBS.items():
        verb = verbs.add_parser(name, help=about, formatter_class=_Formatter)
        if argv is None or name in argv:
            options(verb)
    return parser


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal. One is made for each option, and argparse's own imports shutil."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


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


def _check_options(verb: argparse.ArgumentParser) -> None:
    verb.set_defaults(run=_run, verb="check")
    _run_options(verb)


def _record_options(verb: argparse.ArgumentParser) -> None:
    verb.set_defaults(run=_run, verb="record")
    verb.add_argument("--dry-run", action="store_true", help="show it, write nothing")
    verb.add_argument(
        "--once", action="store_true", help="trust a new output without printing it twice"
    )
    verb.add_argument(
        "--only",
        metavar="KINDS",
        help="act on these verdicts alone: unrecorded,changed,rounding,stale,orphan",
    )
    verb.add_argument("--strip", action="store_true", help="remove every recording, run nothing")
    verb.add_argument("--renew", action="store_true", help="freshen when and where it was recorded")
    _run_options(verb)


def _status_options(verb: argparse.ArgumentParser) -> None:
    verb.set_defaults(run=_status)
    _selection_options(verb)
    _from_option(verb)


def _audit_options(verb: argparse.ArgumentParser) -> None:
    verb.set_defaults(run=_audit)
    _selection_options(verb)
    verb.add_argument("--python", metavar="PATH", help="the interpreter that runs the fences")
    verb.add_argument("--seed", type=int, help="the shuffle to repeat; printed by each audit")


def _explain_options(verb: argparse.ArgumentParser) -> None:
    verb.set_defaults(run=_explain)
    verb.add_argument("targets", nargs="+", metavar="ID", help="PAGE::FENCE or PAGE:LINE")


_VERBS: dict[str, tuple[Callable[[argparse.ArgumentParser], None], str]] = {
    "check": (_check_options, "run and compare; never writes a page"),
    "record": (_record_options, "run, and write what was printed into the pages"),
    "status": (_status_options, "every fence and what is known of it; runs nothing"),
    "audit": (_audit_options, "is each result independent of order and company?"),
    "explain": (_explain_options, "why a fence is stale, kept or skipped"),
}


def _selection_options(verb: argparse.ArgumentParser) -> None:
    verb.epilog = _EPILOG
    verb.add_argument(
        "targets", nargs="*", metavar="ID", help="PAGE, DIR, PAGE::FENCE or PAGE:LINE"
    )
    verb.add_argument("-k", dest="word", metavar="WORD", help="fences whose id or code holds WORD")
    verb.add_argument(
        "--requires", metavar="CAPS", default="", help="fences that need one of these to run"
    )
    verb.add_argument("-v", "--verbose", action="count", default=0)


def _run_options(verb: argparse.ArgumentParser) -> None:
    _selection_options(verb)
    verb.add_argument("--python", metavar="PATH", help="the interpreter that runs the fences")
    verb.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="NAME[=FILE]",
        help="rich, plain, github, junit=FILE, jsonl=FILE; several at once",
    )
    verb.add_argument(
        "--lf", dest="last_failed", action="store_true", help="what was not green the last time"
    )
    verb.add_argument(
        "--since", metavar="REF", help="pages that differ from a git ref, or use what does"
    )
    verb.add_argument(
        "--shard", metavar="I/N", help="one machine's share of the pages, such as 2/5"
    )
    verb.add_argument("-x", dest="fail_fast", action="store_true", help="stop at the first one")
    verb.add_argument(
        "--engine",
        choices=("worker", "inprocess"),
        default="worker",
        help="inprocess: in fencerun's own process, for tools that look into it (coverage, …)",
    )
    verb.add_argument(
        "--pdb", action="store_true", help="in fencerun's own process; debug fences that fail"
    )
    verb.add_argument("--leaks", choices=("warn", "error"), default="warn")
    verb.add_argument("--without", metavar="CAPS", default="", help="treat these as not there")
    verb.add_argument(
        "--must-have", metavar="CAPS", default="", help="exit 2 at once where one is missing"
    )
    _from_option(verb)
    verb.add_argument(
        "--allow-empty", action="store_true", help="no fence, or none that can run here, is fine"
    )


def _from_option(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--from",
        dest="told",
        action="append",
        default=[],
        metavar="RUN",
        help="take in what another machine's run printed (a file of --report jsonl=, or a pattern)",
    )


def _run(arguments: argparse.Namespace) -> int:
    from fencerun import launch
    from fencerun.engines import choice
    from fencerun.reporters import fan_out
    from fencerun.session import RECORDABLE, Request

    request = Request(
        arguments.verb,
        launch.targets(arguments.targets),
        arguments.word,
        only=_only(getattr(arguments, "only", None), RECORDABLE),
        dry_run=getattr(arguments, "dry_run", False),
        once=getattr(arguments, "once", False),
        renew=getattr(arguments, "renew", False),
        allow_empty=arguments.allow_empty,
        fail_fast=arguments.fail_fast,
        requires=_commas(arguments.requires),
        since=arguments.since,
        shard=arguments.shard,
        leaks_are_errors=arguments.leaks == "error",
        carry=any(report.startswith("jsonl") for report in arguments.report),
    )
    if arguments.last_failed:
        request = launch.last_failed(request)
    if getattr(arguments, "strip", False):
        return launch.strip(request)
    opened: list[TextIO] = []
    reporter = fan_out(_reporters(arguments, opened))
    try:
        session = launch.session(
            request,
            reporter.handle,
            python=arguments.python,
            without=_commas(arguments.without),
            must_have=_commas(arguments.must_have),
            told=arguments.told,
            engine=choice.engine(arguments.engine, debug=arguments.pdb),
        )
        return launch.run(session).exit_code
    finally:
        with ExitStack() as stack:
            for stream in opened:
                stack.callback(stream.close)
            reporter.close()


def _commas(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _only(text: str | None, known: tuple[str, ...]) -> tuple[str, ...]:
    if text is None:
        return known
    known = tuple(dict.fromkeys((*known, "stale", "orphan")))
    for word in _commas(text):
        if word not in known:
            from fencerun.tags import nearest

            raise UsageError(f"--only {word}: no such verdict", nearest(word, known))
    return _commas(text)


def _reporters(arguments: argparse.Namespace, opened: list[TextIO]):  # type: ignore[no-untyped-def]
    from fencerun import reporters

    made = []
    on_stdout = False
    for wish in arguments.report:
        name, _, file = wish.partition("=")
        if name not in reporters.NAMES:
            known = ", ".join(reporters.NAMES)
            raise UsageError(f"--report {name}: no such report", f"there are {known}")
        on_stdout = on_stdout or not file
        stream = _open(wish, file, opened) if file else _stdout()
        made.append(_make(name, stream, arguments.verbose))
    if not on_stdout:
        # A line that is redrawn and a debugger's prompt would write over each other.
        terminal = "rich" if sys.stdout.isatty() and not arguments.pdb else "plain"
        made.insert(0, _make(terminal, _stdout(), arguments.verbose))
    return made


def _make(name: str, stream: TextIO, verbose: int):  # type: ignore[no-untyped-def]
    from fencerun import reporters

    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    return reporters.make(name, stream, verbose=verbose, summary=summary)


def _stdout() -> TextIO:
    return outlet(sys.stdout, "stdout")


def _open(wish: str, file: str, opened: list[TextIO]) -> TextIO:
    try:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        stream = open(file, "w", encoding="utf-8", newline="\n")  # noqa: SIM115, closed by _run
    except OSError as error:
        raise UsageError(f"--report {wish}: {error.strerror}") from None
    opened.append(outlet(stream, f"--report {wish}"))
    return opened[-1]


def _status(arguments: argparse.Namespace) -> int:
    from fencerun import inspection

    requires = _commas(arguments.requires)
    return inspection.status(arguments.targets, arguments.word, arguments.told, _stdout(), requires)


def _audit(arguments: argparse.Namespace) -> int:
    from fencerun import auditing

    return auditing.audit(
        arguments.targets,
        arguments.word,
        arguments.python,
        arguments.seed,
        _stdout(),
        _commas(arguments.requires),
    )


def _explain(arguments: argparse.Namespace) -> int:
    from fencerun import inspection

    return inspection.explain(arguments.targets, _stdout())
