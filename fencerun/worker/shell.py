"""Fences in ``bash`` and ``sh``: a child process with the worker's output and directory.

It stops at the first command that fails (``-e``, and ``pipefail`` in bash), which bash names. It
forms a process group, so that a time limit ends all of it. Knows nothing of capture or of what
is expected.
"""

from __future__ import annotations

import contextlib
import os
import signal

from fencerun.worker.failingline import FailingLine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_COMMANDS = {"bash": ["bash", "-e", "-o", "pipefail", "-c"], "sh": ["sh", "-e", "-c"]}

#: Signals that Python ignores or we handle, which a shell has to find as they are by default.
_DEFAULTS = [
    getattr(signal, name) for name in ("SIGPIPE", "SIGXFSZ", "SIGINT") if hasattr(signal, name)
]


def is_shell(language: str) -> bool:
    """Whether ``language`` is run here."""
    return language in _COMMANDS


def run(language: str, code: str, line: int) -> dict[str, Any] | None:
    """Run a shell fence to its end; None, or the failure (keys of ``result.Failure``).

    ``line`` is the page line of the first line of ``code``. ``message`` of a failure is the exit
    status as text. An interrupt kills the whole process group and goes up.
    """
    with FailingLine(language, code) as watched:
        try:
            pid = start([*_COMMANDS[language], code], watched.environment)
        except OSError as error:
            return absent(language, error)
        try:
            _, status = os.waitpid(pid, 0)
        except BaseException:
            end(pid)
            raise
        failure = _failure(language, os.waitstatus_to_exitcode(status))
        found = watched.found() if failure is not None else None
    if failure is None or found is None:
        return failure
    place, command = found
    what = f"`{command}` ended with status {failure['message']}"
    return {**failure, "summary": what, "line": line + place - 1}


def start(command: list[str], environment: Mapping[str, str] | None = None) -> int:
    """Start a command in a process group of its own; its process id. Raises OSError.

    Variables of ``environment`` are on top of this process's.
    """
    variables = {**os.environ, **environment} if environment else os.environ
    return os.posix_spawnp(command[0], command, variables, setpgroup=0, setsigdef=_DEFAULTS)


def end(pid: int) -> None:
    """Kill the process group of a started command."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)


def absent(language: str, error: OSError) -> dict[str, Any]:
    """The failure of a fence whose shell does not start."""
    if isinstance(error, FileNotFoundError):
        return {"kind": "exit", "summary": f"{language} is not installed", "message": "127"}
    return {"kind": "exit", "summary": f"{language} does not start: {error}", "message": "126"}


def _failure(language: str, code: int) -> dict[str, Any] | None:
    if code == 0:
        return None
    if code < 0:
        what = f"{language} died of {signal_name(-code)}"
    else:
        what = f"{language} ended with status {code}"
    return {"kind": "exit", "summary": what, "message": str(code)}


def signal_name(number: int) -> str:
    """``SIGSEGV (signal 11)``, or ``signal 41`` where it has no name."""
    try:
        return f"{signal.Signals(number).name} (signal {number})"
    except ValueError:
        return f"signal {number}"
