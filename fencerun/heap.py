"""Python's garbage collector in a process of ours: seldom, since little of ours is garbage.

What a run makes, modules and pages, lives as long as the run. Knows nothing of runs.
"""

from __future__ import annotations

import gc

#: New objects between two collections: some ten megabytes. Python's own number is 700.
_SELDOM = 100_000

_usual = gc.get_threshold()


def relax() -> None:
    """Collect seldom from now on. For a process that is ours alone."""
    gc.set_threshold(_SELDOM, *_usual[1:])


def restore() -> None:
    """Collect as Python does by itself: the code that is about to run in here expects that."""
    gc.set_threshold(*_usual)


def leave() -> None:
    """The process is about to end: what is alive need not be searched for garbage again."""
    gc.freeze()
