"""Frames between the parent and its children: JSON, one object a line, over a socket pair.

Stdlib only: the child runs under an interpreter that need not have anything installed. JSON
rather than pickle, because a corrupted or hostile worker must not be able to execute code in the
parent. Everything here is data; nothing opens a socket.

Parent to zygote (file descriptors travel beside ``fork``, in this order: control socket,
stdout file, stderr file, fault file)::

    {"do": "fork"}                                   -> {"pid": 1234}
    {"do": "quit"}
    (unasked, once, after preloading)                <- {"ready": true, "python": "3.11.7",
                                                        "loaded": {"torch": "2.13.0"}}
    (unasked, when a worker has ended)               <- {"pid": 1234, "status": <wait status>}

Parent to worker, up to 64 chains ahead; the jobs of a chain are numbered on from ``serial``,
a count that never repeats within one worker::

    {"do": "chain", "page": "lessons/x.md", "directory": "/abs/lessons", "serial": 17,
     "jobs": [{"number": 3, "code": "…", "line": 41, …}]}
    {"do": "quit"}

A job holds the fields of ``engines.base.Job`` that matter to the worker; fields at their default
are left out. Worker to parent, one reply a job, in order, until a chain ends (its last job's
reply is sent after the chain's clean-up; after a failure the rest of the chain gets no reply)::

    {"serial": 17, "out": [0, 12], "err": [], "seconds": 0.01, "failure": {…},
     "leaks": [{…}], "values": [{…}], "figures": ["<svg…"], "last": true, "tainted": "why"}

``out`` and ``err`` are pairs of offsets into the two output files, which the parent owns and
reads: start, end, and again start, end where output in between is not the fence's. What is empty
or false may be left out, but for ``serial``. A worker that said it is tainted ends by itself.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

#: Bumped when a frame changes its meaning. Parent and child come from one installation, so this
#: guards only against a stale module in a long-lived zygote.
VERSION = 1

#: No honest frame is longer: code travels in frames, output does not.
MAX_FRAME = 64 << 20


#: The exit status of a worker whose socket or files a fence closed.
EXIT_CUT_OFF = 86

#: The exit status of a worker whose own code raised; the fault file says what.
EXIT_BROKEN = 87

#: ``raw_decode`` without the search for blanks around a text, which takes as long as a frame does.
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def _encoder() -> Callable[[Any], str]:
    """``JSONEncoder.encode`` with the C encoder made once, not once a frame; ours are no rings."""
    make, text = json.encoder.c_make_encoder, json.encoder.encode_basestring_ascii  # type: ignore[attr-defined]
    plain = json.JSONEncoder(separators=(",", ":"))
    if make is None:
        return plain.encode
    pieces = make(None, plain.default, text, None, ":", ",", False, False, True)
    return lambda frame: "".join(pieces(frame, 0))


_encode = _encoder()


class ProtocolError(Exception):
    """The other side sent bytes that are not a frame."""


def encode(frame: dict[str, Any]) -> bytes:
    """One frame as bytes. Lone surrogates in code or messages survive as JSON escapes."""
    return _encode(frame).encode("ascii") + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """The frame in ``line``.

    Raises ProtocolError when it is not one JSON object.
    """
    try:
        text = line.decode("utf-8").strip(" \t\r\n")
        frame, end = _scan(text, 0)
    except (ValueError, RecursionError, StopIteration) as error:
        raise ProtocolError(f"not a frame: {line[:80]!r}") from error
    if not isinstance(frame, dict) or end != len(text):
        raise ProtocolError(f"not a frame: {line[:80]!r}")
    return frame


def _frames(lines: bytes) -> Iterator[dict[str, Any]]:
    """The frames in whole lines; raises as ``decode`` does, once those before are given."""
    try:
        text = lines.decode("utf-8")
    except UnicodeDecodeError:
        for line in lines.split(b"\n")[:-1]:
            yield decode(line)
        return
    at = 0
    while at < len(text):
        stop = text.index("\n", at)
        try:
            frame, end = _scan(text, at)
        except (ValueError, RecursionError, StopIteration):
            end = -1
        # Blanks around it, a line end within it, or no frame: one line by itself tells.
        yield frame if end == stop and type(frame) is dict else decode(text[at:stop].encode())
        at = stop + 1


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
        end = data.rfind(b"\n") + 1
        rest = data[end:] if end else data
        if end:
            whole = b"".join((*self._pending, data[:end]))
            self._pending.clear()
            self._size = 0
            yield from _frames(whole)
        if rest:
            self._pending.append(rest)
            self._size += len(rest)
            if self._size > self._limit:
                raise ProtocolError(f"a frame of more than {self._limit} bytes")
