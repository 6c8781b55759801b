"""Reporters by name, and several as one."""

from __future__ import annotations

import io

import pytest

from fencerun.events import Event, RunStarted
from fencerun.reporters import NAMES, fan_out, make

from .scripted import MIXED


@pytest.mark.parametrize("name", NAMES)
def test_every_name_makes_a_reporter(name: str) -> None:
    stream = io.StringIO()
    reporter = make(name, stream)
    for event in MIXED:
        reporter.handle(event)
    reporter.close()
    reporter.close()
    assert "lessons/07.md" in stream.getvalue()
    assert not stream.closed


def test_an_unknown_name() -> None:
    with pytest.raises(ValueError, match="'html'; there are rich, plain, github, junit, jsonl"):
        make("html", io.StringIO())


class Scripted:
    """A reporter that notes what it is told."""

    def __init__(self, log: list[str], name: str, error: Exception | None = None) -> None:
        self.log, self.name, self.error = log, name, error

    def handle(self, event: Event) -> None:
        self.log.append(f"{self.name} {type(event).__name__}")

    def close(self) -> None:
        self.log.append(f"{self.name} close")
        if self.error:
            raise self.error


def test_fan_out_keeps_the_order() -> None:
    log: list[str] = []
    both = fan_out([Scripted(log, "a"), Scripted(log, "b")])
    both.handle(RunStarted("check", "", 0, 0))
    both.close()
    assert log == ["a RunStarted", "b RunStarted", "a close", "b close"]


def test_fan_out_closes_all_and_raises_the_first_error() -> None:
    log: list[str] = []
    first, second = OSError("disk full"), OSError("pipe")
    all_three = fan_out([Scripted(log, "a", first), Scripted(log, "b", second), Scripted(log, "c")])
    with pytest.raises(OSError, match="disk full"):
        all_three.close()
    assert log == ["a close", "b close", "c close"]


def test_one_reporter_needs_no_fan() -> None:
    one = Scripted([], "a")
    assert fan_out([one]) is one
    fan_out([]).close()
