"""Wrapping a message for a terminal, so that paths and commands stay whole.

Only prose wraps. Quoted text keeps its line, and so does a path that is longer than the terminal
is wide: what the terminal folds, it still clicks and copies as one. No row begins with what a CI
runner would take for a command: those are looked for at the beginning of lines, behind blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rich.cells import cell_len

from fencerun.reporters.wording import Line, Role, Span

_PIECE = re.compile(r"\s+|\S+")
#: Roles whose spans are never broken.
_WHOLE: frozenset[Role] = frozenset({"location", "command"})
#: Nor are spans as short as ``1 failed``, in columns.
_SHORT = 16
_INDENT = "  "
#: What commands of GitHub's and Azure's runners begin with.
_COMMANDS = ("::", "##[", "##vso[")


def wrap(line: Line, width: int) -> Iterator[Line]:
    """The line in rows of at most ``width`` columns, as far as blanks allow."""
    if any(span.role == "margin" for span in line) or _columns(line) <= width:
        yield line
        return
    start = line[0].text
    indent = start[: len(start) - len(start.lstrip())] + _INDENT
    row: list[Span] = []
    for word in _words(line):
        if row and _columns((*row, *word)) > width and not _is_command(word):
            yield _merged(row)
            row = [Span(word[0].role, indent)]
            word = word[1:]
        row += word
    yield _merged(row)


def _is_command(word: Iterable[Span]) -> bool:
    return "".join(span.text for span in word).lstrip().startswith(_COMMANDS)


def _words(line: Line) -> Iterator[list[Span]]:
    """What may stand at the beginning of a row: from the second on, a blank and what follows it."""
    word: list[Span] = []
    for span in line:
        short = cell_len(span.text) <= _SHORT and span.text == span.text.strip()
        whole = span.role in _WHOLE or short
        for piece in [span.text] if whole else _PIECE.findall(span.text):
            if piece.isspace() and word and not word[-1].text.isspace():
                yield word
                word = []
            word.append(Span(span.role, piece))
    if word:
        yield word


def _merged(row: list[Span]) -> Line:
    """The row with neighbours of one role made one span."""
    merged: list[Span] = []
    for span in row:
        if merged and merged[-1].role == span.role:
            merged[-1] = Span(span.role, merged[-1].text + span.text)
        else:
            merged.append(span)
    return tuple(merged)


def _columns(line: Line) -> int:
    return sum(cell_len(span.text) for span in line)
