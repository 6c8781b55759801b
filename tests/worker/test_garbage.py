"""Rings of objects that a chain left are gone after it, whoever collected in between."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import pytest

from fencerun.worker.garbage import Garbage


class Node:
    """Keeps itself alive."""

    def __init__(self) -> None:
        self.ring = self


def _nothing() -> None:
    pass


def _many() -> None:
    assert len([[] for _ in range(20_000)]) == 20_000


@pytest.mark.parametrize("before", [0, 1, 20, 70], ids="{} chains before".format)
@pytest.mark.parametrize(
    "meanwhile",
    [_nothing, _many, gc.collect, lambda: gc.collect(0), lambda: gc.collect(1)],
    ids=["nothing", "automatic", "full", "youngest", "middle"],
)
def test_a_ring_is_freed_at_the_end_of_its_chain(
    meanwhile: Callable[[], object], before: int
) -> None:
    garbage = Garbage(owned=False)
    for _ in range(before):
        garbage.collect()
    alive = Node()
    gone = weakref.ref(alive)
    meanwhile()  # may make it one of the older objects
    del alive
    garbage.collect()
    assert gone() is None


def test_a_ring_of_an_earlier_chain_is_freed_some_chains_later() -> None:
    garbage = Garbage(owned=False)
    garbage.collect()
    kept = [Node()]
    gone = weakref.ref(kept[0])
    garbage.collect()
    kept.clear()
    for _ in range(66):
        garbage.collect()
    assert gone() is None
