"""Whatever order things happen in, they are told page after page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fencerun.inorder import InOrder


def test_the_page_whose_turn_it_is_is_told_at_once() -> None:
    told: list[str] = []
    order = InOrder(told.append)
    order.add(1, "b1")
    order.add(0, "a1")
    assert told == ["a1"]
    order.end(1)
    order.end(0)
    assert told == ["a1", "b1"]
    order.add(2, "c1")
    assert told == ["a1", "b1", "c1"]


def test_what_was_ahead_and_goes_on_is_told_when_its_turn_comes() -> None:
    told: list[str] = []
    order = InOrder(told.append)
    order.add(1, "b1")
    order.end(0)
    assert told == ["b1"]
    order.add(1, "b2")
    assert told == ["b1", "b2"]


def test_what_is_held_waits_for_its_end_and_may_be_dropped() -> None:
    told: list[str] = []
    order = InOrder(told.append, {0, 1})
    order.add(0, "lost")
    order.add(1, "b1")
    order.drop(0)
    order.add(0, "a1")
    assert told == []
    order.end(0)
    assert told == ["a1"]
    order.end(1)
    assert told == ["a1", "b1"]


def test_a_run_that_broke_off_tells_of_pages_that_ended() -> None:
    told: list[str] = []
    order = InOrder(told.append)
    for place, item in ((0, "a1"), (1, "b1"), (2, "c1"), (3, "d1")):
        order.add(place, item)
    order.end(3)
    order.end(1)
    order.finish()
    order.finish()
    assert told == ["a1", "b1", "d1"]
    order.finish(begun=True)
    assert told == ["a1", "b1", "d1", "c1"]


def test_what_is_held_is_not_told_before_its_end_whatever_happens() -> None:
    told: list[str] = []
    order = InOrder(told.append, {0, 1})
    order.add(0, "a1")
    order.add(1, "b1")
    order.end(1)
    order.finish(begun=True)
    assert told == ["b1"]


@given(st.data(), st.integers(0, 6), st.booleans())
def test_all_is_told_once_and_in_page_order(data: st.DataObject, pages: int, held: bool) -> None:
    told: list[tuple[int, int]] = []
    order = InOrder(told.append, range(pages) if held else ())
    sizes = [data.draw(st.integers(0, 4)) for _ in range(pages)]
    left = dict.fromkeys(range(pages), 0)
    while left:
        page = data.draw(st.sampled_from(sorted(left)))
        if left[page] == sizes[page]:
            order.end(page)
            del left[page]
        else:
            order.add(page, (page, left[page]))
            left[page] += 1
    assert told == [(page, item) for page in range(pages) for item in range(sizes[page])]
