"""CPU time of whole processes, run in turns. Knows nothing of what it measures.

CPU seconds, not wall: on a machine that others use too, wall time says how busy they are. A
process's time is its own and that of every descendant that was waited for.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fencerun.worker import children

#: Would change what Python does at its start, or make fencerun colour its output.
_UNSET = (
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONUNBUFFERED",
    "VIRTUAL_ENV",
    "CI",
    "GITHUB_STEP_SUMMARY",
    "FORCE_COLOR",
)

#: Seconds of wall time after which a command is ended: it hangs.
LIMIT = 600.0

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Command:
    """What to run, where, and the exit code that shows that it did its work."""

    words: Sequence[str]
    directory: Path
    code: int = 0
    #: Environment variables besides those of every timed process.
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sample:
    """One process, start to end: CPU in seconds, the largest resident size in bytes."""

    cpu: float
    rss: int


def python(*words: str) -> list[str]:
    """A command of the interpreter that runs this."""
    return [sys.executable, *words]


def fencerun(*words: str) -> list[str]:
    """A command of the fencerun beside the interpreter, as its users start it."""
    return [str(Path(sys.executable).with_name("fencerun")), *words]


def environment() -> dict[str, str]:
    """The environment of every timed process."""
    return {name: value for name, value in os.environ.items() if name not in _UNSET}


def run(command: Command) -> Sample:
    """Run to the end. Raises RuntimeError, with what it said, on another exit code."""
    process = subprocess.Popen(
        command.words,
        cwd=command.directory,
        env=environment() | dict(command.variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    watchdog = threading.Timer(LIMIT, os.kill, (process.pid, signal.SIGKILL))
    watchdog.start()
    try:
        with process.stdout:
            said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
    finally:
        watchdog.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != command.code:
        shown = said[-2000:].decode("utf-8", "replace")
        raise RuntimeError(f"{' '.join(command.words)}: exit {process.returncode}\n{shown}")
    return Sample(usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10)


def passes(command: Command) -> bool:
    """Whether it ends with the exit code that says so."""
    try:
        run(command)
    except RuntimeError:
        return False
    return True


def in_turns(commands: Mapping[str, Command], rounds: int) -> dict[str, list[Sample]]:
    """Every command once a round, so that a busy spell of the machine hits all alike.

    A first round that does not count writes the ``.pyc`` files and warms the disk cache.
    """
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            sample = run(command)
            if number:
                samples[name].append(sample)
    return samples


def control(command: Command, seconds: float) -> None:
    """Check that CPU time of a process's descendants is counted.

    ``command`` has one of them burn ``seconds``. Raises RuntimeError where that does not show.
    """
    spent = run(command).cpu
    if spent < seconds:
        raise RuntimeError(f"{seconds} s of CPU in a descendant showed as {spent:.2f} s")


def tree_cpu() -> float:
    """CPU seconds of this process and of all that it started, whether they ended or not."""
    return time.process_time() + sum(cpu(pid) for pid in children.descendants(os.getpid()))


def cpu(pid: int) -> float:
    """A running process's CPU seconds, and those of its children that it has reaped."""
    # The clock of another process, as clock_getcpuclockid(3) numbers it on Linux.
    own = time.clock_gettime((~pid << 3) | 2)
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return own + (int(fields[13]) + int(fields[14])) / _TICKS


def resident(pid: int) -> int:
    """Resident memory of a process in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def machine() -> Iterator[str]:
    """What the figures were measured on, one fact at a time."""
    yield f"{len(os.sched_getaffinity(0))} cores"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            yield line.partition(":")[2].strip()
            break
    yield f"Linux {os.uname().release}"
    yield f"Python {sys.version.split()[0]}"
    yield f"load {os.getloadavg()[0]:.1f}"
