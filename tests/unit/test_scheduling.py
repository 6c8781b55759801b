"""Which page runs next: the order, who may take it, and how close to the ideal that comes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import scheduling as simulation
from fencerun.capabilities import parse
from fencerun.scheduling import PLAIN, Reach, Waiting, asked_for

ANY = Reach(0, 99)


def taken(waiting: Waiting, reach: Reach) -> list[int]:
    found = []
    while (place := waiting.take(reach)) is not None:
        found.append(place)
    return found


def test_the_longest_comes_first_and_equals_in_page_order() -> None:
    assert taken(Waiting([1.0, 3.0, 1.0, 2.0], [0] * 4), PLAIN) == [1, 3, 0, 2]


def test_pages_that_need_accelerators_are_for_who_may_use_them() -> None:
    waiting = Waiting([9.0, 1.0, 2.0, 1.0], [0, 1, 1, 2])
    assert waiting.take(PLAIN) == 0
    assert waiting.take(PLAIN) is None
    assert waiting.take(Reach(1, 1)) == 2
    assert taken(waiting, ANY) == [3, 1], "what needs most first"


def test_after_a_cut_only_earlier_pages_are_wanted() -> None:
    waiting = Waiting([0.0] * 6, [0] * 6)
    assert waiting.take(PLAIN) == 0
    waiting.cut(3)
    waiting.cut(4)
    assert taken(waiting, PLAIN) == [1, 2, 3]


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(0, 3)), max_size=30), st.randoms())
def test_every_page_is_taken_once(pages: list[tuple[float, int]], dice: random.Random) -> None:
    waiting = Waiting([one for one, _ in pages], [need for _, need in pages])
    reaches = [Reach(need, need) for need in range(4)] + [ANY]
    found = []
    for _ in range(len(pages) * 9):
        place = waiting.take(dice.choice(reaches))
        found += [] if place is None else [place]
    found += taken(waiting, ANY)
    assert sorted(found) == list(range(len(pages)))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        *[("python>=3.11", 0), ("slow", 0), ("nvcc", 0), ("cuda", 1), ("accelerator", 1)],
        *[("sm>=90", 1), ("gpu:nvidia-h200", 1), ("gpus>=2", 2), ("gpus>1", 2), ("gpus==4", 4)],
        *[("gpus<4", 1), ("gpus>=0", 1), ("mine", 0)],
    ],
)
def test_how_many_accelerators_a_requirement_asks_for(text: str, count: int) -> None:
    assert asked_for(parse(text, ("mine",))) == count


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("estimate", ["right", "off by up to 2 ×"])
def test_a_course_on_64_workers_ends_within_a_tenth_of_the_ideal(estimate: str, seed: int) -> None:
    dice = random.Random(seed)
    times = simulation.lessons(dice)
    weights = simulation.ESTIMATES[estimate](times, dice)
    took = simulation.makespan(times, weights, simulation.WORKERS)
    assert took <= 1.1 * simulation.ideal(times, simulation.WORKERS)


def test_the_simulation_notices_a_bad_order() -> None:
    times = [1.0] * 64 * 9 + [20.0]
    shortest_first = simulation.makespan(times, [-one for one in times], 64)
    assert shortest_first > 1.1 * simulation.ideal(times, 64)
