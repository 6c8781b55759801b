"""Files that a chain leaves: found whatever the time stamps, and nothing else called one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fencerun.worker.newfiles import NewFiles


@pytest.fixture(params=["old", "fresh"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A directory that was last changed long ago, or just now."""
    (tmp_path / "there").write_text("")
    if request.param == "old":
        os.utime(tmp_path, (1, 1))
    return tmp_path


def test_what_is_new_is_named_once(directory: Path) -> None:
    files = NewFiles()
    files.begin(str(directory), True)
    (directory / "b").write_text("")
    (directory / "a").mkdir()
    assert files.end() == ["a", "b"]
    files.begin(str(directory), True)
    assert files.end() == []


def test_what_was_there_or_is_expected_is_not(directory: Path) -> None:
    files = NewFiles()
    files.begin(str(directory), True)
    (directory / "there").write_text("changed")
    (directory / "gone").write_text("")
    (directory / "gone").unlink()
    (directory / ".tool").write_text("")
    (directory / "__pycache__").mkdir()
    assert files.end() == []


def test_what_came_between_two_chains_is_neithers(directory: Path) -> None:
    files = NewFiles()
    files.begin(str(directory), True)
    assert files.end() == []
    (directory / "between").write_text("")
    files.begin(str(directory), True)
    assert files.end() == []
    files.begin(str(directory), True)
    (directory / "after").write_text("")
    assert files.end() == ["after"]


def test_each_directory_has_its_own_names(directory: Path) -> None:
    other = directory / "other"
    other.mkdir()
    files = NewFiles()
    for place, name in ((directory, "one"), (other, "two"), (directory, "three")):
        files.begin(str(place), True)
        (place / name).write_text("")
        assert files.end() == [name]


def test_a_directory_that_is_gone_has_no_files(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    files = NewFiles()
    files.begin(str(place), True)
    place.rmdir()
    assert files.end() == []
    files.begin(str(tmp_path), False)
    (tmp_path / "unwatched").write_text("")
    assert files.end() == []


def test_a_quiet_directory_is_listed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.utime(tmp_path, (1, 1))
    listed: list[str] = []
    original = os.listdir

    def listdir(path: str) -> list[str]:
        listed.append(path)
        return original(path)

    monkeypatch.setattr(os, "listdir", listdir)
    files = NewFiles()
    for _ in range(100):
        files.begin(str(tmp_path), True)
        assert files.end() == []
    assert listed == [str(tmp_path)]
