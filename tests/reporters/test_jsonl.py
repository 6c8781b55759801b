"""JSON lines, there and back."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun import events
from fencerun.events import Event, FenceDone, ProblemFound, RunDone
from fencerun.reporters.jsonl import JsonlError, dump, load, read

from .scripted import CHANGED, MIXED, NAME_ERROR, play

TEXT = st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=20)
st.register_type_strategy(str, TEXT)
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
EVENTS = st.one_of(*(st.from_type(kind) for kind in get_args(Event)))


@given(EVENTS)
def test_round_trip(event: Event) -> None:
    line = dump(event)
    assert line.isascii()
    assert "\n" not in line
    assert load(line) == event


def test_a_mixed_run_comes_back() -> None:
    lines = play("jsonl", MIXED).splitlines(keepends=True)
    assert len(lines) == len(MIXED)
    back = list(read(lines))
    assert back[:-1] == MIXED[:-1]


def test_the_end_repeats_nothing() -> None:
    end = json.loads(play("jsonl", MIXED).splitlines()[-1])
    assert (end["event"], end["verdicts"], end["problems"]) == ("run_done", [], [])
    (alone,) = read(play("jsonl", [RunDone(1, 1.0, (CHANGED,))]).splitlines(keepends=True))
    assert alone == RunDone(1, 1.0, (CHANGED,))


def test_every_line_says_version_and_event() -> None:
    frames = [json.loads(line) for line in play("jsonl", MIXED).splitlines()]
    assert {frame["v"] for frame in frames} == {1}
    assert {frame["event"] for frame in frames} == {
        "run_started",
        "problem_found",
        "page_started",
        "fence_started",
        "fence_done",
        "page_done",
        "run_done",
    }


def changed(**fields: Any) -> str:
    frame = json.loads(dump(FenceDone(NAME_ERROR)))
    return json.dumps({**frame, **fields})


def bad(field: str, value: Any) -> str:
    """An event whose verdict has a field of the wrong type."""
    return changed(verdict={**json.loads(changed())["verdict"], field: value})


def test_unknown_fields_are_skipped_and_absent_ones_have_defaults() -> None:
    frame = json.loads(dump(FenceDone(NAME_ERROR)))
    frame["verdict"]["mood"] = "sunny"
    del frame["verdict"]["stderr"]
    assert load(json.dumps(frame)) == FenceDone(NAME_ERROR)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not an event"),
        ("{}", "written in version None"),
        (changed(v=2), "written in version 2, this reads 1"),
        (changed(event="dance"), "no event is called 'dance'"),
        (changed(verdict=None), "verdict is not an object"),
        (changed(verdict={}), "verdict lacks 'id'"),
        (bad("line", "3"), "'line' cannot be \"3\""),
        (bad("line", True), "'line' cannot be "),
        (bad("kind", "fine"), "'kind' cannot be "),
        (bad("kind", []), "'kind' cannot be "),
        (bad("diff", 3), "'diff' cannot be "),
        (bad("seconds", "x"), "'seconds' cannot be "),
    ],
)
def test_what_is_no_event(line: str, why: str) -> None:
    with pytest.raises(JsonlError, match="^" + re.escape(why)):
        load(line)


def test_a_fault_is_named_by_line() -> None:
    with pytest.raises(JsonlError, match=r"^line 3: not JSON"):
        list(read([dump(MIXED[0]) + "\n", "\n", "oops\n"]))


def test_a_half_written_end_is_what_a_killed_run_leaves() -> None:
    lines = play("jsonl", MIXED).splitlines(keepends=True)
    assert list(read([*lines[:3], lines[3][:20]])) == MIXED[:3]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXT,
        lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    )
)
def test_hostile_lines_raise_nothing_else(value: Any) -> None:
    frame = {"v": 1, "event": "problem_found", "problem": value}
    with contextlib.suppress(JsonlError):
        assert isinstance(load(json.dumps(frame)), ProblemFound)


def test_every_event_is_documented() -> None:
    page = (Path(events.__file__).parent.parent / "docs" / "jsonl.md").read_text(encoding="utf-8")
    for kind in get_args(Event):
        name = "".join(f"_{c.lower()}" if c.isupper() else c for c in kind.__name__).lstrip("_")
        assert f"`{name}`" in page
        for field in kind.__dataclass_fields__:
            assert f"`{field}`" in page
    for kind in get_args(events.VerdictKind):
        assert f"`{kind}`" in page
