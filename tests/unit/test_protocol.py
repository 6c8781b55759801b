"""Frames survive any way the bytes are cut up, and nothing but frames gets through."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.protocol import Decoder, ProtocolError, decode, encode

SCALARS = st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None))
VALUES = st.recursive(
    SCALARS | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FRAMES = st.lists(st.dictionaries(st.text(), VALUES, max_size=4), max_size=6)


@given(FRAMES, st.data())
def test_any_split_of_the_bytes_gives_the_same_frames(
    frames: list[dict[str, Any]], data: st.DataObject
) -> None:
    stream = b"".join(map(encode, frames))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    decoder = Decoder()
    found: list[dict[str, Any]] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += decoder.feed(stream[start:end])
    assert found == frames


@given(st.dictionaries(st.text(), VALUES))
def test_a_frame_is_one_line_of_ascii(frame: dict[str, Any]) -> None:
    data = encode(frame)
    assert data.isascii()
    assert data.count(b"\n") == 1
    assert data.endswith(b"\n")


@given(st.binary(max_size=200))
def test_hostile_bytes_raise_nothing_else(data: bytes) -> None:
    decoder = Decoder(limit=100)
    try:
        for frame in decoder.feed(data):
            assert isinstance(frame, dict)
    except ProtocolError:
        pass


HOSTILE = {
    "no JSON": b"hello",
    "a list": b"[1]",
    "a number": b"7",
    "nothing": b"",
    "not UTF-8": b'{"a": "\xff"}',
    "two": b"{}{}",
    "deep": b"[" * 200_000,
    "a long number": b'{"a": ' + b"9" * 100_000 + b"}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_frame(name: str) -> None:
    with pytest.raises(ProtocolError, match="not a frame"):
        decode(HOSTILE[name])


def test_a_line_without_end_is_refused_before_it_fills_the_memory() -> None:
    decoder = Decoder(limit=1000)
    assert list(decoder.feed(b"x" * 900)) == []
    with pytest.raises(ProtocolError, match="more than 1000 bytes"):
        list(decoder.feed(b"x" * 200))


@given(st.text(st.characters(codec=None)))
def test_code_with_lone_surrogates_survives(code: str) -> None:
    assert decode(encode({"code": code})) == {"code": code}
