"""The import bracket: what an installed package changes while it is being imported is adopted.

Undoing such a change would break the package, which stays loaded and won't make it again. So the
import system's entry for modules that aren't loaded yet is wrapped, and state is compared around
the outermost import of an installed module.
"""

from __future__ import annotations

import importlib
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Both the C code and importlib look this name up at each import of a module that isn't loaded.
_BOOTSTRAP: Any = importlib._bootstrap
_ENTRY = "_find_and_load"


class ImportBracket:
    """Calls ``before(name)`` and ``after(token)`` around imports in the main thread.

    ``before`` gives None for an import that is of no interest, in particular a local module's:
    the installed ones that it imports in turn are bracketed by themselves.
    """

    def __init__(
        self, before: Callable[[str], Any | None], after: Callable[[str, Any], None]
    ) -> None:
        self._before = before
        self._after = after
        self._inside = False
        self._original: Any = None
        self._thread = 0

    def install(self) -> None:
        """Bracket imports from now on, where the import system has such an entry."""
        original = getattr(_BOOTSTRAP, _ENTRY, None)
        if self._original is not None or original is None:
            return
        self._original = original
        self._thread = threading.get_ident()
        enter, leave = self._enter, self._leave

        def find_and_load(name: str, import_: Any) -> Any:
            token = enter(name)
            try:
                return original(name, import_)
            finally:
                if token is not None:
                    leave(name, token)

        # Python leaves frames of the import system out of tracebacks, and warnings skip them;
        # it knows them by their file.
        find_and_load.__code__ = find_and_load.__code__.replace(
            co_filename=original.__code__.co_filename
        )
        setattr(_BOOTSTRAP, _ENTRY, find_and_load)

    def remove(self) -> None:
        """Put the import system's own function back."""
        if self._original is not None:
            setattr(_BOOTSTRAP, _ENTRY, self._original)
            self._original = None

    def _enter(self, name: str) -> Any | None:
        if self._inside or threading.get_ident() != self._thread:
            return None
        token = self._before(name)
        self._inside = token is not None
        return token

    def _leave(self, name: str, token: Any) -> None:
        self._inside = False
        self._after(name, token)
