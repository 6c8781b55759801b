"""Whatever pages and fences say, reports stay whole: no line, escape or command is forged."""

from __future__ import annotations

import io
from typing import Any, get_args
from xml.dom import minidom

from hypothesis import given
from hypothesis import strategies as st

from fencerun.events import (
    DiffLine,
    Event,
    FenceDone,
    Problem,
    ProblemFound,
    RunDone,
    RunStarted,
    VerdictKind,
)
from fencerun.reporters import make
from fencerun.reporters.jsonl import read
from fencerun.result import Failure, Leak

from .scripted import verdict

_PIECES = st.sampled_from(
    ("a", " ", "<", "&", '"', "\n", "\r", "\t", "\0", "\x1b[31m", "\x9b31m", "\ud800", "\u202e",
     " ::error::x", " ##[error]x", "%0A", "]]>", "|", "`", "é", "漢", "😀", "\x85", "\u2028",
     "\ufffe", "[/red]", ":smile:", "x" * 50)
)  # fmt: skip
_WORDS = st.lists(_PIECES, max_size=8).map("".join)
_LINES = st.tuples(st.sampled_from(" -+~"), _WORDS, st.sampled_from([None, 3]))


@st.composite
def runs(draw: Any) -> list[Event]:
    def words(first: str = "") -> str:
        return first + str(draw(_WORDS))

    kind: VerdictKind = draw(st.sampled_from(get_args(VerdictKind)))
    failure = None
    if kind == "failed":
        failure = Failure("exception", words(), traceback=words(), values=((words(), words()),))
    done = verdict(
        kind, page=words("p"), what=words(), source=words(), output=words(), stderr=words(),
        reason=words(), replaced=words(), failure=failure, seconds=0.1,
        diff=tuple(DiffLine(*line) for line in draw(st.lists(_LINES, max_size=5))),
        leaks=(Leak(words("thread"), words(), words(), undone=False),),
    )  # fmt: skip
    problem = Problem(words("p"), 3, words(), words(), "do this", "error")
    notes = (words("n"),)
    return [
        RunStarted("check", words("Python"), 2, 3),
        ProblemFound(problem),
        FenceDone(done),
        RunDone(4, 1.0, notes=notes, rerun="fencerun check"),
    ]


def shown(name: str, events: list[Event], encoding: str, **options: Any) -> str:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding=encoding, newline="\n")
    reporter = make(name, stream, **options)
    for event in events:
        reporter.handle(event)
    reporter.close()
    stream.flush()
    return written.getvalue().decode(encoding)


@given(runs(), st.sampled_from(("utf-8", "ascii", "latin-1")))
def test_files_can_be_read_back(events: list[Event], encoding: str) -> None:
    minidom.parseString(shown("junit", events, encoding).encode())
    assert len(list(read(shown("jsonl", events, encoding).splitlines(True)))) == len(events)


@given(runs(), st.sampled_from(("utf-8", "ascii", "latin-1")), st.sampled_from((20, 80, 140)))
def test_lines_of_a_log_are_ours(events: list[Event], encoding: str, width: int) -> None:
    commands = ("::", "##[")
    for name in ("plain", "rich"):
        for beside in (False, True):
            log = shown(name, events, encoding, width=width, verbose=1, beside=beside)
            assert not {"\r", "\0", "\x1b", "\x9b", "\x85", "\u202e"} & set(log)
            assert not [line for line in log.split("\n") if line.lstrip().startswith(commands)]
    for line in shown("github", events, encoding).split("\n")[:-1]:
        assert line.startswith(("::error ", "::warning ")) and "\r" not in line
