"""A short soak: some hundred fences, and every way to die, twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]


def test_nothing_is_lost_and_every_death_is_blamed_on_its_own_fence() -> None:
    """In a process of its own: it counts its children, and reads its own size."""
    command = [sys.executable, "-m", "benchmarks.soak", "--fences", "300", "--crashes", "12"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    # The exit code is also about memory, of which so short a run says little.
    assert "312 of 312 fences have their verdict" in done.stdout, done.stdout + done.stderr
    assert "12 deaths" in done.stdout
    assert "faults: 0" in done.stdout
