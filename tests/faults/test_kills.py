"""``kill -9`` in CI: some rounds, from a seed that a failure prints."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROUNDS = 40


def test_a_killed_recording_leaves_every_page_wholly_old_or_wholly_new() -> None:
    """In a process of its own, since it adopts what killed runs leave."""
    seed = random.randrange(1 << 32)
    command = [sys.executable, "-m", "tests.faults.kills"]
    command += ["--rounds", str(ROUNDS), "--seed", str(seed)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"seed {seed}\n{done.stdout}{done.stderr}"
    assert f"{ROUNDS} rounds:" in done.stdout
