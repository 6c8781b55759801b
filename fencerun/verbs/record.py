"""`fencerun record`: run, and write what was printed into the pages."""

from __future__ import annotations

import argparse

from fencerun.verbs import running
from fencerun.verbs.shared import commas

_EXAMPLES = """\
examples:
  fencerun record lessons/x.md            run it, and write what it prints
  fencerun record lessons/x.md:120        the fence at that line
  fencerun record --dry-run -k softmax    show what would be written
  fencerun record --only unrecorded       leave what is recorded as it is
  fencerun record --from gpu.jsonl        what another machine printed; runs nothing

exit codes: 0 the pages are as executed; else those of `fencerun check --help`
"""


def options(verb: argparse.ArgumentParser) -> None:
    """What `record` takes."""
    verb.epilog = _EXAMPLES
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
    running.options(verb)


def run(arguments: argparse.Namespace) -> int:
    """Run and record; with ``--strip``, only remove what is recorded."""
    if arguments.strip:
        from fencerun import launch, strip

        _insist(arguments)
        wish = running.request("record", arguments, dry_run=arguments.dry_run)
        return strip.every(wish, launch.project())
    only = {} if arguments.only is None else {"only": commas(arguments.only)}
    return running.run(
        "record",
        arguments,
        **only,
        dry_run=arguments.dry_run,
        once=arguments.once,
        renew=arguments.renew,
    )


def _insist(arguments: argparse.Namespace) -> None:
    """Raise UsageError for what is asked of `--strip` besides, and what it does not heed."""
    from fencerun.errors import UsageError

    given = {"--only": arguments.only is not None, "--renew": arguments.renew,
             "--from": arguments.told, "--lf": arguments.last_failed}  # fmt: skip
    for option, is_given in given.items():
        if is_given:
            what = f"--strip removes every recording of a page, and knows no {option}"
            raise UsageError(what, f"leave {option} away")
