"""TOML from bytes, by the library of each Python version; loaded when there is some to read.

Tells on which line a key is set, which none of those libraries says. Knows no setting.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

#: Beginnings of a file that are parsed at most to find a line; what takes more has none.
_TRIES = 400


def parse(text: bytes) -> dict[str, Any]:
    """The table that ``text`` is. Raises ValueError where it is no UTF-8 or no TOML."""
    return _table(text.decode("utf-8"))


def _table(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    table: dict[str, Any] = tomllib.loads(text)
    return table


def fault(text: bytes, error: ValueError) -> tuple[int, str]:
    """The line, from 1, on which `parse` failed with ``error``, and why."""
    if isinstance(error, UnicodeDecodeError):
        line = text[: error.start].count(b"\n") + 1
        return line, f"byte {text[error.start]:#04x} is not UTF-8"
    why = str(error)
    at = re.search(r"\s*\(at line (\d+), column \d+\)\Z", why)
    if at is not None:
        return int(at[1]), why[: at.start()]
    return text.rstrip().count(b"\n") + 1, re.sub(r"\s*\(at end of document\)\Z", "", why)


def line_of(text: bytes, keys: Sequence[str]) -> int | None:
    """The line, from 1, on which ``keys``, one below the other, are set.

    Where the last of them are not, it is the line of the others; None where the first is not, or
    the text is no TOML.
    """
    try:
        whole = parse(text)
    except ValueError:
        return None
    there = _depth(whole, keys)
    if there == 0:
        return None
    # A beginning parses if it ends between two statements, and only there.
    lines = text.decode("utf-8").split("\n")
    low, high, tries = 0, len(lines), 0
    while high - low > 1:
        middle = (low + high) // 2
        for end in (*range(middle, low, -1), *range(middle + 1, high)):
            tries += 1
            if tries > _TRIES:
                return None
            try:
                found = _depth(_table("\n".join(lines[:end]) + "\n"), keys)
            except ValueError:
                continue
            low, high = (low, end) if found >= there else (end, high)
            break
        else:
            break
    return low + 1


def _depth(table: object, keys: Sequence[str]) -> int:
    """How many of ``keys`` lead from one table to the next."""
    for depth, key in enumerate(keys):
        if not isinstance(table, dict) or key not in table:
            return depth
        table = table[key]
    return len(keys)
