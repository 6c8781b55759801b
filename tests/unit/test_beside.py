"""Files beside a page, as keys read them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fencerun.beside import beside


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "book/pkg").mkdir(parents=True)
    for name in ("conf.py", "book/data.csv", "book/pkg/mod.py"):
        (tmp_path / name).write_text(name)
    os.mkfifo("book/pipe")


PATHS = {
    "data.csv": b"book/data.csv",
    "./data.csv": b"book/data.csv",
    "pkg/mod.py": b"book/pkg/mod.py",
    "pkg/../data.csv": b"book/data.csv",
    "../conf.py": b"conf.py",
    "pkg": None,
    "pipe": None,
    "absent.csv": None,
    "a\0b": None,
}


@pytest.mark.parametrize("system", ["linux", "darwin"])
@pytest.mark.parametrize(("path", "data"), PATHS.items())
def test_the_same_on_every_system(
    path: str, data: bytes | None, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    assert beside("book/p.md")(path) == data


def test_a_file_that_only_answers_to_the_name_is_not_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    Path("book/Data.csv").symlink_to("data.csv")  # as if the system did not tell them apart
    monkeypatch.setattr(os, "listdir", lambda path: ["data.csv"])
    assert beside("book/p.md")("Data.csv") is None


def test_nothing_outside_by_its_whole_name_and_each_file_once() -> None:
    read = beside("book/p.md")
    assert read(os.path.abspath("conf.py")) is None
    assert read("data.csv") == b"book/data.csv"
    Path("book/data.csv").write_text("later")
    assert read("data.csv") == b"book/data.csv"
