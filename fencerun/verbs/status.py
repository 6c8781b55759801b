"""`fencerun status`: every fence and what is known of it."""

from __future__ import annotations

import argparse

from fencerun.verbs import shared

_EXAMPLES = """\
examples:
  fencerun status                         every page of the project
  fencerun status lessons/x.md
  fencerun status --requires cuda         what needs a GPU
  fencerun status --from '*.jsonl'        was each fence run by some machine?

exit codes: 0 · 2 usage · 3 a problem in a page · 5 with --from: a fence that no machine ran
"""


def options(verb: argparse.ArgumentParser) -> None:
    """What `status` takes."""
    verb.epilog = _EXAMPLES
    shared.selection(verb)
    shared.told(verb)


def run(arguments: argparse.Namespace) -> int:
    """Tell what is known; nothing is run."""
    from fencerun import inspection

    requires = shared.commas(arguments.requires)
    out = shared.stdout()
    return inspection.status(arguments.targets, arguments.word, arguments.told, out, requires)
