"""Fewer pages: those that a change touches, or one machine's share of them.

Reads pages, asks git, and looks at what the last run took. Runs nothing. ``notes`` get a sentence
that says what was left out.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace

from fencerun import files, reader, sharding, since, state
from fencerun.beside import beside
from fencerun.config import Project
from fencerun.request import Request


def narrowed(
    names: Sequence[str], request: Request, project: Project, notes: list[str]
) -> tuple[tuple[str, ...], Request]:
    """The pages that ``since`` and ``shard`` leave, and the request for them."""
    left = tuple(names)
    if request.shard is not None:
        left = share(left, request.shard, project, notes)
    if request.since is not None:
        left = touched(left, request.since, project, notes)
    targets = (t for t in request.targets if t.path in left or not (t.fence or t.line))
    return left, replace(request, targets=tuple(targets), allow_empty=True)


def touched(names: Sequence[str], ref: str, project: Project, notes: list[str]) -> tuple[str, ...]:
    """The pages that differ from the git ref, or use a file that does.

    All of them where the configuration differs. Raises UsageError where git does not know the ref.
    """
    changed = since.changed(ref, project.root)
    if os.path.join(os.path.realpath(project.root), "pyproject.toml") in changed:
        notes.append(f"pyproject.toml changed since {ref}, and with it every page")
        return tuple(names)
    found = []
    for name in names:
        base = project.settings_for(project.relative(name))
        page = reader.parse(files.read(name), name, base.syntax)
        if since.touched(page, base, changed, beside(name)):
            found.append(name)
    notes.append(f"changed since {ref}: {_of(found, names)}")
    return tuple(found)


def share(names: Sequence[str], shard: str, project: Project, notes: list[str]) -> tuple[str, ...]:
    """The pages of one share, such as ``2/5``, by what the last run took.

    Shares fit together where they weigh pages alike: the note has a hash of the weights.
    """
    index, count = sharding.parse(shard)
    pages = {project.relative(name): files.read(name) for name in names}
    took = {fence: one.seconds for fence, one in state.load(project.root).items() if one.seconds}
    weighed = sharding.weights(pages, took)
    own = sharding.share(weighed, index, count)
    found = tuple(name for name in names if project.relative(name) in own)
    digest = hashlib.sha256(repr(sorted(weighed.items())).encode("utf-8", "surrogateescape"))
    notes.append(
        f"share {index} of {count}: {_of(found, names)} (by weights {digest.hexdigest()[:8]})"
    )
    return found


def _of(some: Sequence[str], every: Sequence[str]) -> str:
    return f"{len(some)} of {len(every)} page{'' if len(every) == 1 else 's'}"
