"""`fencerun audit`: is each result independent of order and company?"""

from __future__ import annotations

import argparse

from fencerun.verbs import shared

_EXAMPLES = """\
examples:
  fencerun audit                          every page of the project
  fencerun audit lessons/x.md
  fencerun audit --seed 7                 the order that an audit before printed

exit codes: 0 each result is its fence's own · 2 usage · 3 a problem in a page
            4 some depend on order, repetition or company · 5 nothing ran
"""


def options(verb: argparse.ArgumentParser) -> None:
    """What `audit` takes."""
    verb.epilog = _EXAMPLES
    shared.selection(verb)
    shared.python(verb)
    verb.add_argument("--seed", type=int, help="the shuffle to repeat; printed by each audit")


def run(arguments: argparse.Namespace) -> int:
    """Run everything several times over, and name what differs."""
    from fencerun import auditing

    return auditing.audit(
        arguments.targets,
        arguments.word,
        arguments.python,
        arguments.seed,
        shared.stdout(),
        shared.commas(arguments.requires),
    )
