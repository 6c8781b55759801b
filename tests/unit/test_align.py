"""Which lines go with which."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.align import CELLS, Gap, align, gaps_between

LETTERS = st.lists(st.sampled_from("abcd"), max_size=12)


def longest(one: list[str], other: list[str]) -> int:
    """The length of a longest common subsequence, slowly."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            best = max(table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else best
    return table[-1][-1]


@settings(deadline=None)
@given(LETTERS, LETTERS)
def test_pairs_are_equal_and_in_order(one: list[str], other: list[str]) -> None:
    pairs = align((one, other))
    assert all(one[i] == other[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))


@settings(deadline=None)
@given(st.lists(st.sampled_from("ab"), max_size=12), st.lists(st.sampled_from("ab"), max_size=12))
def test_small_texts_without_unique_lines_are_aligned_best(
    one: list[str], other: list[str]
) -> None:
    one, other = [*one, "a", "b", "a", "b"], [*other, "b", "a", "b", "a"]
    assert len(align((one, other))) == longest(one, other)


@settings(deadline=None)
@given(LETTERS, st.integers(0, 12))
def test_a_removed_line_costs_nothing_else(one: list[str], at: int) -> None:
    other = one[:at] + one[at + 1 :]
    assert len(align((one, other))) == len(other)


@settings(deadline=None)
@given(LETTERS, LETTERS)
def test_gaps_and_pairs_cover_both_sides(one: list[str], other: list[str]) -> None:
    pairs = align((one, other))
    gaps = list(gaps_between(pairs, Gap((0, len(one)), (0, len(other)))))
    left = sorted([i for i, _ in pairs] + [i for gap in gaps for i in range(*gap.left)])
    right = sorted([j for _, j in pairs] + [j for gap in gaps for j in range(*gap.right)])
    assert left == list(range(len(one)))
    assert right == list(range(len(other)))


def test_finer_keys_decide_between_equals() -> None:
    fine = (["a1", "a2", "a3"], ["a2", "a3", "x"])
    coarse = (["a", "a", "a", "z"], ["a", "a", "y", "z"])
    assert align((fine[0] + ["z"], fine[1] + ["z"]), coarse) == [(0, 0), (1, 1), (3, 3)]
    hidden = (["p", "a1", "a2", "a3"], ["a2", "a3", "q"])
    assert align(hidden, (["p", "a", "a", "a"], ["a", "a", "q"])) == [(2, 0), (3, 1)]


def test_finer_keys_decide_where_no_line_is_unique() -> None:
    fine = (["s", "a2", "a2", "a1", "a1", "e"], ["t", "a2", "a2", "f"])
    coarse = (["s", "a", "a", "a", "a", "e"], ["t", "a", "a", "f"])
    assert align(fine, coarse) == [(1, 1), (2, 2)]


class Counted:
    """A key that counts how often any of its kind is compared."""

    compared = 0

    def __init__(self, value: int) -> None:
        self.value = value

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return isinstance(other, Counted) and self.value == other.value


def comparisons(one: list[int], other: list[int]) -> int:
    Counted.compared = 0
    align(([*map(Counted, one)], [*map(Counted, other)]))
    return Counted.compared


@pytest.mark.parametrize("kinds", [1, 2, 50, 10**9])
def test_work_grows_with_the_lines(kinds: int) -> None:
    random = Random(kinds)
    counts = []
    for n in (1500, 3000):
        one, other = ([random.randrange(kinds) for _ in range(n)] for _ in range(2))
        counts.append(comparisons(one, other))
    assert counts[1] < 3 * counts[0] + 2 * CELLS
