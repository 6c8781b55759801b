"""What `check` and `record` have in common: the options of a run, and the run."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal, TextIO

from fencerun.verbs import reports, shared
from fencerun.verbs.shared import commas

if TYPE_CHECKING:
    from fencerun.session import Request


def options(verb: argparse.ArgumentParser) -> None:
    """Which fences run, where, and how their results are told."""
    shared.selection(verb)
    shared.python(verb)
    reports.options(verb)
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
    shared.jobs(verb, "pages side by side: auto, or so many")
    verb.add_argument(
        "--engine",
        choices=("worker", "inprocess", "pool", "ray"),
        default="worker",
        help="inprocess: in fencerun's own process, for tools that look into it (coverage, …); "
        "pool: as -j auto; ray: on the nodes of a Ray cluster",
    )
    verb.add_argument(
        "--address", metavar="HOST:PORT", help="the Ray cluster (auto, local or where it is)"
    )
    verb.add_argument(
        "--pdb", action="store_true", help="in fencerun's own process; debug fences that fail"
    )
    verb.add_argument(
        "--leaks",
        choices=("warn", "error"),
        default="warn",
        help="error: a fence fails that leaves something which cannot be undone",
    )
    verb.add_argument("--without", metavar="CAPS", default="", help="treat these as not there")
    verb.add_argument(
        "--must-have", metavar="CAPS", default="", help="exit 2 at once where one is missing"
    )
    shared.told(verb)
    verb.add_argument(
        "--allow-empty", action="store_true", help="no fence, or none that can run here, is fine"
    )


def request(
    verb: Literal["check", "record"], arguments: argparse.Namespace, **more: Any
) -> Request:
    """What was asked for; ``more`` are fields that only one of the verbs has."""
    from fencerun import launch
    from fencerun.session import Request

    wish = Request(
        verb,
        launch.targets(shared.targets(arguments)),
        arguments.word,
        allow_empty=arguments.allow_empty,
        fail_fast=arguments.fail_fast,
        requires=commas(arguments.requires),
        since=arguments.since,
        shard=arguments.shard,
        leaks_are_errors=arguments.leaks == "error",
        carry=any(report.startswith("jsonl") for report in arguments.report),
        **more,
    )
    return launch.last_failed(wish) if arguments.last_failed else wish


def run(verb: Literal["check", "record"], arguments: argparse.Namespace, **more: Any) -> int:
    """Run as ``arguments`` say, report, and return the exit code."""
    from fencerun import launch
    from fencerun.engines import choice
    from fencerun.reporters import ahead, fan_out

    wish = request(verb, arguments, **more)
    opened: list[TextIO] = []
    reporter = fan_out(reports.made(arguments, opened))
    try:
        session = launch.session(
            wish,
            reporter.handle,
            python=arguments.python,
            without=commas(arguments.without),
            must_have=commas(arguments.must_have),
            told=arguments.told,
            engine=choice.engine(
                arguments.engine,
                debug=arguments.pdb,
                jobs=arguments.jobs,
                address=arguments.address,
            ),
        )
        session.ahead = ahead(reporter)
        return launch.run(session).exit_code
    finally:
        with ExitStack() as stack:
            for stream in opened:
                stack.callback(stream.close)
            reporter.close()
