"""Fresh directories: files, links, and nothing left."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencerun.scratch import Scratch


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "one.txt").write_text("one")
    (tmp_path / "data" / "two.txt").write_text("two")
    (tmp_path / "helper.py").write_text("beside")
    (tmp_path / ".hidden").write_text("")
    (tmp_path / "__pycache__").mkdir()
    return tmp_path


def test_links_to_what_is_beside(beside: Path) -> None:
    scratch = Scratch()
    made = Path(scratch.make(str(beside), {}))
    assert sorted(path.name for path in made.iterdir()) == ["data", "helper.py"]
    assert (made / "data" / "one.txt").read_text() == "one"
    assert (made / "helper.py").is_symlink()
    scratch.remove(str(made))
    assert not made.exists()
    assert (beside / "data" / "one.txt").read_text() == "one"


def test_files_win_and_their_directories_keep_their_siblings(beside: Path) -> None:
    scratch = Scratch()
    files = {"helper.py": "own\r\n", "data/one.txt": "é", "new/deep/er.h": "", "data/sub/x": "x"}
    made = Path(scratch.make(str(beside), files))
    assert (made / "helper.py").read_bytes() == b"own\r\n"
    assert (made / "data" / "one.txt").read_text("utf-8") == "é"
    assert (made / "data" / "two.txt").read_text() == "two"
    assert (made / "new" / "deep" / "er.h").is_file()
    (made / "data" / "one.txt").write_text("changed")
    assert (beside / "data" / "one.txt").read_text() == "one"
    assert (beside / "helper.py").read_text() == "beside"
    scratch.close()
    assert not made.exists()


def test_a_file_of_the_page_under_the_name_of_a_file_beside(beside: Path) -> None:
    scratch = Scratch()
    made = Path(scratch.make(str(beside), {"helper.py/inner": "x"}))
    assert (made / "helper.py" / "inner").read_text() == "x"
    scratch.close()


def test_each_is_another_one_and_others_are_left_alone(beside: Path) -> None:
    scratch = Scratch()
    one, two = scratch.make(str(beside), {}), scratch.make(str(beside), {})
    assert one != two
    scratch.remove(str(beside))
    assert beside.is_dir()
    scratch.close()
    assert not Path(one).exists()
    assert not Path(two).exists()
