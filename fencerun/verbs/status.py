"""`fencerun status`: every fence and what is known of it."""

from __future__ import annotations

import argparse

from fencerun.verbs import shared


def options(verb: argparse.ArgumentParser) -> None:
    """What `status` takes."""
    shared.selection(verb)
    shared.told(verb)


def run(arguments: argparse.Namespace) -> int:
    """Tell what is known; nothing is run."""
    from fencerun import inspection

    requires = shared.commas(arguments.requires)
    out = shared.stdout()
    return inspection.status(arguments.targets, arguments.word, arguments.told, out, requires)
