"""The closing lines."""

from __future__ import annotations

import pytest

from fencerun.events import Event, RunDone, RunStarted
from fencerun.reporters.summary import closing, opening
from fencerun.reporters.tally import Tally
from fencerun.reporters.wording import text

from .scripted import GREEN, KEPT, NAME_ERROR, SKIPPED, passed, run, verdict


def closed(events: list[Event]) -> list[str]:
    tally = Tally()
    for event in events:
        tally.add(event)
    return [text(line) for line in closing(tally)]


def test_all_is_well_in_few_words() -> None:
    assert closed(GREEN) == [
        "38 passed, 1 kept, 1 skipped on 1 page in 3.2 s",
        "skipped: slow 1; kept: requires:cuda 1",
    ]


def test_all_is_well_is_at_most_three_lines() -> None:
    slow = [verdict("passed", n, 10 * n, seconds=n + 0.5, replaced="it grew") for n in range(9)]
    lines = closed(run([*slow, SKIPPED, KEPT]))
    assert len(lines) == 3
    assert lines[2].startswith("slowest: lessons/07.md:80 8.5 s, lessons/07.md:70 7.5 s,")
    assert "worker replaced 9 times" in lines[2]


@pytest.mark.parametrize(
    ("events", "first"),
    [
        (run([]), "no fences in 3.2 s"),
        (run(passed(2)[:1], written=True), "1 passed on 1 page, 1 written, in 3.2 s"),
        (run([verdict("elsewhere")]), "1 ran elsewhere on 1 page in 3.2 s"),
        ([RunStarted("check", "", 1, 3)], "the run broke off: 3 not run"),
        (
            [RunStarted("check", "", 1, 3), RunDone(130, 2.0, interrupted=True)],
            "interrupted: 3 not run in 2.0 s",
        ),
    ],
    ids=["empty", "written", "elsewhere", "broke off", "interrupted"],
)
def test_counts(events: list[Event], first: str) -> None:
    assert closed(events)[0] == first


def test_notes_and_the_command_come_last() -> None:
    lines = closed(run([NAME_ERROR], exit_code=4, notes=("Because.",), rerun="fencerun check x"))
    assert lines[-3:] == ["Because.", "to run these again:", "  fencerun check x"]


def test_many_reasons_are_cut() -> None:
    lines = closed(run([verdict("skipped", n, reason=f"why {n}") for n in range(20)]))
    assert lines[1].endswith("why 5 1, 14 more reasons")


def test_opening() -> None:
    assert text(opening(RunStarted("record", "Python 3.11\n", 1, 2))) == (
        "fencerun record, Python 3.11\\n"
    )
    assert text(opening(RunStarted("check", "", 1, 2))) == "fencerun check"
