"""`fencerun audit`: is each result independent of order and company?"""

from __future__ import annotations

import argparse

from fencerun.verbs import shared

_EXAMPLES = """\
examples:
  fencerun audit                          every page of the project
  fencerun audit lessons/x.md
  fencerun audit --seed 7                 the order that an audit before printed
  fencerun audit -j                       on all cores

exit codes: 0 each result is its fence's own · 2 usage · 3 a problem in a page
            4 some depend on order, repetition or company · 5 nothing ran
"""


def options(verb: argparse.ArgumentParser) -> None:
    """What `audit` takes."""
    verb.epilog = _EXAMPLES
    shared.selection(verb)
    shared.python(verb)
    shared.jobs(verb, "runs side by side: auto, or so many")
    verb.add_argument("--seed", type=int, help="the shuffle to repeat; printed by each audit")


def run(arguments: argparse.Namespace) -> int:
    """Run everything several times over, and name what differs."""
    from fencerun import auditing

    return auditing.audit(
        shared.targets(arguments),
        arguments.word,
        arguments.python,
        arguments.seed,
        shared.stdout(),
        shared.commas(arguments.requires),
        arguments.jobs,
    )
