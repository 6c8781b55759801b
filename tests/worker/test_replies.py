"""Replies as bytes: written by hand where they are plain, to the same meaning."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.protocol import encode
from fencerun.worker.loop import _encoded

RANGES = st.lists(st.integers(0, 1 << 40), max_size=4)
PLAIN = st.fixed_dictionaries(
    {"serial": st.integers(1, 1 << 40), "seconds": st.floats(0, 1e9).map(lambda s: round(s, 6))},
    optional={"out": RANGES, "err": RANGES, "leaks": st.just([]), "last": st.booleans()},
)


def meaning(reply: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in reply.items() if value or name in ("serial", "seconds")}


@given(PLAIN)
def test_a_plain_reply_says_the_same(reply: dict[str, Any]) -> None:
    line = _encoded(reply)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == meaning(reply)


class Odd(float):
    def __repr__(self) -> str:
        return "Odd()"


@pytest.mark.parametrize(
    "more",
    [
        {"failure": {"kind": "exception", "summary": 'a "b"'}},
        {"leaks": [{"what": "x"}]},
        {"tainted": "why"},
        {"turns": [1, 2]},
        {"values": [{"text": "1"}]},
        {"seconds": Odd(1.5)},
        {"seconds": 1},
    ],
    ids=lambda more: next(iter(more)),
)
def test_any_other_is_encoded(more: dict[str, Any]) -> None:
    reply = {"serial": 1, "seconds": 0.5, "out": [0, 1], "last": True, **more}
    assert _encoded(reply) == encode(reply)
