"""Text by the columns that a terminal gives it: how many, and where a long line is folded. Pure."""

from __future__ import annotations

import unicodedata


def width(text: str) -> int:
    """The columns that ``text`` takes: two for a wide character, none for one that combines."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def fold(text: str, columns: int) -> list[str]:
    """``text`` in rows of at most ``columns`` columns (at least two); no character is lost.

    What combines with a character stays in its row.
    """
    if width(text) <= columns:
        return [text]
    rows: list[str] = []
    start = taken = 0
    for at, character in enumerate(text):
        cells = _cells(character)
        if taken + cells > columns and at > start:
            rows.append(text[start:at])
            start, taken = at, 0
        taken += cells
    return [*rows, text[start:]]


def padded(text: str, columns: int) -> str:
    """``text`` with blanks up to ``columns``."""
    return text + " " * (columns - width(text))


def _cells(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
