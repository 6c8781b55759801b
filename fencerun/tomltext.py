"""TOML from bytes, by the library of each Python version; loaded when there is some to read."""

from __future__ import annotations

import sys
from typing import Any


def parse(text: bytes) -> dict[str, Any]:
    """The table that ``text`` is. Raises ValueError where it is no UTF-8 or no TOML."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    table: dict[str, Any] = tomllib.loads(text.decode("utf-8"))
    return table
