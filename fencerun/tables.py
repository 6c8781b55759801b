"""Tables in Markdown text, as GitHub reads them: which lines are rows, and what their cells say.

Blind to what formatters change: padding, outer pipes, the length of the dashes below a header.
Pure; knows nothing of how cells are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fencerun.patterns import later

_CELL = later(r"(?:[^\\|]|\\.|\\\Z)*")
_DASHES = later(r"(:?)-+(:?)")
_FENCE = later(r" {0,3}(`{3,}|~{3,})")
_CODE = later(r" {4}| {0,3}\t")
# A table ends where a quote, heading, rule, list item, code block or HTML begins.
_BLOCK = later(
    r" {0,3}(?:>|#{1,6}(?:\s|\Z)|(?:[-+*]|[0-9]{1,9}[.)])\s|`{3}|~{3}|<[A-Za-z/!?]"
    r"|([-*_])[ \t]*(?:\1[ \t]*){2,}\Z)| {4}|\t"
)


def normal(lines: Sequence[str]) -> tuple[str, ...]:
    """``lines`` with each row of a table written in one way: ``| a | b |``, ``| :-: | - |``."""
    made = list(lines)
    for start, end in _tables(lines):
        made[start + 1] = _row(tuple(_dashes(cell) for cell in cells(lines[start + 1])))
        for at in (start, *range(start + 2, end)):
            made[at] = _row(cells(lines[at]))
    return tuple(made)


def cells(line: str) -> tuple[str, ...]:
    """The cells of a row, without the blanks around them. ``\\|`` separates none."""
    found = [cell.strip() for cell in _split(line.strip())]
    if len(found) > 1 and not found[0]:
        found = found[1:]
    if len(found) > 1 and not found[-1]:
        found.pop()
    return tuple(found)


def _split(line: str) -> Iterator[str]:
    at = 0
    while at <= len(line):
        match = _CELL.match(line, at)
        assert match is not None, "it matches nothing, too"
        yield match[0]
        at = match.end() + 1


def _dashes(cell: str) -> str:
    return _DASHES.sub(r"\1-\2", cell)


def _row(found: Sequence[str]) -> str:
    return f"| {' | '.join(found)} |"


def _tables(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where tables are, each from its header to after its last row."""
    at, delimiter = 0, ""
    while at < len(lines):
        run = _FENCE.match(lines[at])
        if delimiter:
            if run and run[1].startswith(delimiter) and not lines[at].strip(" " + delimiter[0]):
                delimiter = ""
        elif run:
            delimiter = run[1]
        elif at + 1 < len(lines) and _heads(lines[at], lines[at + 1]):
            end = at + 2
            while end < len(lines) and lines[end].strip() and not _BLOCK.match(lines[end]):
                end += 1
            yield at, end
            at = end
            continue
        at += 1


def _heads(header: str, below: str) -> bool:
    """Whether ``below`` makes ``header`` one of a table."""
    if "-" not in below or "|" not in header + below or _CODE.match(header):
        return False
    dashes = cells(below)
    return all(_DASHES.fullmatch(cell) for cell in dashes) and len(cells(header)) == len(dashes)
