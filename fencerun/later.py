"""Modules that are imported when something of theirs is used, and not before.

``dataclasses`` imports ``inspect``, which takes as long as all else of ours together, for what
none of our classes asks of it. Knows nothing of who is started.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any


class _Later(types.ModuleType):
    """Stands where a module is not yet needed."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def put_off(module: str, user: str) -> None:
    """Import ``user`` without the ``module`` that it imports and seldom needs.

    Whoever else imports ``module`` gets the real one. Nothing is done where either is loaded.
    """
    if module in sys.modules or user in sys.modules:
        return
    stand_in = sys.modules[module] = _Later(module)
    try:
        importlib.import_module(user)
    finally:
        if sys.modules.get(module) is stand_in:
            del sys.modules[module]
