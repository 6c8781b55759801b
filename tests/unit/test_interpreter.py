"""Which Python runs the fences."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fencerun.errors import UsageError
from fencerun.interpreter import choose


def environment(directory: Path) -> str:
    """A directory that looks like a virtual environment; its interpreter."""
    binary = directory / "bin"
    binary.mkdir(parents=True)
    (binary / "python").symlink_to(sys.executable)
    return str(binary / "python")


def test_the_order_is_asked_then_active_then_local_then_own(tmp_path: Path) -> None:
    assert choose(None, tmp_path, {}, "own") == "own"
    local = environment(tmp_path / ".venv")
    assert choose(None, tmp_path, {}, "own") == local
    active = environment(tmp_path / "active")
    variables = {"VIRTUAL_ENV": str(tmp_path / "active")}
    assert choose(None, tmp_path, variables, "own") == active
    asked = environment(tmp_path / "asked")
    assert choose(asked, tmp_path, variables, "own") == asked
    assert choose(str(tmp_path / "asked"), tmp_path, variables, "own") == asked


def test_the_link_of_an_environment_is_not_followed(tmp_path: Path) -> None:
    local = environment(tmp_path / ".venv")
    assert os.path.islink(choose(None, tmp_path, {}, "own"))
    assert choose(None, tmp_path, {}, "own") == local


def test_a_stale_virtual_env_is_passed_over(tmp_path: Path) -> None:
    assert choose(None, tmp_path, {"VIRTUAL_ENV": str(tmp_path / "gone")}, "own") == "own"


@pytest.mark.parametrize("asked", ["no-such-python", "/no/such/python", "."])
def test_an_interpreter_that_is_not_there_is_refused(tmp_path: Path, asked: str) -> None:
    with pytest.raises(UsageError, match="no such interpreter"):
        choose(asked, tmp_path, {}, "own")
