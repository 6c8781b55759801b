"""Surroundings that are short of something: descriptors, room for files, a directory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PAGE = "```text file:a.txt\nhello\n```\n\n```python fence:1\nprint(open('a.txt').read())\n```\n"

# What a shell does before the run; the exit code and a word of what is said.
SHORT: dict[str, tuple[str, int, str]] = {
    "of descriptors": ("ulimit -n 24", 1, "+ | hello"),
    "of no standard input": ("exec <&-", 1, "+ | hello"),
    "of a directory for temporary files": ("export TMPDIR=/nowhere", 1, "+ | hello"),
    "of an environment": ("unset HOME PATH LANG USER", 1, "+ | hello"),
    "of its own directory": (
        "mkdir gone; cd gone; rmdir ../gone",
        2,
        "error: the working directory is gone. `cd` to one that is there",
    ),
}


@pytest.mark.parametrize("name", SHORT)
def test_a_run_that_is_short(name: str, tmp_path: Path) -> None:
    before, code, said = SHORT[name]
    (tmp_path / "p.md").write_text(PAGE)
    command = f"{before}; exec {sys.executable} -m fencerun check {tmp_path}/p.md"
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert said in done.stdout + done.stderr
    assert done.returncode == code, done.stdout + done.stderr
