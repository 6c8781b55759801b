"""`fencerun check`: run and compare."""

from __future__ import annotations

import argparse

from fencerun.verbs import running


def options(verb: argparse.ArgumentParser) -> None:
    """What `check` takes."""
    running.options(verb)


def run(arguments: argparse.Namespace) -> int:
    """Run and compare; no page is written."""
    return running.run("check", arguments)
