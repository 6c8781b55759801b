"""Shares: each page in exactly one, whatever is known of it, and the same on every machine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.errors import UsageError
from fencerun.sharding import parse, share, weights

WEIGHED = st.dictionaries(st.text(max_size=8), st.floats(0, 1e6), max_size=30)


@given(WEIGHED, st.integers(1, 9))
def test_every_page_is_in_exactly_one_share(weighed: dict[str, float], count: int) -> None:
    shares = [share(weighed, index, count) for index in range(1, count + 1)]
    assert sorted(page for one in shares for page in one) == sorted(weighed)


@given(WEIGHED, st.integers(1, 9), st.randoms())
def test_the_order_of_pages_does_not_matter(weighed: dict[str, float], count: int, random) -> None:  # type: ignore[no-untyped-def]
    items = list(weighed.items())
    random.shuffle(items)
    assert share(dict(items), 1, count) == share(weighed, 1, count)


def test_shares_are_balanced_by_weight() -> None:
    weighed = {"long": 10.0, "a": 4.0, "b": 3.0, "c": 3.0}
    assert share(weighed, 1, 2) == {"long"}
    assert share(weighed, 2, 2) == {"a", "b", "c"}


def test_pages_that_weigh_nothing_are_spread_too() -> None:
    weighed = dict.fromkeys("abcd", 0.0)
    assert [len(share(weighed, index, 4)) for index in (1, 2, 3, 4)] == [1, 1, 1, 1]


def test_a_page_weighs_what_its_fences_took() -> None:
    pages = {
        "known.md": b"```python fence:1\n```python fence:2\n",
        "half.md": b"```python fence:1\n```python {fence=2}\n",
        "new.md": b"<!-- fence:12 -->\n```python fence:none\n",
        "prose.md": b"a fence: 1 metre\n",
    }
    seconds = {"known.md::1": 1.0, "known.md::2": 2.0, "half.md::1": 3.0, "gone.md::1": 99.0}
    found = weights(pages, seconds)
    assert found == {"known.md": 3.0, "half.md": 5.0, "new.md": 2.0, "prose.md": 0.0}


def test_without_a_last_run_fences_are_counted() -> None:
    assert weights({"a.md": b"```python fence:1\n```python fence:2\n"}, {}) == {"a.md": 2.0}


@given(st.lists(st.floats(0, 1e3), min_size=1), st.randoms())
def test_weights_do_not_depend_on_the_order_of_the_state(took: list[float], random) -> None:  # type: ignore[no-untyped-def]
    seconds = {f"a.md::{number}": one for number, one in enumerate(took)}
    items = list(seconds.items())
    random.shuffle(items)
    pages = {"a.md": b"", "b.md": b"fence:1 fence:2"}
    assert weights(pages, dict(items)) == weights(pages, seconds)


def test_a_share_is_written_with_a_slash() -> None:
    assert parse("2/5") == (2, 5)


@pytest.mark.parametrize("text", ["", "2", "0/5", "6/5", "2/0", "a/b", "2/5/6", "-1/5", "٢/٥"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no such share"):
        parse(text)
