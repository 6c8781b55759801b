"""What `fencerun status` says of a page."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from fencerun import inspection, state
from fencerun.events import Verdict

from .course import fence

ALL = "\n".join(
    [
        fence("fence:1", "a\nb"),
        fence("fence:2 continues:1"),
        fence("fence:3 requires:lab"),
        fence('fence:4 skip:"no licence"', "c"),
        fence("fence:5 requires:lab", "d"),
        "```python\nuntagged\n```\n",
        "```text output:9\ngone\n```\n",
    ]
)
LAB = "[tool.fencerun.capabilities]\nlab = false\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(LAB)
    (tmp_path / "p.md").write_text(ALL)
    return tmp_path


def status(*arguments: str, word: str | None = None) -> tuple[int, list[str]]:
    stream = StringIO()
    code = inspection.status(arguments, word, (), stream)
    return code, stream.getvalue().splitlines()


def test_every_fence_and_every_loose_end(here: Path) -> None:
    code, lines = status()
    assert lines == [
        "p.md:1: recorded: fence 1, 2 lines",
        "p.md:10: unrecorded: fence 2, no recording; continues fence 1",
        "p.md:14: missing: fence 3, never recorded (switched off in the configuration); "
        "requires lab",
        "p.md:18: skipped: fence 4, no licence",
        "p.md:26: stale: fence 5, nothing says which code its recording belongs to (no `key:`); "
        "requires lab",
        "p.md:38: orphan: output:9 has no fence",
        "p.md:34: untagged: a python block",
        "1 recorded, 1 unrecorded, 1 missing, 1 skipped, 1 stale, 1 orphan, 1 untagged block "
        "on 1 page",
        "`fencerun tag` numbers untagged blocks",
    ]
    assert code == 0


def test_what_is_typed_in_a_transcript_is_no_recording(here: Path) -> None:
    silent = "```console fence:1\n$ echo a\n$ true\n```\n\n"
    said = "```pycon fence:2\n>>> 1\n1\n>>> x = 2\n>>> x\n2\n```\n"
    (here / "p.md").write_text(silent + said)
    assert status()[1][:2] == [
        "p.md:1: unrecorded: fence 1, no recording",
        "p.md:6: recorded: fence 2, 2 lines",
    ]


def test_what_has_no_recording_and_needs_none(here: Path) -> None:
    hidden = "<!-- fence:1 hidden\nx = 1\n-->\n\n"
    (here / "p.md").write_text(hidden + fence("fence:2") + fence("fence:3"))
    (here / "q.md").write_text("---\nfencerun: {record: none}\n---\n\n" + fence("fence:1"))
    passed = Verdict("p.md::2", "passed", "p.md", 2, 5, seconds=0.1)
    state.save(here, [passed], {"p.md": "p.md"})
    assert status()[1][:4] == [
        "p.md:1: hidden: fence 1, nothing of it is recorded",
        "p.md:5: silent: fence 2, it printed nothing; last run: passed",
        "p.md:8: unrecorded: fence 3, no recording",
        "q.md:5: only run: fence 1, nothing of it is recorded",
    ]


def test_a_selection(here: Path) -> None:
    assert status("p.md::2")[1][0].startswith("p.md:10: unrecorded: fence 2")
    assert [line for line in status("p.md::1")[1] if ": fence " in line] == [
        "p.md:1: recorded: fence 1, 2 lines"
    ]


def test_the_last_run_is_told(here: Path) -> None:
    verdict = Verdict("p.md::1", "changed", "p.md", 1, 1, seconds=0.5)
    state.save(here, [verdict], {"p.md": "p.md"})
    assert status("p.md::1")[1][0] == "p.md:1: recorded: fence 1, 2 lines; last run: changed"


def test_problems_are_told_and_turn_it_red(here: Path) -> None:
    (here / "p.md").write_text(fence() + fence())
    (here / "q.md").write_text(fence())
    code, lines = status()
    assert code == 3
    assert lines[0] == (
        "p.md:4: problem: fence:1 stands twice. Give one of them another number [number-twice]"
    )
    assert lines[-1] == "1 unrecorded on 2 pages"


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"version": 2}', '{"version": 1, "fences": {"p.md::1": 3}}', "\0"],
)
def test_a_state_that_cannot_be_read_is_none(here: Path, text: str) -> None:
    (here / ".fencerun").mkdir()
    (here / ".fencerun" / "last.json").write_text(text)
    assert state.load(here) == {}
    state.save(here, [Verdict("p.md::1", "failed", "p.md", 1, 1)], {})
    assert state.load(here)["p.md::1"] == state.Last("failed")


def test_a_project_that_cannot_be_written_to_has_no_state(here: Path) -> None:
    (here / ".fencerun").write_text("in the way")
    state.save(here, [Verdict("p.md::1", "failed", "p.md", 1, 1)], {})
    assert state.load(here) == {}
