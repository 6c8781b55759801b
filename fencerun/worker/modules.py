"""Modules of a page's directory: they belong to the chain that imported them, and go with it.

Two pages may each have a ``helpers.py``; neither may see the other's. What is installed stays
loaded. A module counts as installed when the directory it was found in is on the interpreter's
own ``sys.path``, or a finder of an editable install vouches for it. Knows nothing of fences.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


_LIBRARY = os.path.dirname(os.__file__) + os.sep


class Modules:
    """What one process's interpreter has on its own: path, finders, modules."""

    def __init__(self, root: str) -> None:
        """Call before a page's directory is on ``sys.path``; ``root`` is the project's."""
        self.path = list(sys.path)
        self._list = sys.path
        self._installed = {os.path.realpath(entry) for entry in sys.path if entry}
        self._finders = tuple(
            finder for finder in sys.meta_path if type(finder).__module__.startswith("__editable__")
        )
        self._root = os.path.realpath(root)
        self._known: set[str] = set()
        self._last = ""

    def begin_chain(self, directory: str) -> None:
        """Put ``directory`` in front of ``sys.path`` and remember what is loaded."""
        self._list[:] = [directory, *self.path]
        sys.path = self._list
        self._remember()

    def _remember(self) -> None:
        last = next(reversed(sys.modules))
        if len(self._known) != len(sys.modules) or last != self._last:
            self._known = set(sys.modules)
            self._last = last

    def end_chain(self, directory: str) -> int:
        """Unload what is not installed; how many installed modules came in during the chain."""
        self._forget_listings(directory)
        last = next(reversed(sys.modules))
        if len(self._known) == len(sys.modules) and last == self._last:
            return 0
        new = [name for name in sys.modules if name not in self._known]
        below = (os.path.realpath(directory), self._root, *self._added_entries())
        gone = {
            top for top in {name.partition(".")[0] for name in new} if self._is_local(top, below)
        }
        for name in new:
            if name.partition(".")[0] in gone:
                sys.modules.pop(name, None)
        return sum(name in sys.modules for name in new)

    def _forget_listings(self, directory: str) -> None:
        """Drop the import system's listings of the page's directory.

        They are compared by the directory's time stamp, which may be as old as the clock's tick.
        """
        cache = sys.path_importer_cache
        if directory in cache:
            for entry in [path for path in cache if path.startswith(directory)]:
                if entry not in self.path:
                    cache.pop(entry, None)

    def owns(self, file: str) -> bool:
        """Whether a source file is Python's own or an installed package's."""
        return "site-packages" in file or "dist-packages" in file or file.startswith(_LIBRARY)

    def _added_entries(self) -> list[str]:
        return [os.path.realpath(entry) for entry in sys.path if entry and entry not in self.path]

    def _is_local(self, name: str, below: tuple[str, ...]) -> bool:
        """Whether a top-level module was found in one of the directories ``below``."""
        entry = _found_in(sys.modules.get(name))
        if entry is None or entry in self._installed:
            return False
        if not any(entry == root or entry.startswith(root + os.sep) for root in below):
            return False
        return all(finder.find_spec(name, None, None) is None for finder in self._finders)


def _found_in(module: ModuleType | None) -> str | None:
    """The entry of ``sys.path`` that a top-level module was found through, or None."""
    path = getattr(module, "__path__", None)
    if path:
        try:
            return os.path.realpath(os.path.dirname(str(next(iter(path)))))
        except (StopIteration, TypeError, ValueError):
            return None
    file = getattr(module, "__file__", None)
    return os.path.realpath(os.path.dirname(file)) if isinstance(file, str) else None
