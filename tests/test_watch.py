"""`fencerun watch`, at a terminal."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from live.desk import fence

from fencerun.worker import children

pytest.importorskip("watchfiles")

BOTTOM = "q quit"
ONE = fence("fence:1", "x = 1", "print('x is', x)")
TWO = fence("fence:2 continues:1", "print('x + 1 is', x + 1)")
THREE = fence("fence:3", "print('three')")


class Author:
    """Someone who has `fencerun watch` open in a terminal, and saves pages."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.pid = 0
        self.terminal = -1
        self.seen = ""
        self.below: list[int] = []

    def start(self, *arguments: str, until: str = "ready in", **environment: str) -> str:
        """Start it; what it writes up to ``until``."""
        command = [sys.executable, "-m", "fencerun", "watch", *arguments]
        env = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "1", **environment}
        for name in ("VIRTUAL_ENV", "FENCERUN_PAGE", "CI"):
            env.pop(name, None)
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(self.directory)
                os.execve(sys.executable, command, env)
            finally:
                os._exit(127)
        return self.until(until)

    def until(self, what: str, seconds: float = 60) -> str:
        """What it writes, up to something that it is to write."""
        end = time.monotonic() + seconds
        while what not in self.seen:
            ready = select.select([self.terminal], [], [], max(0.0, end - time.monotonic()))[0]
            assert ready, f"{what!r} never came:\n{self.seen}"
            self.seen += self._read()
        said, self.seen = self.seen.split(what, 1)
        return said + what

    def quiet(self, seconds: float) -> str:
        """What it writes within so many seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.terminal], [], [], left)[0]:
                self.seen += self._read()
        said, self.seen = self.seen, ""
        return said

    def _read(self) -> str:
        try:
            data = os.read(self.terminal, 1 << 16)
        except OSError:
            data = b""
        assert data, f"it ended:\n{self.seen}"
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode()).replace("\r", "")

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self.terminal, keys.encode())

    def save(self, *parts: str, name: str = "a.md") -> None:
        """Write a page in place."""
        (self.directory / name).write_text("\n".join(parts))

    def rename(self, *parts: str, name: str = "a.md") -> None:
        """Write a page as most editors do: another file, renamed."""
        other = self.directory / f".{name}.swp"
        other.write_text("\n".join(parts))
        other.replace(self.directory / name)

    def ended(self) -> int:
        """Wait for its end; the exit code, as a shell gives it."""
        self.below += children.descendants(self.pid)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.02)[0]:
                with contextlib.suppress(OSError):  # unread, it would have it wait
                    os.read(self.terminal, 1 << 16)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
        raise AssertionError("it does not end")

    def close(self) -> None:
        """End it, whatever it does."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self.terminal >= 0:
            os.close(self.terminal)


def alive(pids: list[int]) -> list[str]:
    """The processes among these that still run, after some time to end."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        left = [name for pid in pids if (name := children.command(pid))]
        if not left:
            return []
        time.sleep(0.02)
    return left


@pytest.fixture
def author(tmp_path: Path) -> Iterator[Author]:
    (tmp_path / "pyproject.toml").write_text("[tool.fencerun]\n")
    one = Author(tmp_path)
    yield one
    one.close()


def test_an_hour_of_work(author: Author) -> None:
    author.save(ONE, TWO, THREE)
    assert "1 page, 3 fences" in author.start()

    author.save(ONE.replace("x = 1", "x = 41"), TWO, THREE)
    said = author.until("2 unrecorded in ")
    assert "a.md: fences 1 and 2" in said
    assert "x is 41" in said and "x + 1 is 42" in said and "three" not in said
    assert re.search(r"fence 1, it printed 1 line and has no recording \(\d+ ms\)", said)

    # As editors save: by renaming another file.
    author.rename(ONE.replace("x = 1", "x = 5"), TWO, THREE)
    assert "x is 5" in author.until("2 unrecorded in ")

    author.press("r")
    author.until("2 recorded in ")
    page = author.directory / "a.md"
    assert "```text output:2\nx + 1 is 6\n```" in page.read_text()
    # That changed the page, and runs nothing.
    assert "fence" not in author.quiet(0.5)

    recorded = page.read_text()
    page.write_text(recorded.replace("x = 5", "x = 6"))
    said = author.until("2 changed in ")
    assert "- | x is 5" in said and "+ | x is 6" in said
    page.write_text(recorded)
    assert "2 passed" in author.until("2 passed in")

    page.write_text(recorded.replace("fence:3", "fence:1"))
    assert "a.md:18: problem: fence:1 stands twice" in author.until("stands twice")
    page.write_text(recorded.replace("three", "drei"))
    said = author.until("1 unrecorded in ")
    assert "reads well again" in said and "drei" in said

    author.save(THREE, name="b.md")
    assert "b.md: fence 3" in author.until("1 unrecorded in ")
    (author.directory / "b.md").unlink()
    author.until("b.md is gone")

    author.press("a")
    assert "2 passed, 1 unrecorded" in author.until("1 unrecorded in")
    author.press("?")
    author.until("record what differs")
    author.press("s")
    author.until("nothing is stale")
    author.press("q")
    assert author.ended() == 0
    assert alive(author.below) == []


def test_a_slow_fence_waits_to_be_asked_for(author: Author) -> None:
    last = {"version": 1, "fences": {"a.md::1": ["passed", 12.0]}}
    (author.directory / ".fencerun").mkdir()
    (author.directory / ".fencerun/last.json").write_text(json.dumps(last))
    author.save(ONE, THREE)
    author.start()
    author.save(ONE.replace("x = 1", "x = 2"), THREE)
    author.until("Enter runs what is stale")
    assert "x is" not in author.quiet(0.3)
    author.press("\r")
    assert "x is 2" in author.until("1 unrecorded in ")
    author.press("\x04")
    assert author.ended() == 0


@pytest.mark.parametrize(("how", "code"), [("key", 0), ("SIGINT", 0), ("SIGTERM", 143)])
def test_told_to_end_it_leaves_nothing(author: Author, how: str, code: int) -> None:
    sleep = "import subprocess; subprocess.run(['sleep', '60'])"
    author.save(ONE)
    author.start()
    before = termios.tcgetattr(author.terminal)
    author.save(ONE, fence("fence:2", "print('going', flush=True)", sleep))
    author.until("a.md::2")
    end = time.monotonic() + 20
    while not any("sleep" in children.command(p) for p in children.descendants(author.pid)):
        assert time.monotonic() < end
        time.sleep(0.01)
    author.below = children.descendants(author.pid)
    if how == "key":
        author.press("\x03")
    else:
        os.kill(author.pid, getattr(signal, how))
    assert author.ended() == code
    assert len(author.below) >= 3
    assert alive(author.below) == []
    now = termios.tcgetattr(author.terminal)
    assert now[3] & termios.ECHO and now[3] & termios.ICANON
    assert not before[3] & termios.ECHO


def test_killed_it_leaves_nothing(author: Author) -> None:
    author.save(ONE)
    author.start()
    below = children.descendants(author.pid)
    assert below
    os.kill(author.pid, signal.SIGKILL)
    author.ended()
    assert alive(below) == []


def test_the_run_ends_and_the_watching_goes_on(author: Author) -> None:
    author.save(ONE)
    author.start()
    author.save(ONE, fence("fence:2", "import time; time.sleep(60)"))
    author.until("a.md::2 ")
    author.press("x")
    author.until("ended early")
    author.save(ONE, fence("fence:2", "print('quick')"))
    author.until("quick")
    author.press("q")
    assert author.ended() == 0


def test_without_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.fencerun]\n")
    (tmp_path / "a.md").write_text(ONE)
    env = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "FENCERUN_PAGE")}
    process = subprocess.Popen(
        [sys.executable, "-m", "fencerun", "watch", "a.md"],
        cwd=tmp_path,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "fencerun watch: 1 page, 1 fence\n"
        assert "ready in" in process.stdout.readline()
        (tmp_path / "a.md").write_text(ONE.replace("x = 1", "x = 2"))
        said = [process.stdout.readline() for _ in range(4)]
        assert said[0].endswith("a.md: fence 1\n")
        assert said[2] == "    | x is 2\n", said
        assert said[3].startswith("1 unrecorded in ") and "\x1b" not in "".join(said)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.communicate()


def test_a_page_that_is_not_there(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fencerun", "watch", "nowhere.md"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert done.returncode == 2
    assert "nowhere.md" in done.stderr


def test_without_watchfiles_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "watchfiles.py").write_text("raise ImportError\n")
    (tmp_path / "a.md").write_text(ONE)
    done = subprocess.run(
        [sys.executable, "-m", "fencerun", "watch", "a.md"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert done.returncode == 2
    assert "pip install 'fencerun[watch]'" in done.stderr
