"""What is said of a fence whose process died or had to be ended. Pure: facts in, Failure out."""

from __future__ import annotations

import os
import re
import signal
from typing import Literal

from fencerun.engines.base import Job
from fencerun.frozen import dataclass
from fencerun.patterns import later
from fencerun.protocol import EXIT_BROKEN, EXIT_CUT_OFF
from fencerun.result import Failure

#: ``  File "lessons/x.md", line 41 in work``, as faulthandler writes it.
_FRAME = later(r'^ +File "(?P<file>.*)", line (?P<line>\d+) in ', re.MULTILINE)

#: Where faulthandler says which thread the next frames belong to.
_THREAD = later(r"^(?P<current>Current thread|Thread) .*$", re.MULTILINE)

#: A call that ends the process, or puts another program in its place, without a word.
_LEAVES = later(r"\b_exit\(|\bexec[lv]p?e?\(")


@dataclass(frozen=True, slots=True)
class Death:
    """The end of a worker that had not answered.

    ``status`` is as ``waitpid`` gives it, None if nobody could tell. ``fault`` is what
    faulthandler wrote. ``begun`` says whether the job had begun; ``seconds`` is how long it was
    the one in line. ``value`` says which of the job's values was being evaluated, counted from 1,
    or 0. ``note`` is what was wrong with the worker's last words, if anything.
    """

    kind: Literal["crash", "timeout", "flood", "memory"]
    status: int | None = None
    fault: str = ""
    seconds: float = 0.0
    begun: bool = True
    value: int = 0
    note: str = ""


def failure(death: Death, job: Job, page: str, flood: int) -> Failure:
    """The failure of the job that the worker had in hand."""
    line = page_line(death.fault, page)
    if death.kind == "timeout":
        summary = timeout_summary(job)
    elif death.kind == "flood":
        summary = flood_summary(flood)
    elif death.kind == "memory":
        summary = "the process was killed because the machine ran out of memory (SIGKILL)"
    else:
        summary = _crash(death)
        line = line or (None if death.value else _exit_line(death, job))
    said = death.fault.partition("\0")[2] or _trace(death.fault, page)
    return Failure(death.kind, of_value(job, death.value) + summary, line, traceback=said)


def of_value(job: Job, place: int) -> str:
    """What a summary begins with where not the fence's code but one of its values is to blame.

    ``place`` is counted from 1; what is no place of a value gives nothing.
    """
    if not 1 <= place <= len(job.values):
        return ""
    return f"the value `{job.values[place - 1][0].strip()}`: "


def timeout_summary(job: Job) -> str:
    """``no end after 60 s``."""
    return f"no end after {job.timeout:g} s"


def flood_summary(limit: int) -> str:
    """``more than 64 MiB of output``."""
    for size, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if limit >= size:
            return f"more than {limit / size:.4g} {unit} of output"
    return f"more than {limit} bytes of output"


def _crash(death: Death) -> str:
    if not death.begun:
        return "the process died before the fence began, time and again"
    if death.note:
        return f"the process sent something that is no answer ({death.note})"
    if death.status is None:
        return "the process died, and the one that it was forked from as well"
    if os.WIFSIGNALED(death.status):
        return f"the process died of {signal_name(os.WTERMSIG(death.status))}"
    if os.WEXITSTATUS(death.status) == EXIT_CUT_OFF:
        return "the fence closed the file descriptors through which its worker answers"
    if os.WEXITSTATUS(death.status) == EXIT_BROKEN and "\0" in death.fault:
        return f"what the fence did broke its worker: {death.fault.strip().rpartition(chr(10))[2]}"
    return f"the process ended with status {os.WEXITSTATUS(death.status)}: os._exit, or exec"


def signal_name(number: int) -> str:
    """``SIGSEGV (signal 11)``."""
    try:
        return f"{signal.Signals(number).name} (signal {number})"
    except ValueError:
        return f"signal {number}"


def page_line(fault: str, page: str) -> int | None:
    """The innermost page line of a faulthandler dump: of the current thread's, if it has one."""
    name = _as_dumped(page)
    for frames in _threads(fault):
        for frame in _FRAME.finditer(frames):
            if _same(frame["file"], name):
                return int(frame["line"])
    return None


def _threads(fault: str) -> list[str]:
    """The frames of each thread, the current one's first."""
    heads = list(_THREAD.finditer(fault))
    ends = [head.start() for head in heads[1:]] + [len(fault)]
    parts = [
        (head["current"] != "Current thread", fault[head.end() : end])
        for head, end in zip(heads, ends, strict=False)
    ]
    return [text for _, text in sorted(parts, key=lambda part: part[0])]


def _as_dumped(path: str) -> str:
    return path.encode("ascii", "backslashreplace").decode("ascii")


def _same(dumped: str, name: str) -> bool:
    # faulthandler cuts a long name and puts three dots behind it.
    return dumped == name or (dumped.endswith("...") and name.startswith(dumped[:-3]))


def _trace(fault: str, page: str) -> str:
    """The dump's frames from the page inwards, outermost first, as tracebacks have them."""
    name = _as_dumped(page)
    for frames in _threads(fault):
        lines = [match[0] for match in re.finditer(r"^ +File .*$", frames, re.MULTILINE)]
        on_page = [
            place
            for place, line in enumerate(lines)
            if (found := _FRAME.match(line)) and _same(found["file"], name)
        ]
        if on_page:
            kept = reversed(lines[: on_page[-1] + 1])
            return "\n".join(["Where it was (most recent call last):", *kept]) + "\n"
    return ""


def _exit_line(death: Death, job: Job) -> int | None:
    """The page line of the only ``_exit(`` or ``exec…(`` in the code: these leave no trace."""
    if death.status is None or not os.WIFEXITED(death.status):
        return None
    lines = [number for number, line in enumerate(job.code.split("\n")) if _LEAVES.search(line)]
    return job.line + lines[0] if len(lines) == 1 else None
