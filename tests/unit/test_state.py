"""What the last run said, kept beside the project."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import get_args

import pytest

from fencerun.events import Verdict, VerdictKind
from fencerun.exits import exit_code
from fencerun.state import RED, Last, load, save


def verdict(fence: int, kind: VerdictKind = "passed", page: str = "p.md", **more: float) -> Verdict:
    return Verdict(f"{page}::{fence}", kind, page, fence, 1, seconds=more.get("seconds"))


def test_nothing_is_known_at_first(tmp_path: Path) -> None:
    assert load(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    save(tmp_path, [verdict(1, seconds=0.25), verdict(2, "failed")], {})
    assert load(tmp_path) == {"p.md::1": Last("passed", 0.25), "p.md::2": Last("failed")}


def test_a_run_of_some_fences_forgets_no_other(tmp_path: Path) -> None:
    save(tmp_path, [verdict(1, "failed"), verdict(2, "failed")], {})
    save(tmp_path, [verdict(2)], {})
    assert load(tmp_path) == {"p.md::1": Last("failed"), "p.md::2": Last("passed")}


def test_ids_are_relative_to_the_root(tmp_path: Path) -> None:
    """So that the next run may start in another directory."""
    save(tmp_path, [verdict(1, page="../lessons/ä b.md")], {"../lessons/ä b.md": "lessons/ä b.md"})
    assert load(tmp_path) == {"lessons/ä b.md::1": Last("passed")}


def test_git_ignores_it(tmp_path: Path) -> None:
    save(tmp_path, [verdict(1)], {})
    ignore = tmp_path / ".fencerun" / ".gitignore"
    assert ignore.read_text() == "*\n"
    ignore.write_text("mine\n")
    save(tmp_path, [verdict(1)], {})
    assert ignore.read_text() == "mine\n"
    assert sorted(path.name for path in ignore.parent.iterdir()) == [".gitignore", "last.json"]


BROKEN: dict[str, object] = {
    "another version": {"version": 2, "fences": {}},
    "no version": {"fences": {}},
    "no fences": {"version": 1},
    "fences of another kind": {"version": 1, "fences": [1]},
    "a fence of another kind": {"version": 1, "fences": {"p.md::1": "failed"}},
    "a fence that says too little": {"version": 1, "fences": {"p.md::1": ["failed"]}},
    "a list": [],
    "null": None,
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=list(BROKEN))
def test_what_cannot_be_read_is_nothing(tmp_path: Path, content: object) -> None:
    file = tmp_path / ".fencerun" / "last.json"
    file.parent.mkdir()
    file.write_text(json.dumps(content))
    assert load(tmp_path) == {}
    save(tmp_path, [verdict(1)], {})
    assert load(tmp_path) == {"p.md::1": Last("passed")}


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[" * 100_000])
def test_bytes_that_are_no_state(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / ".fencerun" / "last.json"
    file.parent.mkdir()
    file.write_bytes(data)
    assert load(tmp_path) == {}


def test_seconds_of_another_kind_are_unknown(tmp_path: Path) -> None:
    file = tmp_path / ".fencerun" / "last.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"version": 1, "fences": {"p.md::1": ["failed", "long"]}}))
    assert load(tmp_path) == {"p.md::1": Last("failed")}


def test_a_state_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / ".fencerun").write_text("in the way")
    save(tmp_path, [verdict(1)], {})
    assert load(tmp_path) == {}


def test_a_state_that_cannot_be_replaced_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / ".fencerun" / "last.json").mkdir(parents=True)
    save(tmp_path, [verdict(1)], {})
    assert load(tmp_path) == {}
    assert sorted(path.name for path in (tmp_path / ".fencerun").iterdir()) == [
        ".gitignore",
        "last.json",
    ]


def test_lf_selects_what_turned_a_run_red() -> None:
    """But for orphans, which are no fences."""
    for kind in get_args(VerdictKind):
        alone = exit_code([verdict(1), verdict(2, kind)], ())[0]
        assert (kind in RED) == (alone != 0 and kind != "orphan"), kind


def test_runs_that_end_at_once_are_both_remembered(tmp_path: Path) -> None:
    """Each reads what is there and adds its own: without a lock the last one wins."""
    count = 24

    def one(number: int) -> None:
        save(tmp_path, [verdict(number)], {})

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(one, range(count)))
    assert len(load(tmp_path)) == count


def test_what_a_killed_run_left_is_swept(tmp_path: Path) -> None:
    save(tmp_path, [verdict(1)], {})
    directory = tmp_path / ".fencerun"
    (directory / ".last-123-456").write_text("{")
    save(tmp_path, [verdict(2)], {})
    assert sorted(path.name for path in directory.iterdir()) == [".gitignore", "last.json"]
    assert len(load(tmp_path)) == 2
