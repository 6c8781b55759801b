"""Which fence a SIGINT ends: the one that the parent meant, or the one that sent it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

import pytest

from fencerun.worker.interrupts import Interrupts
from fencerun.worker.words import Words


@pytest.fixture
def words() -> Iterator[Words]:
    with tempfile.TemporaryFile() as file:
        Words.prepare(file.fileno())
        made = Words(file.fileno())
        yield made
        made.close()


def arrives(interrupts: Interrupts) -> bool:
    """Whether a signal that arrives now ends what runs."""
    try:
        interrupts._on_interrupt(2, None)
    except KeyboardInterrupt:
        return True
    return False


def test_late_signals_are_neither_of_the_next_fence_nor_its_own(words: Words) -> None:
    interrupts = Interrupts(words, 2)
    interrupts.begin(3)
    words.interrupt, words.sent = 3, 1
    interrupts.end()  # it ended by itself; the signal is on its way
    interrupts.begin(4)
    interrupts.end()
    interrupts.begin(5)
    words.interrupt, words.sent = 5, 2
    assert arrives(interrupts)  # the first one, late, but 5 is to end by now
    interrupts.end()
    interrupts.begin(6)
    assert not arrives(interrupts)  # the second one
    assert arrives(interrupts)  # the fence's own


def test_a_signal_between_two_fences_is_dropped(words: Words) -> None:
    interrupts = Interrupts(words, 2)
    interrupts.begin(1)
    words.interrupt, words.sent = 1, 1
    interrupts.end()
    assert not arrives(interrupts)
    interrupts.begin(2)
    assert arrives(interrupts)
