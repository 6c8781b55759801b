"""Regular expressions that are compiled when they are first used.

Python takes 0.2 ms to compile one, and a run over a page with one fence needs few of those that
the modules together have. Knows none of them.
"""

from __future__ import annotations

import re

#: Found at once from the first use on, as in a compiled pattern.
_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "subn")


class _Later:
    def __init__(self, pattern: str, flags: int) -> None:
        self._arguments = pattern, flags

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(*self._arguments)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern, compiled on its first use. A wrong one raises ``re.error`` only then."""
    return _Later(pattern, flags)  # type: ignore[return-value]
