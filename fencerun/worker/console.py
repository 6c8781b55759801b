"""Fences in ``console``: commands given one by one to a bash that lives as long as the fence.

A loop in that bash reads a command from one pipe and writes its exit status to another, so that
what each command printed is told apart by when it was printed, not by marks in the output.
"""

from __future__ import annotations

import contextlib
import os

from fencerun.worker import shell
from fencerun.worker.capture import keep_high

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

# Commands find neither pipe: a child that stays would keep the second one open.
_LOOP = """\
while IFS= read -r -d '' -u {commands} __fencerun; do
eval "$__fencerun" {commands}<&- {statuses}>&-
echo $? >&{statuses}
done
"""


class Interrupted(KeyboardInterrupt):
    """A command was interrupted. ``line`` is its page line."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line


def run(
    turns: Sequence[Sequence[Any]], allowed: int, ended: Callable[[], None]
) -> dict[str, Any] | None:
    """Run the commands of a fence; None, or the failure (keys of ``result.Failure``).

    ``turns`` are (command, page line, …). Each must end with status 0, or ``allowed``, which
    then one at least must end with. ``ended`` is called after each. An interrupt kills the
    whole process group and goes up.
    """
    commands, give = map(keep_high, os.pipe())
    take, statuses = map(keep_high, os.pipe())
    try:
        with open(give, "wb", buffering=0) as to, open(take, "rb") as answers:
            try:
                pid = _start(commands, statuses)
            except OSError as error:
                return shell.absent("bash", error)
            finally:
                os.close(commands)
                os.close(statuses)
            failure = _converse(turns, allowed, to, answers, ended)
        _, status = os.waitpid(pid, 0)
    except BaseException:
        shell.end(pid)
        raise
    return failure if failure is None else _explained(failure, status, allowed)


def _start(commands: int, statuses: int) -> int:
    """Start the loop; it alone inherits its ends of the two pipes."""
    loop = _LOOP.format(commands=commands, statuses=statuses)
    for descriptor in (commands, statuses):
        os.set_inheritable(descriptor, True)
    return shell.start(["bash", "-c", loop])


def _converse(
    turns: Sequence[Sequence[Any]], allowed: int, to: Any, answers: Any, ended: Callable[[], None]
) -> dict[str, Any] | None:
    met = allowed == 0
    for place, (command, line, *_) in enumerate(turns, 1):
        with contextlib.suppress(BrokenPipeError):
            to.write(command.encode("utf-8", "surrogateescape") + b"\0")
        try:
            answer = answers.readline()
        except KeyboardInterrupt:
            raise Interrupted(line) from None
        ended()
        if not answer:
            failure = _failure(f"`{_first(command)}` ended the shell", "", line)
            return {**failure, "last": place == len(turns)}
        status = int(answer)
        met = met or status == allowed
        if status not in (0, allowed):
            what = f"`{_first(command)}` ended with status {status}"
            return _failure(what, str(status), line)
    if not met:
        what = f"`exit:{allowed}`, and every command ended with status 0"
        return _failure(what, "0", turns[-1][1])
    return None


def _explained(failure: dict[str, Any], status: int, allowed: int) -> dict[str, Any] | None:
    """The failure with the status of the shell where a command ended that; none if it may."""
    if "last" not in failure:
        return failure
    code = os.waitstatus_to_exitcode(status)
    if failure.pop("last") and code in {0, allowed}:
        return None
    how = f"with status {code}" if code >= 0 else f"by {shell.signal_name(-code)}"
    return {**failure, "message": str(code), "summary": f"{failure['summary']} {how}"}


def _first(command: str) -> str:
    """The first line of a command, for messages."""
    first, *more = command.split("\n")
    return f"{first} …" if more else first


def _failure(summary: str, message: str, line: int) -> dict[str, Any]:
    return {"kind": "exit", "summary": summary, "message": message, "line": line}
