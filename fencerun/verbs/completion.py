"""`fencerun completion`: a script that completes verbs, options, pages and fences."""

from __future__ import annotations

import argparse

from fencerun.verbs import shared

_EXAMPLES = """\
examples:
  source <(fencerun completion bash)                                  in ~/.bashrc
  source <(fencerun completion zsh)                                   in ~/.zshrc, after compinit
  fencerun completion fish > ~/.config/fish/completions/fencerun.fish

Pages are completed as files are; after `page.md::` the numbers of its fences.
"""

#: Prints the numbers of the fences of a page, whichever carrier they are in.
_NUMBERS = (
    "sed -nE 's/^[^`~<]*(`{3,}|~{3,}|<!--)([^`]*[ {])?fence[:=]([1-9][0-9]*)([^0-9].*)?$/\\3/p'"
)


def options(verb: argparse.ArgumentParser) -> None:
    """What `completion` takes."""
    verb.epilog = _EXAMPLES
    verb.add_argument("shell", choices=("bash", "zsh", "fish"), help="whose script")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    import importlib

    from fencerun import cli
    from fencerun.completion.offer import verbs

    shell = importlib.import_module(f"fencerun.completion.{arguments.shell}")
    shared.stdout().write(shell.script(verbs(cli._parser()), _NUMBERS))
    return 0
