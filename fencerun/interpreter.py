"""Which Python runs the fences: ``--python``, else ``$VIRTUAL_ENV``, else ``.venv``, else ours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from fencerun.errors import UsageError


def choose(asked: str | None, root: Path, env: Mapping[str, str], own: str) -> str:
    """The absolute path of the interpreter.

    Raises UsageError when ``asked`` is not there: a wrong interpreter would make wrong recordings.
    """
    if asked:
        import shutil

        directory = Path(asked)
        named: str | None = (
            _in_environment(directory) if directory.is_dir() else shutil.which(asked)
        )
        if named is None:
            raise UsageError(f"--python {asked}: no such interpreter")
        return str(Path(named).absolute())
    active = env.get("VIRTUAL_ENV")
    for environment in (*([Path(active)] if active else []), root / ".venv"):
        if found := _in_environment(environment):
            return found
    return own


def _in_environment(directory: Path) -> str | None:
    """The interpreter of a virtual environment; its symlink, unfollowed, says where it is."""
    for relative in ("bin/python", "Scripts/python.exe"):
        candidate = directory / relative
        if os.access(candidate, os.X_OK):
            return str(candidate.absolute())
    return None
