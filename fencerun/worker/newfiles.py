"""Files that a chain leaves in the page's directory: seen by name, at the price of two ``stat``.

A directory is listed anew only when its time stamp says that it changed. Removes nothing: what
lies there may be what the page is about.
"""

from __future__ import annotations

import os
import time

#: A listing this much younger than the directory's time stamp may miss a change, in nanoseconds:
#: some file systems count in steps of two seconds.
_STEP = 2_500_000_000

#: What Python itself leaves there. Names with a dot in front belong to tools.
_EXPECTED = "__pycache__"

#: What a leak is called that is such a file; what it says is ``now`` is the name.
LEFT = "file left in the page's directory"


class NewFiles:
    """One process's memory of what was in the directory of the last chain."""

    def __init__(self) -> None:
        self._directory = ""
        self._stamp = 0
        self._names: frozenset[str] = frozenset()
        self._settled = False
        self._watching = False

    def begin(self, directory: str, watch: bool) -> None:
        """A chain begins in ``directory``; ``watch`` says whether what it leaves matters."""
        self._watching = watch
        if watch and not self._is_known(directory):
            self._list(directory)

    def end(self) -> list[str]:
        """The names that are new since ``begin``, sorted; none where the directory is gone."""
        if not self._watching or self._is_known(self._directory):
            return []
        before = self._names
        try:
            self._list(self._directory)
        except OSError:
            return []
        new = self._names - before
        return sorted(name for name in new if not name.startswith(".") and name != _EXPECTED)

    def _is_known(self, directory: str) -> bool:
        """Whether the last listing of ``directory`` still holds."""
        if not self._settled or directory != self._directory:
            return False
        try:
            return os.stat(directory).st_mtime_ns == self._stamp
        except OSError:
            return False

    def _list(self, directory: str) -> None:
        # In this order: a change after the first look is found by the next comparison.
        stamp = os.stat(directory).st_mtime_ns
        self._names = frozenset(os.listdir(directory))
        self._directory, self._stamp = directory, stamp
        self._settled = time.time_ns() - stamp > _STEP
