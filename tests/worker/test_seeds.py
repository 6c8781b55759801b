"""Generators that begin each chain in one state, however it is told that they still are."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from fencerun.worker import seeds


@pytest.fixture(autouse=True)
def _undisturbed() -> Iterator[None]:
    before = random.getstate()
    seeds.fix()
    yield
    random.setstate(before)


def _nothing() -> None:
    pass


def _once_round() -> None:
    # Python's generator makes 624 numbers at a time, so that its position comes round.
    for _ in range(624):
        random.getrandbits(32)


def _one_number() -> None:
    version, numbers, gauss = random.getstate()
    random.setstate((version, (*numbers[:300], numbers[300] ^ 1, *numbers[301:]), gauss))


TOUCHES: dict[str, tuple[Callable[[], object], bool]] = {
    "nothing": (_nothing, True),
    "looking": (random.getstate, True),
    "a draw": (random.random, False),
    "a few bits": (lambda: random.getrandbits(1), False),
    "a shuffle": (lambda: random.shuffle([1, 2, 3]), False),
    "once round": (_once_round, False),
    "a pair of normal numbers": (lambda: (random.gauss(0, 1), random.gauss(0, 1)), False),
    "half a pair": (lambda: setattr(random._inst, "gauss_next", 1.0), False),
    "another seed": (lambda: random.seed(1), False),
    "the same seed": (lambda: random.seed(seeds.SEED), True),
    "one number": (_one_number, False),
}


@pytest.mark.parametrize(("touch", "untouched"), TOUCHES.values(), ids=TOUCHES)
def test_what_was_done_to_the_generator_shows(touch: Callable[[], object], untouched: bool) -> None:
    if not seeds._untouched._at:
        pytest.skip("a Python whose generators look otherwise")
    touch()
    assert seeds._untouched.holds() == untouched


@pytest.mark.parametrize("touch", [touch for touch, _ in TOUCHES.values()], ids=TOUCHES)
@pytest.mark.parametrize("known", [True, False], ids=["known layout", "unknown layout"])
def test_every_chain_begins_in_one_state(
    monkeypatch: pytest.MonkeyPatch, touch: Callable[[], object], known: bool
) -> None:
    if not known:
        monkeypatch.setattr(seeds._untouched, "_at", 0)
    wanted = random.Random(seeds.SEED).getstate()
    touch()
    seeds.fix()
    assert random.getstate() == wanted


def test_another_generator_is_no_longer_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random, "_inst", random.Random(seeds.SEED))
    assert not seeds._untouched.holds()


def test_finding_out_disturbs_nobody() -> None:
    random.seed(5)
    before = random.getstate()
    assert seeds._Untouched()._at == seeds._untouched._at
    assert random.getstate() == before
