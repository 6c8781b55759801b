"""How to compare, as data."""

from __future__ import annotations

import pytest

from fencerun.rule import Rule


@pytest.mark.parametrize("tolerance", [-1.0, float("inf"), float("nan")])
def test_impossible_tolerances_are_refused(tolerance: float) -> None:
    with pytest.raises(ValueError, match="tolerance"):
        Rule(rtol=tolerance)
    with pytest.raises(ValueError, match="tolerance"):
        Rule(atol=tolerance)


@pytest.mark.parametrize(
    ("rule", "tolerant"),
    [
        (Rule(), False),
        (Rule(ints=True), False),
        (Rule(rtol=0.0), True),
        (Rule(atol=1.0), True),
        (Rule(any_number=True), True),
    ],
)
def test_tolerant(rule: Rule, tolerant: bool) -> None:
    assert rule.tolerant is tolerant
