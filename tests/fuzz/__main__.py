"""``python -m tests.fuzz NAME [DIRECTORY] [libFuzzer options]``: fuzz until told otherwise.

New inputs go into DIRECTORY; the kept corpus is read besides. atheris has wheels for few versions
of Python and is in no extra: where it is missing, the command says how to get it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from .target import CORPUS, TARGETS, load

#: What is followed branch by branch: the code under test, and the parsers that it calls.
INSTRUMENTED = ["fencerun", "markdown_it", "yaml", "json"]

DICTIONARY = Path(__file__).with_name("markdown.dict")


def main() -> None:
    """Runs a target under atheris; never returns."""
    try:
        name = sys.argv[1]
        assert name in TARGETS
    except (IndexError, AssertionError):
        raise SystemExit(f"usage: python -m tests.fuzz {{{'|'.join(TARGETS)}}} …") from None
    try:
        atheris: Any = import_module("atheris")
    except ImportError:
        how = "pip install --target DIR atheris, then run with PYTHONPATH=DIR"
        raise SystemExit(f"tests.fuzz: atheris is missing: {how}") from None
    with atheris.instrument_imports(include=INSTRUMENTED):
        check = load(name)
        check(b"```python fence:1\n```\n")  # what is imported late is instrumented too
    options = [f"-dict={DICTIONARY}", *sys.argv[2:], str(CORPUS / name)]
    atheris.Setup([sys.argv[0], *options], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
