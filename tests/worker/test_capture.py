"""The capture of one process's output, in a process of its own."""

# Steps stand on one line.
# ruff: noqa: E501

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

#: Runs the case's steps, each bracketed as a fence, and tells on the old stdout what was seen.
DRIVER = """
import json, os, sys, threading, time
from fencerun.worker.capture import Capture
report = os.fdopen(os.dup(1), "w")
files = [os.memfd_create(name) for name in ("out", "err")]
for file in files:
    import fcntl
    fcntl.fcntl(file, fcntl.F_SETFL, os.O_APPEND)
capture = Capture(*(os.dup(file) for file in files))
seen = []
for chain in {chains!r}:
    capture.begin_chain()
    faces = sys.stdout, sys.stderr
    for merge, step in chain:
        late, _ = capture.begin(merge)
        try:
            exec(step)
        except OSError:
            pass
        ranges = capture.end()
        texts = ["".join(os.pread(f, b - a, a).decode() for a, b in zip(r[::2], r[1::2]))
                 for f, r in zip(files, ranges)]
        seen.append([late, *texts, capture.troubles()])
    capture.end_chain()
json.dump(seen, report)
"""


def run(*chains: list[tuple[bool, str]]) -> list[list[Any]]:
    """Per step: late bytes, stdout, stderr, troubles."""
    code = DRIVER.format(chains=list(chains))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, timeout=30, text=True
    )
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


def test_ranges_of_both_streams() -> None:
    steps = [(False, "print(1); print(2, file=sys.stderr)"), (False, ""), (False, "print(3)")]
    assert run(steps) == [[0, "1\n", "2\n", []], [0, "", "", []], [0, "3\n", "", []]]


def test_merged_stderr_and_back() -> None:
    both = "print(1); print(2, file=sys.stderr); os.write(2, b'3\\n'); print(4)"
    assert run([(True, both), (False, both), (True, both)]) == [
        [0, "1\n2\n3\n4\n", "", []],
        [0, "1\n4\n", "2\n3\n", []],
        [0, "1\n2\n3\n4\n", "", []],
    ]


def test_merged_at_the_end_of_a_chain_is_apart_in_the_next() -> None:
    step = "print(2, file=sys.stderr)"
    assert run([(True, step)], [(False, step)])[1] == [0, "", "2\n", []]


def test_late_output_is_counted_and_skipped() -> None:
    # `end` is made to return only when the thread has written.
    late = (
        "thread = threading.Timer(0.05, os.write, (1, b'late')); thread.start(); "
        "end = capture.end; capture.end = lambda: (end(), thread.join())[0]"
    )
    first, second = run([(False, late), (False, "capture.end = end; print(1)")])
    assert first[:2] == [0, ""]
    assert second[:2] == [4, "1\n"]


@pytest.mark.parametrize(
    ("step", "trouble"),
    [
        ("os.close(1)", "file descriptor 1 closed or redirected"),
        ("os.close(2)", "file descriptor 2 closed or redirected"),
        ("os.dup2(0, 1)", "file descriptor 1 closed or redirected"),
        ("os.dup2(1, 2)", "file descriptor 2 closed or redirected"),
        ("sys.stdout.close()", "sys.stdout closed"),
        ("sys.stderr.close()", "sys.stderr closed"),
    ],
)
def test_troubles_last_until_the_chain_ends(step: str, trouble: str) -> None:
    after = "print('out'); print('err', file=sys.stderr)"
    first, same, fresh = run([(False, step), (False, "")], [(False, after)])
    assert first[3] == same[3] == [trouble]
    assert fresh == [0, "out\n", "err\n", []]


C_PRINTF = "import ctypes; c = ctypes.CDLL(None); c.printf(b'from C\\\\n')"

STUCK = {
    "print": "os.close(1); print('from one')",
    "unended line": "os.close(2); sys.stderr.write('from one')",
    "merged": "os.close(1); os.close(2); sys.stderr.write('from one'); print('from one')",
    "C": f"os.close(1); {C_PRINTF}",
    "read only": "os.dup2(0, 1); print('from one', end='')",
    "full": "os.dup2(os.open('/dev/full', os.O_WRONLY), 1); print('from one')",
    "full, in C": f"os.dup2(os.open('/dev/full', os.O_WRONLY), 1); {C_PRINTF}",
}


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("name", STUCK)
def test_what_could_not_be_written_goes_with_its_chain(name: str, merge: bool) -> None:
    first, fresh = run([(merge, STUCK[name])], [(merge, "print('two')")])
    assert first[1:3] == ["", ""]
    assert fresh == [0, "two\n", "", []]


def test_what_could_not_be_written_at_first_may_be_later_in_its_chain() -> None:
    closed = "saved = os.dup(1); os.close(1); print('from one')"
    first, same = run([(False, closed), (False, "os.dup2(saved, 1)")])
    assert (first[1], same[1]) == ("", "from one\n")


def test_streams_that_handlers_hold_outlive_the_repair() -> None:
    same = "print(faces[0] is held[0], faces[1] is held[1], file=held[1])"
    _, fresh = run([(False, "held = faces; os.close(1); print(1)")], [(True, same)])
    assert fresh[1] == "True True\n"


@pytest.mark.parametrize("value", ["None", "object()", "open(os.devnull, 'w')"])
def test_a_replaced_stdout_is_put_back(value: str) -> None:
    found = run([(False, f"sys.stdout = {value}")], [(False, "print(1)")])
    assert found[1] == [0, "1\n", "", []]


def test_output_cannot_be_cut_off_by_a_fence() -> None:
    """Another fence's output may still be unread."""
    found = run([(False, "print(1)")], [(False, "os.lseek(1, 0, os.SEEK_SET); print(2)")])
    assert [step[1] for step in found] == ["1\n", "2\n"]


def test_encoding_and_buffering() -> None:
    step = "print(sys.stdout.encoding, sys.stdout.line_buffering, sys.stdout.name, sys.stdout.fileno())"
    assert run([(False, step)])[0][1] == "utf-8 True <stdout> 1\n"
