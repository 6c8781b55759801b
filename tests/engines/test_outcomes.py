"""Answers come from a process that runs anybody's code: what makes no sense is refused."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.engines.base import Job
from fencerun.engines.files import OutputFile
from fencerun.engines.outcomes import KEPT_OF_FLOOD, job_frame, outcome
from fencerun.protocol import ProtocolError, decode, encode
from fencerun.result import Leak, Outcome, ValueResult

JOB = Job("a", 1, "pass", 1, timeout=2.0)
Files = tuple[OutputFile, OutputFile]


@pytest.fixture(scope="module")
def files() -> Iterator[Files]:
    both = (OutputFile("out"), OutputFile("err"))
    for file in both:
        os.write(file.descriptor, b"0123456789")
    yield both
    for file in both:
        file.close()


def read(reply: dict[str, Any], files: Files) -> Outcome:
    return outcome(decode(encode(reply)), JOB, "x.md", files, 1 << 20)


def test_an_empty_answer_is_a_fence_that_did_nothing(files: Files) -> None:
    assert read({"serial": 1}, files) == Outcome()


def test_a_full_answer(files: Files) -> None:
    reply = {
        "out": [1, 3, 8, 10],
        "err": [0, 1],
        "seconds": 2,
        "leaks": [{"what": "cwd", "undone": True}],
        "values": [{"text": "1"}, {"error": "E"}],
        "tainted": "why",
    }
    assert read(reply, files) == Outcome(
        output=b"1289",
        stderr=b"0",
        seconds=2.0,
        leaks=(Leak("cwd"),),
        values=(ValueResult("1"), ValueResult(None, "E")),
        replaced="why",
    )


def test_a_flood_is_cut(files: Files) -> None:
    big = OutputFile("big")
    os.write(big.descriptor, b"x" * (KEPT_OF_FLOOD + 5))
    reply = {"out": [0, KEPT_OF_FLOOD + 5], "failure": {"kind": "flood", "summary": ""}}
    found = outcome(reply, JOB, "x.md", (big, files[1]), 1 << 10)
    assert (len(found.output), found.dropped) == (KEPT_OF_FLOOD, 5)
    assert found.failure is not None
    assert found.failure.summary == "more than 1 KiB of output"
    big.close()


NONSENSE: list[dict[str, Any]] = [
    {"out": [0, 11]},
    {"out": [-1, 3]},
    {"out": [5, 3]},
    {"out": [5]},
    {"out": ["0", "3"]},
    {"out": 7},
    {"seconds": "x"},
    {"failure": {"kind": "exception", "summary": "s", "other": 1}},
    {"failure": {"summary": "s"}},
    {"failure": []},
    {"leaks": [{"other": 1}]},
    {"leaks": 5},
    {"values": [1]},
    {"values": 1},
]


@pytest.mark.parametrize("reply", NONSENSE, ids=str)
def test_nonsense(files: Files, reply: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        read(reply, files)


ANYTHING = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
FIELDS = st.sampled_from(["out", "err", "seconds", "failure", "leaks", "values", "serial"])


@given(st.dictionaries(FIELDS, ANYTHING))
def test_nothing_else_is_raised(files: Files, reply: dict[str, Any]) -> None:
    with contextlib.suppress(ProtocolError):
        read(reply, files)


def test_defaults_do_not_travel() -> None:
    assert job_frame(JOB) == {"number": 1, "code": "pass", "line": 1}


def test_output_that_was_read_is_given_back() -> None:
    file = OutputFile("out")
    piece = 5 << 20
    os.write(file.descriptor, b"x" * piece)
    before = os.fstat(file.descriptor).st_blocks
    file.discard(piece)
    os.write(file.descriptor, b"rest")
    assert file.read(piece, piece + 4) == b"rest"
    assert os.fstat(file.descriptor).st_blocks < before
    file.close()
