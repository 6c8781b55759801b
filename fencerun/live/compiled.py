"""Modules as Python compiled them: forgotten where their source was saved.

Python takes a compiled module for current while its source has the same size and was changed in
the same second, which two quick saves do.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from contextlib import suppress


def forget(paths: Iterable[str]) -> None:
    """Remove what any Python compiled of these files, as far as they are modules."""
    for path in paths:
        directory, name = os.path.split(path)
        stem, suffix = os.path.splitext(name)
        if suffix != ".py":
            continue
        cache = os.path.join(glob.escape(directory), "__pycache__", f"{glob.escape(stem)}.*.pyc")
        for one in glob.glob(cache):
            with suppress(OSError):
                os.unlink(one)
