"""A page's past, from git: the last version whose recording of a fence was fresh.

Answers "what changed since it was recorded" on any machine that has the history. Only reads.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from fencerun.freshness import Part, chain_of, of_chain, source_hash
from fencerun.frontmatter import PageSettings
from fencerun.plan import members
from fencerun.reader import parse

#: How many commits that touch the page are looked through.
DEPTH = 200


def parts_when_recorded(
    path: str, fence: int, source: str, base: PageSettings
) -> tuple[str, tuple[Part, ...]] | None:
    """The newest commit in which the fence's key had this first half, and its parts there."""
    file = Path(path).absolute()
    for commit in _commits(file):
        data = _show(file.parent, commit, file.name)
        if data is None:
            continue
        settled = {m.fence.number: m for m in members(parse(data, path, base.syntax), base)}
        if fence not in settled:
            continue

        def read(name: str, commit: str = commit) -> bytes | None:
            return _show(file.parent, commit, name)

        parts = of_chain(chain_of(settled[fence], settled), read)
        if source_hash(parts) == source:
            return commit, parts
    return None


def _commits(file: Path) -> Iterator[str]:
    listing = _git(file.parent, "log", f"-{DEPTH}", "--format=%h", "--", ".")
    yield from (listing or b"").decode("ascii", "replace").split()


def _show(directory: Path, commit: str, name: str) -> bytes | None:
    return _git(directory, "show", f"{commit}:./{name}")


def _git(directory: Path, *arguments: str) -> bytes | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(directory), *arguments], capture_output=True, check=False
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
