"""`fencerun explain`: why a fence is stale, kept or skipped."""

from __future__ import annotations

import argparse

from fencerun.verbs import shared

_EXAMPLES = """\
examples:
  fencerun explain lessons/x.md::3
  fencerun explain lessons/x.md:120       the fence at that line
"""


def options(verb: argparse.ArgumentParser) -> None:
    """What `explain` takes."""
    verb.epilog = _EXAMPLES
    verb.add_argument("targets", nargs="+", metavar="ID", help="PAGE::FENCE or PAGE:LINE")


def run(arguments: argparse.Namespace) -> int:
    """Tell what a fence's key covers, and what became of it."""
    from fencerun import inspection

    return inspection.explain(arguments.targets, shared.stdout())
