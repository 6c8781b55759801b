"""Whose file it is that appeared while several pages ran in one directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencerun.engines.base import Chain, Job
from fencerun.engines.clues import Clues
from fencerun.result import Leak
from fencerun.worker import newfiles


def chain(directory: Path, page: str, code: str, setup: str | None = None) -> Chain:
    return Chain(
        page, str(directory), (Job("k", 1, code, 2),), setup=("s.py", setup) if setup else None
    )


@pytest.mark.parametrize(
    ("mine", "other", "there", "acquitted"),
    [
        ("open('x.txt', 'w')", "pass", True, False),
        ("pass", "open('x.txt', 'w')", True, True),
        ("open('x.txt', 'w')", "open('x.txt')", True, False),
        ("open(name, 'w')", "open(name, 'w')", True, False),
        ("open(name, 'w')", "pass", False, True),
        ("open('x.txt', 'w')", "pass", False, False),
    ],
    ids=["mine", "another's", "both name it", "nobody names it", "gone again", "mine, and gone"],
)
def test_who_left_a_file(
    tmp_path: Path, mine: str, other: str, there: bool, acquitted: bool
) -> None:
    clues = Clues()
    own = chain(tmp_path, "a.md", mine)
    clues.add(chain(tmp_path, "b.md", other))
    clues.add(own)
    if there:
        (tmp_path / "x.txt").touch()
    assert clues.acquit(own, Leak(newfiles.LEFT, now="x.txt", undone=False)) is acquitted


def test_pages_elsewhere_leave_nothing_here(tmp_path: Path) -> None:
    clues = Clues()
    own = chain(tmp_path, "a.md", "open(name, 'w')")
    clues.add(chain(tmp_path / "sub", "b.md", "open('x.txt', 'w')"))
    (tmp_path / "x.txt").touch()
    assert not clues.acquit(own, Leak(newfiles.LEFT, now="x.txt"))


def test_a_set_up_file_is_code_of_its_chain(tmp_path: Path) -> None:
    clues = Clues()
    own = chain(tmp_path, "a.md", "pass", "open('x.txt', 'w')")
    clues.add(chain(tmp_path, "b.md", "open('x.txt')"))
    (tmp_path / "x.txt").touch()
    assert not clues.acquit(own, Leak(newfiles.LEFT, now="x.txt"))


def test_what_record_draws_is_nobodys_leak(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    own = chain(tmp_path, "a.md", "pass")
    assert Clues().acquit(own, Leak(newfiles.LEFT, now="figures"))


def test_other_leaks_stand(tmp_path: Path) -> None:
    assert not Clues().acquit(chain(tmp_path, "a.md", "pass"), Leak("default dtype", now="x"))
