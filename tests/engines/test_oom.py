"""Out-of-memory kills, as the kernel's control groups count them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencerun.engines import oom

LAYOUTS = {
    "v2": ("0::/user/job\n", "user/job/memory.events", "low 0\noom 1\noom_kill 3\n"),
    "v2 in a hybrid": ("0::/\n", "unified/memory.events", "oom_kill 3\n"),
    "v1": ("4:memory:/job\n0::/\n", "memory/job/memory.oom_control", "under_oom 0\noom_kill 3\n"),
    "v1 in a container": ("4:memory:/host/path\n", "memory/memory.oom_control", "oom_kill 3\n"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_count_is_found(tmp_path: Path, name: str) -> None:
    membership, counter, text = LAYOUTS[name]
    (tmp_path / "cgroup").write_text(membership)
    file = tmp_path / "mount" / counter
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert oom.kills(tmp_path / "cgroup", tmp_path / "mount") == 3


@pytest.mark.parametrize("membership", [None, "", "0::/x\n", "4:memory:/x\n"])
def test_nothing_counts(tmp_path: Path, membership: str | None) -> None:
    if membership is not None:
        (tmp_path / "cgroup").write_text(membership)
    assert oom.kills(tmp_path / "cgroup", tmp_path) == 0
