"""The environment's probe reads it anew only where something was done to it."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from fencerun.worker.guards import python_state

CHANGES: dict[str, Callable[[], object]] = {
    "a new variable": lambda: os.environ.__setitem__("FENCERUN_A", "1"),
    "another value": lambda: os.environ.__setitem__("FENCERUN_B", "2"),
    "a variable gone": lambda: os.environ.__delitem__("FENCERUN_B"),
    "all at once": lambda: os.environ.update({"FENCERUN_A": "1", "FENCERUN_B": "3"}),
    "behind its back": lambda: os.environ._data.__setitem__(b"FENCERUN_A", b"1"),  # type: ignore[attr-defined]
}


@pytest.mark.parametrize("tagged", [True, False], ids=["with version tags", "without"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_each_change_shows(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[], object], tagged: bool
) -> None:
    if not tagged:
        monkeypatch.setattr(python_state, "version_cell", lambda namespace: None)
    monkeypatch.setenv("FENCERUN_B", "1")
    monkeypatch.delenv("FENCERUN_A", raising=False)
    read = python_state._environment()
    before = read()
    kept = dict(before)
    assert read() == before == python_state.dict_of_environment()
    change()
    after = read()
    assert after == python_state.dict_of_environment() != before
    assert before == kept, "what was read stays as it was"
    monkeypatch.delenv("FENCERUN_A", raising=False)


def test_another_environment_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    read = python_state._environment()
    before = read()
    monkeypatch.setattr(os, "environ", {"ONLY": "this"})
    assert read() == {"ONLY": "this"}
    monkeypatch.undo()
    assert read() == before
