"""What a death says of a fence: summaries and page lines."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import pytest

from fencerun.engines.base import Job
from fencerun.engines.blame import Death, failure, flood_summary, page_line
from fencerun.protocol import EXIT_BROKEN, EXIT_CUT_OFF

JOB = Job("a", 1, "import os\nos._exit(2)\n", 40, timeout=2.5)

DUMP = """\
Fatal Python error: Segmentation fault

Thread 0x00007f01 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 324 in wait
  File "lessons/x.md", line 99 in worker

Current thread 0x00007f02 (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "lessons/x.md", line 42 in inner
  File "lessons/x.md", line 47 in <module>
  File "/opt/fencerun/worker/execute.py", line 110 in _execute

Extension modules: numpy.core._multiarray_umath (total: 1)
"""


def exited(code: int) -> int:
    return code << 8


SUMMARIES = [
    (Death("crash", signal.SIGSEGV), "the process died of SIGSEGV (signal 11)"),
    (Death("crash", signal.SIGSEGV | 0x80), "the process died of SIGSEGV (signal 11)"),
    (Death("crash", exited(3)), "the process ended with status 3: os._exit, or exec"),
    (Death("crash", exited(0)), "the process ended with status 0: os._exit, or exec"),
    (Death("crash", None), "the process died, and the one that it was forked from as well"),
    (Death("crash", 9, note="x"), "the process sent something that is no answer (x)"),
    (
        Death("crash", exited(EXIT_CUT_OFF)),
        "the fence closed the file descriptors through which its worker answers",
    ),
    (
        Death("crash", exited(EXIT_BROKEN), fault="\0Traceback\nKeyError: 1\n"),
        "what the fence did broke its worker: KeyError: 1",
    ),
    (
        Death("memory", 9),
        "the process was killed because the machine ran out of memory (SIGKILL)",
    ),
    (Death("timeout", 9), "no end after 2.5 s"),
    (Death("flood", 9), "more than 64 MiB of output"),
]


@pytest.mark.parametrize(("death", "summary"), SUMMARIES)
def test_summary(death: Death, summary: str) -> None:
    found = failure(death, JOB, "lessons/x.md", 64 << 20)
    assert (found.kind, found.summary) == (death.kind, summary)


def test_the_line_is_the_innermost_of_the_thread_that_died() -> None:
    found = failure(Death("crash", 11, DUMP), JOB, "lessons/x.md", 1)
    assert found.line == 42
    assert found.traceback.splitlines() == [
        "Where it was (most recent call last):",
        '  File "lessons/x.md", line 47 in <module>',
        '  File "lessons/x.md", line 42 in inner',
        '  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at',
    ]


def test_another_threads_line_is_better_than_none() -> None:
    other = DUMP.replace("line 42", "line 0").partition("Current")[0]
    assert page_line(other, "lessons/x.md") == 99


@pytest.mark.parametrize("page", ["lessons/ü.md", "lessons/日本.md", "a\\b.md", 'quo"te.md'])
def test_names_as_faulthandler_writes_them(page: str) -> None:
    dumped = page.encode("ascii", "backslashreplace").decode()
    dump = f'Current thread 0x1 (most recent call first):\n  File "{dumped}", line 7 in f\n'
    assert page_line(dump, page) == 7


def test_no_dump_no_line() -> None:
    assert page_line("", "x.md") is None
    assert page_line("garbage\n  File", "x.md") is None


def test_an_exit_is_found_in_the_code_if_there_is_one_only() -> None:
    death = Death("crash", exited(2))
    assert failure(death, JOB, "x.md", 1).line == 41
    twice = replace(JOB, code=JOB.code * 2)
    assert failure(death, twice, "x.md", 1).line is None
    assert failure(Death("crash", signal.SIGKILL), JOB, "x.md", 1).line is None


@pytest.mark.parametrize("name", ["_exit", "execv", "execve", "execvp", "execvpe", "execl"])
def test_so_is_another_program_put_in_the_place_of_the_process(name: str) -> None:
    job = replace(JOB, code=f"import os\nexec('1')\nos.{name}(f(), x)\n")
    assert failure(Death("crash", exited(0)), job, "x.md", 1).line == 42


@pytest.mark.parametrize(
    ("limit", "text"), [(64 << 20, "64 MiB"), (1536, "1.5 KiB"), (100, "100 bytes")]
)
def test_flood_summary(limit: int, text: str) -> None:
    assert flood_summary(limit) == f"more than {text} of output"


def test_statuses_are_what_wait_gives() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(3)
    assert os.waitpid(pid, 0)[1] == exited(3)
