"""Several files written, or none: what was made is taken back when one of them fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from fencerun import files
from fencerun.errors import UsageError
from fencerun.files import NotWritten
from fencerun.starting.scaffold import File


def write(wanted: Sequence[File]) -> None:
    """Write all of ``wanted``. Raises UsageError when one cannot be, and leaves the disk as it was.

    A file that came into being meanwhile is not overwritten.
    """
    with ExitStack() as undo:
        for file in wanted:
            try:
                _directory(file.path.parent, undo)
                if file.before is None:
                    _new(file, undo)
                else:
                    _changed(file, undo)
            except NotWritten:
                raise
            except OSError as error:
                why = error.strerror or str(error)
                raise UsageError(f"{file.path}: {why}", "nothing was written") from error
        undo.pop_all()


def _new(file: File, undo: ExitStack) -> None:
    with open(file.path, "xb") as stream:
        undo.callback(_gone(file.path.unlink))
        stream.write(file.data)


def _changed(file: File, undo: ExitStack) -> None:
    if file.before is None or file.path.read_bytes() != file.before:
        raise UsageError(f"{file.path}: it was changed just now", "call it again")
    undo.callback(files.replace, os.fspath(file.path), file.before)
    files.replace(os.fspath(file.path), file.data)


def _directory(path: Path, undo: ExitStack) -> None:
    for parent in (*reversed(path.parents), path):
        if not parent.is_dir():
            parent.mkdir()
            undo.callback(_gone(parent.rmdir))


def _gone(remove: Callable[[], None]) -> Callable[[], None]:
    """``remove``, which may find that there is nothing to remove, or more than we made."""

    def quietly() -> None:
        try:
            remove()
        except OSError:
            return

    return quietly
