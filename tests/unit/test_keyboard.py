"""Keys of a terminal, read one at a time."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator

import pytest

from fencerun.keyboard import Keyboard

CODE = """
import sys
from fencerun.keyboard import Keyboard
with Keyboard() as keys:
    print("there", keys.there, flush=True)
    while (key := keys.read(30)) != "q":
        print(repr(key), flush=True)
"""


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)
    os.close(theirs)


def test_keys_come_one_at_a_time_and_arrows_are_none() -> None:
    pid, end = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", CODE])
    said = b""
    try:
        while b"there True" not in said:
            said += os.read(end, 1024)
        os.write(end, b"rs\x1b[A")
        while b"'s'" not in said:
            said += os.read(end, 1024)
        os.write(end, b"q")
        _, status = os.waitpid(pid, 0)
    finally:
        os.close(end)
    assert os.waitstatus_to_exitcode(status) == 0
    assert said.split()[2:4] == [b"'r'", b"'s'"]


def test_the_terminal_is_given_back_as_it_was() -> None:
    code = CODE + "import os, termios; print(bool(termios.tcgetattr(0)[3] & termios.ECHO))"
    pid, end = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", code])
    said = b""
    try:
        while b"there True" not in said:
            said += os.read(end, 1024)
        assert not termios.tcgetattr(end)[3] & termios.ECHO
        os.write(end, b"q")
        while b"True\r\n" not in said.partition(b"there True")[2]:
            said += os.read(end, 1024)
        os.waitpid(pid, 0)
    finally:
        os.close(end)


def test_without_a_terminal_there_are_no_keys() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE.replace("30", "0.01").replace('!= "q"', '!= ""')],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "there False\n"


def test_a_terminal_of_others_is_left_alone(terminal: tuple[int, int]) -> None:
    before = termios.tcgetattr(terminal[1])
    with Keyboard(terminal[1]) as keys:
        assert not keys.there
        assert termios.tcgetattr(terminal[1]) == before


def test_another_thread_wakes_it() -> None:
    with Keyboard(-1) as keys:
        threading.Timer(0.05, keys.wake).start()
        assert keys.read(60) == ""
        for _ in range(100_000):  # more than a pipe holds
            keys.wake()
        assert keys.read(60) == ""


ENDING = """
import signal
from fencerun.keyboard import on_end
ignored = [signal.SIGHUP, signal.SIGTERM][: {}]
for number in ignored:
    signal.signal(number, signal.SIG_IGN)
before = list(map(signal.getsignal, (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)))
undo = on_end(lambda number: print(signal.Signals(number).name), signal.SIGINT)
for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
    signal.raise_signal(number)
undo()
assert before == list(map(signal.getsignal, (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)))
"""


@pytest.mark.parametrize(
    ("ignored", "heard"),
    [
        (0, ["SIGHUP", "SIGTERM", "SIGINT"]),
        (1, ["SIGTERM", "SIGINT"]),
        (2, ["SIGINT"]),
    ],
    ids=["none", "as nohup does", "two"],
)
def test_what_the_process_was_started_to_ignore_does_not_end_it(
    ignored: int, heard: list[str]
) -> None:
    code = ENDING.format(ignored)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout.split(), done.stderr) == (heard, "")
