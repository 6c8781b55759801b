"""Frames between the parent and its children: JSON, one object a line, over a socket pair.

Stdlib only: the child runs under an interpreter that need not have anything installed. JSON
rather than pickle, because a corrupted or hostile worker must not be able to execute code in the
parent. Everything here is data; nothing opens a socket.

Parent to zygote (file descriptors travel beside the frame, in this order: control socket,
stdout file, stderr file, fault file)::

    {"do": "fork"}                                   -> {"pid": 1234}
    {"do": "quit"}
    (unasked, when a worker ends)                    <- {"pid": 1234, "status": <wait status>}
    (unasked, once, after preloading)                <- {"ready": true, "python": "3.11.7", ...}

Parent to worker::

    {"do": "chain", "page": "lessons/x.md", "directory": "/abs/lessons",
     "jobs": [{"number": 3, "code": "…", "line": 41, …}]}
    {"do": "quit"}

Worker to parent, one reply a job, in order, until a chain ends (its last job's reply is sent
after the chain's clean-up; after a failure the rest of the chain gets no reply)::

    {"ready": true}
    {"number": 3, "out": [0, 12], "err": [0, 0], "seconds": 0.01, "failure": null | {…},
     "leaks": [{…}], "values": [{…}], "last": true, "tainted": null | "why"}

``out`` and ``err`` are offsets into the two output files, which the parent owns and reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

#: Bumped when a frame changes its meaning. Parent and child come from one installation, so this
#: guards only against a stale module in a long-lived zygote.
VERSION = 1

#: No honest frame is longer: code travels in frames, output does not.
MAX_FRAME = 64 << 20


class ProtocolError(Exception):
    """The other side sent bytes that are not a frame."""


def encode(frame: dict[str, Any]) -> bytes:
    """One frame as bytes. Lone surrogates in code or messages survive as JSON escapes."""
    return json.dumps(frame, separators=(",", ":")).encode("ascii") + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """The frame in ``line``.

    Raises ProtocolError when it is not one JSON object.
    """
    try:
        frame = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not a frame: {line[:80]!r}") from error
    if not isinstance(frame, dict):
        raise ProtocolError(f"not a frame: {line[:80]!r}")
    return frame


class Decoder:
    """Cuts a byte stream into frames, however the bytes were packed into reads."""

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._pending: list[bytes] = []
        self._size = 0
        self._limit = limit

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The frames that ``data`` completes.

        Raises ProtocolError on a line that is no frame, or one longer than the limit.
        """
        *complete, rest = data.split(b"\n")
        for line in complete:
            self._pending.append(line)
            whole = b"".join(self._pending)
            self._pending.clear()
            self._size = 0
            yield decode(whole)
        if rest:
            self._pending.append(rest)
            self._size += len(rest)
            if self._size > self._limit:
                raise ProtocolError(f"a frame of more than {self._limit} bytes")
