"""`fencerun tag`: number the code blocks of pages that have no tags yet."""

from __future__ import annotations

import argparse

from fencerun.verbs import shared

_EXAMPLES = """\
examples:
  fencerun tag --try lessons/x.md         run its blocks, tag those that pass
  fencerun tag --try --dry-run lessons    what that would change, page by page
  fencerun tag lessons/x.md               tag by what the code says; runs nothing
  fencerun tag --carrier comment docs     whatever the project's renderer is

exit codes: 0 done · 1 a dry run would change a page · 2 usage, or a page not written
            3 a problem in a page, which stays as it is
"""


def options(verb: argparse.ArgumentParser) -> None:
    """What `tag` takes."""
    verb.epilog = _EXAMPLES
    verb.add_argument("targets", nargs="+", metavar="PAGE", help="pages and directories")
    verb.add_argument(
        "--try",
        dest="tried",
        action="store_true",
        help="run the blocks, and tag only those that pass",
    )
    verb.add_argument(
        "--dry-run", action="store_true", help="show it, write nothing; exit 1 if it would"
    )
    verb.add_argument(
        "--carrier",
        choices=("words", "attributes", "comment"),
        help="how tags are written; by default as the project's renderer shows them well",
    )
    shared.python(verb)
    verb.add_argument("--without", metavar="CAPS", default="", help="treat these as not there")


def run(arguments: argparse.Namespace) -> int:
    """Tag the pages, and tell what was left."""
    from fencerun.tagging.work import Wish, tag

    wish = Wish(
        tuple(arguments.targets),
        arguments.tried,
        arguments.dry_run,
        arguments.carrier,
        arguments.python,
        shared.commas(arguments.without),
    )
    return tag(wish, shared.stdout())
