"""`fencerun schema`: JSON schemas for editors."""

from __future__ import annotations

import argparse

from fencerun.verbs import shared

_EXAMPLES = """\
examples:
  fencerun schema config > fencerun.schema.json    of pyproject.toml, with [tool.fencerun]
  fencerun schema page > page.schema.json          of a page's front matter

docs/editors.md says how an editor is told of them.
"""


def options(verb: argparse.ArgumentParser) -> None:
    """What `schema` takes."""
    verb.epilog = _EXAMPLES
    verb.add_argument("of", choices=("config", "page"), help="whose schema")


def run(arguments: argparse.Namespace) -> int:
    """Print the schema."""
    import json

    from fencerun.schema import SCHEMAS

    shared.stdout().write(json.dumps(SCHEMAS[arguments.of](), indent=2, ensure_ascii=False) + "\n")
    return 0
