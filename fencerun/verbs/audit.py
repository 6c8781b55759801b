"""`fencerun audit`: is each result independent of order and company?"""

from __future__ import annotations

import argparse

from fencerun.verbs import shared


def options(verb: argparse.ArgumentParser) -> None:
    """What `audit` takes."""
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
