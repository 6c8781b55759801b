"""`fencerun export`: a page as a notebook, a script or an HTML file."""

from __future__ import annotations

import argparse

from fencerun.verbs import shared

_EXAMPLES = """\
examples:
  fencerun export lessons/x.md --to ipynb           lessons/x.ipynb, with outputs
  fencerun export lessons/x.md --to html -o x.html  one file, nothing to load
  fencerun export lessons --to py -o scripts        a script of each page

Nothing is run: outputs are what the page says. A file that no export wrote, or that was changed
since, is left alone unless you say --force.
"""


def options(verb: argparse.ArgumentParser) -> None:
    """What `export` takes."""
    verb.epilog = _EXAMPLES
    verb.add_argument("targets", nargs="+", metavar="PAGE", help="PAGE or DIR")
    verb.add_argument("--to", required=True, choices=("ipynb", "py", "html"), help="what to make")
    verb.add_argument(
        "-o",
        dest="out",
        metavar="FILE",
        help="where (a file, a directory, or - for stdout); else beside the page",
    )
    verb.add_argument("--force", action="store_true", help="overwrite what is there")
    verb.add_argument("--without", metavar="CAPS", default="", help="treat these as not there")
    shared.python(verb)


def run(arguments: argparse.Namespace) -> int:
    """Write the files."""
    from fencerun.export.exporting import Wish, export

    wish = Wish(
        arguments.to,
        arguments.out,
        arguments.force,
        arguments.python,
        shared.commas(arguments.without),
    )
    return export(arguments.targets, wish, shared.stdout())
