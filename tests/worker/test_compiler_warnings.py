"""Warnings of the compiler: on the page's line, and shown by whoever shows warnings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from fencerun.worker import compiling
from fencerun.worker.asserts import Recorder


@pytest.fixture(params=[True, False], ids=["installed", "not installed"])
def shown(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What is shown, as line and text."""
    compiling.remove()
    found: list[Any] = []
    monkeypatch.setattr(
        warnings, "_showwarnmsg", lambda m: found.append((m.lineno, str(m.message)))
    )
    if request.param:
        compiling.install()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        yield found
    compiling.remove()


def compiled(code: str, line: int) -> None:
    compiling.compile_fence(code, "p.md", line, flags=0, recorder=Recorder(), echo=False)


def test_the_line_is_the_pages(shown: list[Any]) -> None:
    compiled("x = 1\nx is 1\n", 41)
    ((line, text),) = shown
    assert line == 42
    assert "is" in text


def test_other_warnings_are_left_alone(shown: list[Any]) -> None:
    compiled("x = 1\n", 41)
    compile("1 is 1", "other", "exec")
    warnings.warn("mine", stacklevel=1)
    assert [line < 100 for line, _ in shown] == [True, True]
    assert shown[0][0] == 1
    assert shown[1][1] == "mine"


def test_one_that_a_fence_put_there_is_asked_and_stays(
    shown: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    other: list[int] = []

    def show(message: Any) -> None:
        other.append(message.lineno)

    monkeypatch.setattr(warnings, "_showwarnmsg", show)
    compiled("1 is 1\n", 41)
    assert other == [41]
    assert shown == []
    assert warnings._showwarnmsg is show  # type: ignore[attr-defined]


def test_it_is_put_back_after_an_error(shown: list[Any]) -> None:
    before = warnings._showwarnmsg  # type: ignore[attr-defined]
    with pytest.raises(SyntaxError):
        compiled("(", 41)
    assert warnings._showwarnmsg is before  # type: ignore[attr-defined]
    compile("1 is 1", "other", "exec")
    assert [line for line, _ in shown] == [1]
