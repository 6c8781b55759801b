"""Which lines of a diff stand beside each other, where it is shown in two columns. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from fencerun.events import DiffLine

#: Places in the diff of the line on the left and of that on the right; None where there is none.
Pair = tuple[int | None, int | None]


def pairs(diff: Iterable[DiffLine]) -> Iterator[Pair]:
    """The n-th removed line of a change beside its n-th added one; others beside themselves."""
    removed: list[int] = []
    added: list[int] = []
    for at, line in enumerate(diff):
        if line.mark == "+":
            added.append(at)
            continue
        if line.mark != "-" or added:
            yield from zip_longest(removed, added)
            removed, added = [], []
        if line.mark == "-":
            removed.append(at)
        else:
            yield at, at
    yield from zip_longest(removed, added)
