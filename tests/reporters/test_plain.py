"""Plain text, byte for byte."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable

import pytest

from fencerun.events import Event, FenceDone
from fencerun.reporters import make
from fencerun.result import Failure

from .scripted import GREEN, HOSTILE, LEAKY, MIXED, NAME_ERROR, SKIPPED, play, run, verdict

Golden = Callable[[str, str], None]


def test_quiet_when_all_is_well() -> None:
    assert play("plain", run([verdict("passed")])) == (
        "fencerun check, Python 3.11.7 (.venv/bin/python), torch 2.13.0\n"
        "1 passed on 1 page in 3.2 s\n"
    )
    assert play("plain", GREEN).count("\n") == 3


def test_a_mixed_run(golden: Golden) -> None:
    golden("plain.txt", play("plain", MIXED))


def test_verbose(golden: Golden) -> None:
    events = run([verdict("passed", seconds=0.25), LEAKY, SKIPPED, NAME_ERROR], written=True)
    golden("plain-verbose.txt", play("plain", events, verbose=1))


def test_hostile_output(golden: Golden) -> None:
    failure = Failure("exception", HOSTILE, traceback=HOSTILE, values=(("x", HOSTILE),))
    hostile = verdict("failed", what=HOSTILE, output=HOSTILE, stderr=HOSTILE, failure=failure)
    shown = play("plain", run([hostile], exit_code=4))
    golden("plain-hostile.txt", shown)
    assert "\x1b" not in shown
    assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8", "cp1252"])
def test_any_encoding_will_do(encoding: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    reporter = make("plain", stream, verbose=1)
    for event in run([LEAKY, verdict("failed", what="語 → …")]):
        reporter.handle(event)
    reporter.close()
    shown = stream.buffer.getvalue().decode(encoding)
    assert ("語" in shown) is (encoding == "utf-8")


def test_a_failure_is_written_at_once() -> None:
    raw = io.BytesIO()
    reporter = make("plain", io.TextIOWrapper(raw, encoding="utf-8"))
    reporter.handle(FenceDone(NAME_ERROR))
    assert b"NameError" in raw.getvalue()


def test_a_run_that_broke_off_says_so_once() -> None:
    events: list[Event] = MIXED[:8]
    stream = io.StringIO()
    reporter = make("plain", stream)
    for event in events:
        reporter.handle(event)
    reporter.close()
    reporter.close()
    assert stream.getvalue().count("the run broke off") == 1


def test_rich_is_not_imported() -> None:
    code = (
        "import sys, fencerun.reporters as reporters;"
        "[reporters.make(name, sys.stdout) for name in reporters.NAMES if name != 'rich'];"
        "sys.exit(any(name.partition('.')[0] == 'rich' for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
