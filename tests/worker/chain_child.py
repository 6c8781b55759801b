"""Runs chains of fences in this interpreter and prints how each went, as JSON.

The cases come as JSON on stdin: ``[[name, [[line, code], …]], …]``. A process of its own, because
the fences load torch, start workers and switch Triton to its interpreter.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys

from fencerun.worker import execute
from fencerun.worker.namespace import Script

PAGE = "lessons/x.md"


def run(fences: list[tuple[int, str]], directory: str) -> dict[str, object]:
    """What a chain of fences prints, and its first failure."""
    printed = io.StringIO()
    failure = None
    with contextlib.redirect_stdout(printed), Script(PAGE, directory) as script:
        for line, code in fences:
            failure = execute.run(script, code, line)
            if failure is not None:
                break
    return {"printed": printed.getvalue(), "failure": failure}


def main() -> None:
    directory = os.getcwd()
    sys.argv = [PAGE]
    sys.path[0] = directory
    results = {name: run(fences, directory) for name, fences in json.load(sys.stdin)}
    print(json.dumps(results))


if __name__ == "__main__":
    main()
