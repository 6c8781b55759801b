"""What waits for its turn."""

from __future__ import annotations

from fencerun.live.due import Due
from fencerun.live.waiting import Waiting


def test_what_is_due_comes_before_what_was_asked_for() -> None:
    waiting = Waiting()
    waiting.asked.update(dict.fromkeys([("b.md", 1), ("a.md", 2)]))
    waiting.record[("a.md", 1)] = None
    waiting.renew("a.md", Due(run=(2, 3), judge=(4,)), {2, 3, 4})
    assert waiting.queued() == {"b.md::1", "a.md::1", "a.md::2", "a.md::3"}
    turns = [waiting.next(lambda place: True) for _ in range(4)]
    assert turns == [
        ("judge", (("a.md", 4),)),
        ("check", (("a.md", 2), ("a.md", 3), ("b.md", 1))),
        ("record", (("a.md", 1),)),
        None,
    ]


def test_a_new_reading_takes_back_what_is_no_longer_so() -> None:
    waiting = Waiting()
    waiting.renew("a.md", Due(run=(1, 2), judge=(3,)), {1, 2, 3})
    waiting.renew("b.md", Due(run=(1,)), {1})
    waiting.renew("a.md", Due(run=(2, 3)), {3})
    assert list(waiting.due) == [("b.md", 1), ("a.md", 2), ("a.md", 3)]
    assert not waiting.judge


def test_what_is_due_and_no_news_does_not_wait_again() -> None:
    waiting = Waiting()
    waiting.renew("a.md", Due(run=(1, 2)), {2})
    assert list(waiting.due) == [("a.md", 2)]


def test_what_cannot_run_waits_on() -> None:
    waiting = Waiting()
    waiting.asked.update(dict.fromkeys([("a.md", 1), ("b.md", 1)]))
    assert waiting.next(lambda place: place[0] == "b.md") == ("check", (("b.md", 1),))
    assert not waiting.any(lambda place: place[0] == "b.md")
    assert waiting.any(lambda place: True)
    waiting.clear()
    assert not waiting.any(lambda place: True)
