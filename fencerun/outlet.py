"""Streams that reports are written to: a disk that is full is nobody's traceback.

Knows nothing of what is written. A reader that went away (`| head`) stays a BrokenPipeError.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO, cast

from fencerun.errors import UsageError


class NotTaken(UsageError):
    """A report could not be written where it was to go."""


class _Outlet:
    """A text stream whose errors say what was to be written where."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self._stream = stream
        self._name = name

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            raise self._said(error) from error

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            raise self._said(error) from error

    def close(self) -> None:
        """Close the stream; what it could not take is told once."""
        try:
            self._stream.close()
        except OSError as error:
            raise self._said(error) from error

    def _said(self, error: OSError) -> Exception:
        if isinstance(error, BrokenPipeError):
            return error
        return NotTaken(f"{self._name}: {error.strerror or error}", "write it where there is room")

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def outlet(stream: TextIO, name: str) -> TextIO:
    """``stream``, which raises NotTaken where it cannot be written; ``name`` is what that says."""
    return cast(TextIO, _Outlet(stream, name))


def drop_stdout() -> None:
    """Send what stdout still holds nowhere, so that the interpreter's end has nothing to say."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        sys.stdout.flush()
