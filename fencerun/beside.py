"""Files beside a page, as freshness keys read them: by a path relative to the page."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path


def beside(page: str) -> Callable[[str], bytes | None]:
    """A reader of the files in the directory of ``page``; each file is read once.

    It gives the bytes of a file, and None for what is not there or is no file. Only a set-up
    file may lie outside; paths of other kinds were looked at where they were read.
    """
    known: dict[str, bytes | None] = {}

    def read(path: str) -> bytes | None:
        if path not in known:
            known[path] = _bytes(Path(page).absolute().parent, path)
        return known[path]

    return read


def _is_called(directory: Path, path: str) -> bool:
    """Whether the file has that very name: on some systems ``Helpers.py`` answers to another."""
    if str(sys.platform) not in ("darwin", "win32"):
        return True
    for part in path.split("/"):
        if part not in ("", ".", "..") and part not in os.listdir(directory):
            return False
        directory /= part
    return True


def _bytes(directory: Path, path: str) -> bytes | None:
    if path.startswith("/"):
        return None
    try:
        if not _is_called(directory, path):
            return None
        found = directory / path
        return found.read_bytes() if found.is_file() else None  # a pipe would be waited for
    except (OSError, ValueError):
        return None
