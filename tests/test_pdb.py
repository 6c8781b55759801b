"""`--pdb`, typed at a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROMPT = b"(Pdb) "
PAGE = """\
# Halves

- ```python fence:1
  def half(n):
      secret = 7
      return n // 0

  print("before")
  half(3)
  ```

```python fence:2
x = 1
breakpoint()
print("x is", x)
```

```text output:2
x is 5
```

```python fence:3
import json

json.loads("{")
```

```python fence:4 raises:ValueError
int("one")
```
"""


class Session:
    """fencerun on a terminal of its own."""

    def __init__(
        self, directory: Path, *arguments: str, page: str = PAGE, module: str = "fencerun"
    ) -> None:
        (directory / "p.md").write_text(page)
        command = [sys.executable, "-m", module, *arguments, "p.md"]
        environment = {**os.environ, "TERM": "dumb", "PYTHONHASHSEED": "0", "INPUTRC": "/dev/null"}
        for name in ("VIRTUAL_ENV", "FENCERUN_PAGE", "PYTHONBREAKPOINT"):
            environment.pop(name, None)
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(directory)
                os.execve(sys.executable, command, environment)
            finally:
                os._exit(127)

    def until(self, what: bytes | None) -> str:
        """What is printed up to ``what``; to the end, if None."""
        seen, end = b"", time.monotonic() + 60
        while what is None or not seen.endswith(what):
            ready = select.select([self.terminal], [], [], max(0.0, end - time.monotonic()))[0]
            assert ready, seen
            try:
                new = os.read(self.terminal, 1 << 16)
            except OSError:  # the other side is gone
                new = b""
            if not new:
                assert what is None, seen
                break
            seen += new
        return seen.decode().replace("\r\n", "\n")

    def type(self, *lines: str) -> str:
        """What comes of the last of these lines, until the next prompt."""
        said = ""
        for line in lines:
            os.write(self.terminal, line.encode() + b"\n")
            said = self.until(PROMPT)
        return said

    def end(self, line: str = "c") -> tuple[str, int]:
        """Type a last line; what is printed to the end, and the exit code."""
        os.write(self.terminal, line.encode() + b"\n")
        said = self.until(None)
        os.close(self.terminal)
        return said, os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_failures_and_breakpoints(tmp_path: Path) -> None:
    session = Session(tmp_path, "check", "--pdb")
    said = session.until(PROMPT)
    assert "in process: no time limits\n" in said
    assert "p.md:6: failed: fence 1, ZeroDivisionError: integer division" in said
    assert "p.md(6)half()\n-> return n // 0\n" in said
    assert "before" not in said
    listed = session.type("l")
    assert "  4  \tdef half(n):\n" in listed
    assert "  6  ->\t    return n // 0\n" in listed
    assert "(7, 3)\n" in session.type("p secret, n")
    where = session.type("w")
    assert "p.md(9)<module>()\n-> half(3)\n" in where
    assert "fencerun" not in where

    said = session.type("c")
    # The failed fence's own report comes between.
    assert "output so far\n      | before\n" in said
    assert "p.md:14: stopped: fence 2, breakpoint()\n" in said
    # From Python 3.13 on it stops at the call itself.
    assert re.search(r"p\.md\(1[45]\)<module>\(\)\n", said)
    assert "hello\n" in session.type("x = 5", "print('hello')")
    assert "p.md(15)<module>()" in session.type("n")

    said = session.type("c")
    assert "p.md:25: failed: fence 3, json.decoder.JSONDecodeError" in said
    # On the page's own frame, and what it called is further down.
    assert 'p.md(25)<module>()\n-> json.loads("{")\n' in said
    assert "loads()\n" in session.type("d")

    said, code = session.end()
    assert "1 passed, 1 unrecorded, 2 failed on 1 page" in said
    assert "leak" not in said
    assert code == 4


TWO = """\
```python fence:1
import pdb, sys
print(input.__name__, sys.stdin.read())
pdb.set_trace()
print("after")
```

```python fence:2
print(sys)
```

```python fence:3
print("never")
```
"""


def test_q_ends_the_run(tmp_path: Path) -> None:
    session = Session(tmp_path, "record", "--pdb", page=TWO)
    assert "p.md:4: stopped: fence 1, breakpoint()" in session.until(PROMPT)
    said = session.type("c")
    assert "fence 2, NameError" in said
    said, code = session.end("q")
    assert "failed: fence 2, NameError" in said
    assert "interrupted" in said
    assert "fence 3" not in said
    assert code == 130
    assert (tmp_path / "p.md").read_text() == TWO


def test_q_at_a_breakpoint(tmp_path: Path) -> None:
    session = Session(tmp_path, "check", "--pdb", page=TWO)
    session.until(PROMPT)
    said, code = session.end("q")
    assert "failed: fence 1, bdb.BdbQuit: left with q" in said
    assert "fence 2" not in said
    assert code == 130


def test_what_is_recorded_is_what_is_printed(tmp_path: Path) -> None:
    page = "```python fence:1\nprint('one')\nbreakpoint()\nprint('two')\n```\n"
    session = Session(tmp_path, "record", "--once", "--pdb", page=page)
    session.until(PROMPT)
    # A breakpoint that is left behind traces no other fence, and is no leak.
    session.type("print('from the terminal')", "!import sys; sys.stderr.write('here')", "b 4")
    said, code = session.end()
    assert "leak" not in said
    assert code == 0
    assert (tmp_path / "p.md").read_text() == page + "\n```text output:1\none\ntwo\n```\n"


def test_ctrl_c_at_the_prompt_stops_nothing(tmp_path: Path) -> None:
    session = Session(tmp_path, "check", "--pdb", page="```python fence:1\nx = 6\n1 / 0\n```\n")
    session.until(PROMPT)
    for _ in range(50):
        # Python may be about to wait, and then sees the signal only with the next key.
        os.write(session.terminal, b"\x03")
        if select.select([session.terminal], [], [], 0.2)[0]:
            break
    session.until(PROMPT)
    assert "42" in session.type("x * 7")
    assert session.end()[1] == 4


def test_ctrl_c_in_a_fence_ends_the_run(tmp_path: Path) -> None:
    code = "with open('/dev/tty', 'w') as tty:\n    tty.write('begun')\nwhile True:\n    pass"
    page = f"```python fence:1\n{code}\n```\n"
    session = Session(tmp_path, "check", "--pdb", page=page)
    session.until(b"begun")
    said, status = session.end("\x03")
    assert "interrupted" in said
    assert status == 130


def test_without_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("```python fence:1\n1 / 0\n```\n")
    done = subprocess.run(
        [sys.executable, "-m", "fencerun", "check", "--pdb", "p.md"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, start_new_session=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert "--pdb: there is no terminal to debug from" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("option", ["--pdb", "--engine inprocess"])
def test_only_in_its_own_interpreter(tmp_path: Path, option: str) -> None:
    session = Session(
        tmp_path, "check", *option.split(), "--python", "/usr/bin/python3",
        page="```python fence:1\n1 / 0\n```\n",
    )  # fmt: skip
    said, code = session.end("")
    assert f"{option} runs fences in fencerun's own interpreter, {sys.executable}" in said
    assert "install fencerun there and run `/usr/bin/python3 -m fencerun`" in said.lower()
    assert code == 2
