"""Two and twenty recorders at once, on one page and on many."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from fencerun import state

PAGES = ("a.md", "b.md", "c.md")


def page(count: int, recorded: bool) -> str:
    pieces = []
    for number in range(1, count + 1):
        pieces.append(f"```python fence:{number}\nprint({number} * 11)\n```\n")
        if recorded:
            pieces.append(f"```text output:{number}\n{number * 11}\n```\n")
    return "\n".join(pieces)


def all_at_once(calls: Sequence[Sequence[str]], directory: Path) -> None:
    """Run them side by side; one that gave up waiting for another says so, and is run again."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "fencerun", "record", "--once", *call],
            cwd=directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for call in calls
    ]
    said = [process.communicate(timeout=300)[0] for process in running]
    for process, text, call in zip(running, said, calls, strict=True):
        if process.returncode:
            assert "another recorder is writing it" in text, text
            all_at_once([call], directory)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.fencerun]\n")
    return tmp_path


def assert_tidy(directory: Path, pages: Sequence[str], count: int) -> None:
    for name in pages:
        assert (directory / name).read_text() == page(count, recorded=True)
    left = sorted(path.name for path in directory.rglob("*"))
    assert left == sorted([".fencerun", ".gitignore", "last.json", "pyproject.toml", *pages])
    assert len(state.load(directory)) == len(pages) * count


@pytest.mark.parametrize("count", [2, 20])
def test_each_records_a_fence_of_its_own_on_one_page(count: int, directory: Path) -> None:
    """Of twenty parallel writers, other tools kept one or two."""
    (directory / "a.md").write_text(page(count, recorded=False))
    calls = [[f"a.md::{number}"] for number in range(1, count + 1)]
    all_at_once(calls, directory)
    assert_tidy(directory, ["a.md"], count)


def test_all_record_all_of_many_pages(directory: Path) -> None:
    """Each begins with another page."""
    for name in PAGES:
        (directory / name).write_text(page(3, recorded=False))
    calls = [[*PAGES[turn:], *PAGES[:turn]] for turn in (0, 1, 2, 0)]
    all_at_once(calls, directory)
    assert_tidy(directory, PAGES, 3)
