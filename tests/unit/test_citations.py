"""Places of the page in its own output."""

from __future__ import annotations

import pytest

from fencerun.citations import places
from fencerun.compare import Rule, compare


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        ("lessons/x.md:4: UserWarning: a", "lessons/x.md:10: UserWarning: a", True),
        ("lessons/x.md:4: UserWarning: a", "x.md:4: UserWarning: a", True),
        ('  File "x.md", line 4, in f', '  File "/home/me/x.md", line 12, in f', True),
        ("x.md:4: UserWarning: a", "x.md:4: UserWarning: b", False),
        ("x.md:4 and 5", "x.md:4 and 6", False),
        ("xx.md:4", "xx.md:5", False),
        ("y.md:4", "y.md:5", False),
        ("x.md:4", "elsewhere", False),
    ],
)
def test_places_of_the_page_are_no_news(one: str, two: str, equal: bool) -> None:
    rule = Rule(varies=places("lessons/x.md", [two]))
    assert compare([one], [two], rule).equal == equal


def test_a_page_that_is_not_named_costs_nothing() -> None:
    assert places("lessons/x.md", ["a", "b:12"]) == ()


def test_a_name_is_no_pattern() -> None:
    (mask,) = places("a+(1).md", ["see a+(1).md:3"])
    assert mask.apply("see a+(1).md:3") == "see a+(1).md:…"
