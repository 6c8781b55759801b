"""Transcripts, run as they were typed: statements at Python's prompt, commands at a shell's.

After each turn the caller is told, who knows where its output ends. Knows nothing of capture or
of what is expected, but for whether an exception is.
"""

from __future__ import annotations

import contextlib
import os
import sys

from fencerun.worker import console, execute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from fencerun.worker.namespace import Script

    #: Code, page line, and whether an exception is expected.
    Turn = tuple[str, int, bool]


def run(script: Script, job: dict[str, Any], ended: Callable[[], None]) -> dict[str, Any] | None:
    """Run the turns of a job; the failure (keys of ``result.Failure``) of the first to fail.

    ``ended`` is called after each turn. KeyboardInterrupt is raised on.
    """
    if job["language"] == "console":
        return console.run(job["turns"], job.get("exit", 0), ended)
    with _shown(script):
        for turn in job["turns"]:
            failure = _statement(script, turn, job["number"])
            ended()
            if failure is not None:
                return failure
    return None


def _statement(script: Script, turn: Turn, number: int) -> dict[str, Any] | None:
    code, line, raises = turn
    if all(text.strip()[:1] in ("", "#") for text in code.split("\n")):
        return None  # which is no statement to the compiler, and nothing to a prompt
    failure = execute.run(script, code + "\n", line, number=number, mode="single", expected=raises)
    if failure is None or not raises or failure["kind"] not in ("exception", "exit", "syntax"):
        return failure
    name, message = failure["mro"][0], failure["message"]
    said = f"{name}: {message}" if message else name
    sys.stdout.flush()
    with contextlib.suppress(OSError):
        text = f"Traceback (most recent call last):\n  ...\n{said}\n"
        os.write(1, text.encode("utf-8", "backslashreplace"))
    return None


@contextlib.contextmanager
def _shown(script: Script) -> Iterator[None]:
    """Let statements show their values, and keep the last in the script's own ``_``.

    Python's own hook keeps it in ``builtins``, for all scripts of the process.
    """
    names = script.module.__dict__

    def show(value: object) -> None:
        if value is not None:
            print(repr(value))
            names["_"] = value

    before = sys.displayhook
    if before is sys.__displayhook__:
        sys.displayhook = show
    try:
        yield
    finally:
        if sys.displayhook is show:
            sys.displayhook = before
