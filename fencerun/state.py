"""What the last run said of each fence, kept beside the project for `--lf` and `explain`.

One small file under ``.fencerun/``, which git ignores and which is safe to delete: it is read
with suspicion and written whole. Ids in it are relative to the project's root.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from fencerun import files
from fencerun.errors import FencerunError
from fencerun.events import Verdict
from fencerun.frozen import dataclass

DIRECTORY = ".fencerun"
_FILE = "last.json"
_TEMPORARY = ".last-"
_VERSION = 1

#: Verdicts that `--lf` selects.
RED = frozenset(
    {"changed", "rounding", "unrecorded", "failed", "blocked", "edited", "stale", "refused"}
    | {"missing", "expired"}
)


@dataclass(frozen=True, slots=True)
class Last:
    """What the last run said of a fence: its verdict, and how long it took in seconds."""

    kind: str
    seconds: float | None = None


def load(root: Path) -> dict[str, Last]:
    """By fence id; empty where there is no state, or none that can be read."""
    return {fence: Last(kind, seconds) for fence, (kind, seconds) in _read(root).items()}


def _read(root: Path) -> dict[str, tuple[str, float | None]]:
    """The verdict and the seconds of each fence."""
    try:
        table = json.loads((root / DIRECTORY / _FILE).read_bytes())
        if table["version"] != _VERSION:
            return {}
        fences = table["fences"].items()
        return {fence: (str(kind), _seconds(seconds)) for fence, (kind, seconds) in fences}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def _seconds(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def save(
    root: Path, verdicts: Iterable[Verdict], relative: Mapping[str, str], *, timed: bool = True
) -> None:
    """Add ``verdicts`` to the state. ``relative`` maps pages to their path from the root.

    Unless the run is ``timed``, seconds stay as they are. A project that cannot be written to has
    no state; that is no error.
    """
    directory = root / DIRECTORY
    with suppress(OSError, FencerunError):
        directory.mkdir(exist_ok=True)
        # Two runs that end at once shall both be remembered.
        with files.locked(str(directory)):
            fences = _read(root)
            for verdict in verdicts:
                fence = f"{relative.get(verdict.page, verdict.page)}::{verdict.fence}"
                seconds = verdict.seconds if timed else fences.get(fence, ("", None))[1]
                fences[fence] = (verdict.kind, seconds)
            _write(directory, json.dumps({"version": _VERSION, "fences": fences}))


def _write(directory: Path, text: str) -> None:
    """Replace the state as a whole. Whoever has the lock may delete what killed runs left."""
    ignore = directory / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="ascii")
    for left in directory.glob(f"{_TEMPORARY}*"):
        left.unlink()
    # Importing `tempfile` takes longer than all else that is done here.
    name = directory / f"{_TEMPORARY}{os.getpid()}-{time.monotonic_ns()}"
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, directory / _FILE)
    except BaseException:
        os.unlink(name)
        raise
