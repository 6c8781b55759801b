"""GitHub's workflow commands, read back as its runner reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from fencerun.events import Event, RunDone, RunStarted, VerdictKind
from fencerun.reporters.github import command
from fencerun.result import Failure

from .scripted import GREEN, HOSTILE, LEAKY, MIXED, play, run, verdict

_COMMAND = re.compile(r"::(?P<level>error|warning)(?: (?P<properties>.*?))?::(?P<message>.*)")


class Annotation(NamedTuple):
    """A command as GitHub understands it."""

    level: str
    properties: dict[str, str]
    message: str


def _data(text: str) -> str:
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def understood(text: str) -> list[Annotation]:
    """The commands of a log; a line that is none fails."""
    found = []
    for line in text.split("\n")[:-1]:
        match = _COMMAND.fullmatch(line)
        assert match, line
        given = (one.partition("=") for one in (match["properties"] or "").split(",") if one)
        properties = {
            key: _data(value.replace("%3A", ":").replace("%2C", ",")) for key, _, value in given
        }
        found.append(Annotation(match["level"], properties, _data(match["message"])))
    return found


def test_a_mixed_run(golden: Callable[[str, str], None]) -> None:
    golden("github.txt", play("github", MIXED))


def test_escapes() -> None:
    shown = command("error", "50%: a,b\r\nc", file="a,b:c%.md", line=3)
    assert shown == "::error file=a%2Cb%3Ac%25.md,line=3::50%25: a,b%0D%0Ac"
    assert command("error", "x") == "::error::x"


def test_an_annotation_stands_at_its_line() -> None:
    (one,) = understood(play("github", run([verdict("failed", 4, 41, "a, b: c%.md", what="w")])))
    assert one.level == "error"
    assert one.properties == {"file": "a, b: c%.md", "line": "41", "title": "fence 4 failed"}
    assert one.message == "w."


@pytest.mark.parametrize("kind", ["stale", "missing", "expired"])
def test_what_could_not_be_verified_is_a_warning(kind: VerdictKind) -> None:
    (one,) = understood(play("github", run([verdict(kind)])))
    assert one.level == "warning"


def test_green_says_nothing() -> None:
    assert play("github", GREEN) == ""


@pytest.mark.parametrize(("code", "errors"), [(0, []), (5, ["no fence ran"])])
def test_a_note_that_warns_is_a_warning_also_where_all_is_well(
    code: int, errors: list[str]
) -> None:
    notes = ("warning: docs cannot be read", "no fence ran")
    said = understood(play("github", run([verdict("kept")], exit_code=code, notes=notes)))
    assert [one.message for one in said if one.level == "warning"] == ["docs cannot be read"]
    assert [one.message for one in said if one.level == "error"] == errors


def test_a_leak_that_stays_is_a_warning_at_its_line() -> None:
    (one,) = understood(play("github", run([LEAKY])))
    assert (one.level, one.properties["line"]) == ("warning", "173")
    assert one.message == "fence 14, thread: Thread-1 (spin), not undone"


def test_hostile_text_makes_no_command_of_its_own() -> None:
    failure = Failure("exception", HOSTILE, traceback=HOSTILE)
    hostile = verdict("failed", what=HOSTILE, output=HOSTILE, failure=failure, page=HOSTILE)
    (one,) = understood(play("github", run([hostile], exit_code=4)))
    assert "::error file=x::forged" in one.message
    assert "a%0Ab" in one.message


def test_a_long_message_keeps_its_remedy() -> None:
    output = "".join(f"{'x' * 590}{n}\n" for n in range(50))
    (one,) = understood(play("github", run([verdict("failed", output=output, remedy="do this")])))
    assert len(one.message) < 4200
    assert one.message.endswith("do this")


@pytest.mark.parametrize(
    ("events", "message"),
    [
        (run([verdict("kept")], exit_code=5, notes=("no fence ran",)), "no fence ran"),
        (run([verdict("stale")], exit_code=5), "exit status 5, see the log"),
        ([RunStarted("check", "", 1, 3)], "the run broke off after 0 fences."),
        ([RunDone(130, 1.0, interrupted=True)], "exit status 130, see the log"),
    ],
    ids=["nothing ran", "warnings only", "broke off", "interrupted"],
)
def test_a_red_run_has_an_error(events: list[Event], message: str) -> None:
    errors = [one for one in understood(play("github", events)) if one.level == "error"]
    assert [one.message for one in errors] == [message]


def test_the_summary_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    play("github", GREEN, summary=str(path))
    shown = path.read_text(encoding="utf-8")
    assert shown.startswith("before\n### fencerun: all is well\n")
    assert "38 passed, 1 kept, 1 skipped on 1 page" in shown


@pytest.mark.parametrize("place", ["", "no/such/directory"], ids=["a directory", "no directory"])
def test_a_summary_that_cannot_be_written_is_a_warning(tmp_path: Path, place: str) -> None:
    """A green run stays green, and is no fault of fencerun."""
    summary = str(tmp_path / place) if place == "" else str(tmp_path / place / "summary.md")
    (one,) = understood(play("github", GREEN, summary=summary))
    assert one.level == "warning"
    assert "no job summary" in one.message and str(tmp_path) in one.message
