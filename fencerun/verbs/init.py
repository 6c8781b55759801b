"""`fencerun init`: a first lesson, a configuration, a CI workflow."""

from __future__ import annotations

import argparse

from fencerun.verbs import shared

_EXAMPLES = """\
examples:
  fencerun init             in this directory
  fencerun init course      in a new one

It writes lessons/first.md, [tool.fencerun] in pyproject.toml, and .github/workflows/fences.yml.
What is there is never overwritten: then it says what is in the way, writes nothing and exits 2.
"""


def options(verb: argparse.ArgumentParser) -> None:
    """What `init` takes."""
    verb.epilog = _EXAMPLES
    verb.add_argument("directory", nargs="?", default=".", metavar="DIR", help="made if needed")


def run(arguments: argparse.Namespace) -> int:
    """Write the files, or say what is in the way."""
    import os
    from pathlib import Path

    from fencerun.errors import UsageError
    from fencerun.pasting import pasted
    from fencerun.starting.origin import installed
    from fencerun.starting.scaffold import LESSON, WORKFLOW, scaffold
    from fencerun.starting.writing import write

    directory = Path(os.path.realpath(arguments.directory))
    source = installed()
    wanted, in_the_way = scaffold(directory, source)
    if in_the_way:
        shown = "".join(f"\n  {line}" for line in in_the_way)
        raise UsageError(f"init writes nothing, since something is in the way:{shown}")
    write(wanted)
    out = shared.stdout()
    for file in wanted:
        what = "written" if file.before is None else "a table [tool.fencerun] added"
        out.write(f"{os.path.relpath(file.path)}: {what}\n")
    if source.local:
        workflow = next(file for file in wanted if file.path.match(WORKFLOW))
        where = f"{os.path.relpath(workflow.path)}:{_line(workflow.data)}"
        what = f"CI is to install {source.requirement}, and this copy is from a folder here"
        out.write(f"{where}: note: {what}. Name a place there that CI can reach\n")
    go = "" if directory == Path(os.path.realpath(".")) else f"cd {pasted(arguments.directory)} && "
    out.write(f"next:\n  {go}fencerun check\n  {go}fencerun record {LESSON}\n")
    return 0


def _line(workflow: bytes) -> int:
    """The line that says what CI installs, counted from 1."""
    return next(
        number
        for number, line in enumerate(workflow.splitlines(), 1)
        if b"- run: pip install" in line
    )
