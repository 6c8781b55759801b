"""Looking for words in lessons: titles and headings first, then every line. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fencerun.serve.state import Hit

# As a page counts its lines; `splitlines` ends one at a form feed, too.
_ENDS = re.compile(r"\r\n|\n|\r")

#: More hits than anyone reads.
MOST = 60

#: Characters of a line that are shown.
_SHOWN = 160


def search(words: str, lessons: Iterable[tuple[str, str, str]]) -> tuple[Hit, ...]:
    """The lines of ``lessons`` (path, title, text) that hold all of ``words``, in any case.

    A lesson whose path or title holds them comes first, then headings, then other lines.
    """
    wanted = words.lower().split()
    if not wanted:
        return ()
    ranks: tuple[list[Hit], list[Hit], list[Hit]] = ([], [], [])
    for path, title, text in lessons:
        if _holds(f"{path} {title}".lower(), wanted):
            ranks[0].append(Hit(path, title, 1, title))
        for number, line in _lines(text, wanted):
            rank = ranks[1] if line.lstrip().startswith("#") else ranks[2]
            if len(rank) < MOST:
                rank.append(Hit(path, title, number, _around(line, wanted[0])))
    return tuple([*ranks[0], *ranks[1], *ranks[2]][:MOST])


def _lines(text: str, wanted: list[str]) -> Iterator[tuple[int, str]]:
    lowered = text.lower()
    if not all(word in lowered for word in wanted):
        return
    for number, line in enumerate(_ENDS.split(text), 1):
        if _holds(line.lower(), wanted):
            yield number, line


def _holds(text: str, wanted: list[str]) -> bool:
    return all(word in text for word in wanted)


def _around(line: str, word: str) -> str:
    """The part of a long line where ``word`` stands."""
    line = line.strip()
    if len(line) <= _SHOWN:
        return line
    start = max(0, line.lower().find(word) - _SHOWN // 3)
    end = start + _SHOWN
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")
