"""A page's past, from git: the last version whose recording of a fence was fresh.

Answers "what changed since it was recorded" on any machine that has the history. Only reads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from fencerun.discovery import git
from fencerun.freshness import Part, chain_of, of_chain, source_hash
from fencerun.frontmatter import PageSettings
from fencerun.members import members
from fencerun.reader import parse

#: How many commits that touch the page or what lies beside it are looked through.
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
        page = parse(data, path, base.syntax)
        if page.broken or page.fence(fence) is None:
            continue
        settled = {m.fence.number: m for m in members(page, base)}

        def read(name: str, commit: str = commit) -> bytes | None:
            return _show(file.parent, commit, name)

        parts = of_chain(chain_of(settled[fence], settled), read)
        if source_hash(parts) == source:
            return commit, parts
    return None


def _commits(file: Path) -> Iterator[str]:
    listing = git(file.parent, "log", f"-{DEPTH}", "--format=%h", "--", ".")
    yield from (listing or "").split()


def _show(directory: Path, commit: str, name: str) -> bytes | None:
    text = git(directory, "show", f"{commit}:./{name}")
    return None if text is None else os.fsencode(text)
