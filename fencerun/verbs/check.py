"""`fencerun check`: run and compare."""

from __future__ import annotations

import argparse

from fencerun.verbs import running

_EXAMPLES = """\
examples:
  fencerun check                          every page of the project
  fencerun check lessons/25_custom_ops.md
  fencerun check lessons/x.md::3          one fence, and what it continues
  fencerun check -k softmax -x            what mentions softmax, up to the first fault
  fencerun check --lf                     what was not green the last time
  fencerun check --diff side-by-side      recorded on the left, printed on the right
  fencerun check --report junit=out.xml --report github

exit codes: 0 as recorded · 1 out of date · 2 usage · 3 a problem in a page · 4 a fence failed
            5 nothing verified · 6 a fault of fencerun · 130 interrupted
"""


def options(verb: argparse.ArgumentParser) -> None:
    """What `check` takes."""
    verb.epilog = _EXAMPLES
    running.options(verb)


def run(arguments: argparse.Namespace) -> int:
    """Run and compare; no page is written."""
    return running.run("check", arguments)
