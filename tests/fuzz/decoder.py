"""Any bytes as frames from a worker: dicts come out, or a ProtocolError."""

from __future__ import annotations

from fencerun.protocol import Decoder, ProtocolError, encode

LIMIT = 4096


def check(data: bytes) -> None:
    """The frames do not depend on how the bytes were cut, and can be sent on as they are."""
    whole = _decoded([data])
    step = 1 + len(data) // 7
    cut = _decoded([data[at : at + step] for at in range(0, len(data), step)])
    assert whole == cut, "a cut between two reads changes what is read"
    frames, _ = whole
    stream = b"".join(map(encode, frames))
    assert _decoded([stream]) == (frames, False) or len(stream) > LIMIT


def _decoded(pieces: list[bytes]) -> tuple[list[dict[str, object]], bool]:
    """The frames, and whether the bytes ended in a fault."""
    decoder = Decoder(LIMIT)
    frames: list[dict[str, object]] = []
    try:
        for piece in pieces:
            frames += decoder.feed(piece)
    except ProtocolError:
        return frames, True
    return frames, False
