"""What a process of ours does to the collector is undone where other code runs in it."""

from __future__ import annotations

import gc

from fencerun import heap


def test_fences_in_this_process_find_the_collector_as_it_was() -> None:
    usual = gc.get_threshold()
    heap.relax()
    try:
        assert gc.get_threshold()[0] > usual[0]
    finally:
        heap.restore()
    assert gc.get_threshold() == usual
