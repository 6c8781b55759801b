"""How often the system killed a process of ours for want of memory, as its cgroup counts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

_MOUNT = Path("/sys/fs/cgroup")


def kills(membership: Path = Path("/proc/self/cgroup"), mount: Path = _MOUNT) -> int:
    """Out-of-memory kills in this process's cgroup so far; 0 where nothing counts them."""
    for file in _counters(membership, mount):
        with contextlib.suppress(OSError, ValueError):
            for line in file.read_text().splitlines():
                name, _, number = line.partition(" ")
                if name == "oom_kill":
                    return int(number)
    return 0


def _counters(membership: Path, mount: Path) -> Iterator[Path]:
    """The files that may hold the count, of cgroup v2 and v1, inside a container or not."""
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        below = group.lstrip("/")
        if controllers == "memory":
            yield mount / "memory" / below / "memory.oom_control"
            yield mount / "memory" / "memory.oom_control"
        elif not controllers:
            yield mount / below / "memory.events"
            yield mount / "unified" / below / "memory.events"
