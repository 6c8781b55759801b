"""`fencerun serve`: the lessons as live pages in the browser."""

from __future__ import annotations

import argparse

from fencerun.verbs import shared

_EXAMPLES = """\
examples:
  fencerun serve                          every page of the project
  fencerun serve lessons/x.md --no-open   print the address, open no browser
"""


def options(verb: argparse.ArgumentParser) -> None:
    """What `serve` takes."""
    verb.epilog = _EXAMPLES
    verb.add_argument(
        "targets", nargs="*", metavar="PAGE", help="PAGE or DIR; all of the project without any"
    )
    verb.add_argument(
        "--no-open", dest="open", action="store_false", help="print the address, open no browser"
    )
    verb.add_argument("--port", type=_port, help="the port on 127.0.0.1; 0 for any that is free")
    verb.add_argument("--without", metavar="CAPS", default="", help="treat these as not there")
    shared.python(verb)


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from fencerun.serve.needs import insist

    insist()
    from fencerun.serve.serving import serve

    return serve(
        arguments.targets,
        port=arguments.port,
        opens=arguments.open,
        python=arguments.python,
        without=shared.commas(arguments.without),
        stream=shared.stdout(),
    )


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 1 << 16):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: a number from 0 to 65535")
    return int(text)
