"""Fixtures for the guards: a table of cases is run in one child, then judged case by case."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

CHILD = Path(__file__).with_name("child.py")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def run_cases() -> Callable[..., dict[str, Any]]:
    """Runs cases in one fresh interpreter; their results by name."""

    def run(
        cases: Sequence[dict[str, Any]],
        preload: Sequence[str] = (),
        warm: str = "",
        dumps: bool = False,
    ) -> dict[str, Any]:
        request = {"cases": list(cases), "preload": list(preload), "warm": warm, "dumps": dumps}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(CHILD)],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "2",
                 "HOME": str(Path.home())},
            timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-4000:]
        results: dict[str, Any] = json.loads(done.stdout)
        return results

    return run
