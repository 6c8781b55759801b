"""Matching a pattern in which ``...`` stands for anything, without backtracking.

Inside a line it stands for any run of characters, alone on a line for any lines. Taking the
leftmost place for each piece between two of them is enough to find a match where there is one,
so nothing is ever tried again. It does not know when two lines are alike: callers say so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

DOTS = "..."

#: For each line of a pattern, the range of lines that it matches.
Places = list[tuple[int, int]]


def is_lone(line: str) -> bool:
    """Whether ``line`` stands for any lines."""
    return line.strip() == DOTS


def fit(
    pieces: Sequence[str], text: str, accept: Callable[[int, int], bool] = lambda _piece, _at: True
) -> list[int] | None:
    """Where the ``pieces`` stand in ``text``, in order and with anything between them.

    None when ``text`` is not that. ``accept`` may turn down a piece (by its number) at a place
    (its offset in ``text``).
    """
    if len(pieces) == 1:
        return [0] if text == pieces[0] and accept(0, 0) else None
    first, *middle, last = pieces
    end = len(text) - len(last)
    if not (text.startswith(first) and text.endswith(last) and len(first) <= end):
        return None
    if not (accept(0, 0) and accept(len(pieces) - 1, end)):
        return None
    places, at = [0], len(first)
    for number, piece in enumerate(middle, start=1):
        at = text.find(piece, at, end)
        while at >= 0 and not accept(number, at):
            at = text.find(piece, at + 1, end)
        if at < 0:
            return None
        places.append(at)
        at += len(piece)
    return [*places, end]


def locate(
    pattern: Sequence[str],
    lines: Sequence[str],
    like: Callable[[str, str], bool],
    key: Callable[[str], Hashable],
) -> Places | None:
    """Which of ``lines`` each line of ``pattern`` matches, or None when they do not match.

    ``like(pattern line, line)`` decides for one line. A pattern line without dots is like a line
    only if their ``key`` is equal, so most pairs need not be tried.
    """
    blocks = _blocks(pattern)
    first, last = blocks[0], blocks[-1]
    if len(blocks) == 1:
        if len(first) != len(lines) or not all(map(like, first, lines)):
            return None
        return [(at, at + 1) for at in range(len(lines))]
    end = len(lines) - len(last)
    if len(first) > end or not all(map(like, first, lines)):
        return None
    if not all(map(like, last, lines[end:])):
        return None
    starts, at = [0], len(first)
    for block in blocks[1:-1]:
        start = _find(block, lines, at, end, like, key)
        if start is None:
            return None
        starts.append(start)
        at = start + len(block)
    return _places(blocks, [*starts, end])


def _blocks(pattern: Sequence[str]) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in pattern:
        if is_lone(line):
            blocks.append([])
        else:
            blocks[-1].append(line)
    return blocks


def _places(blocks: Sequence[Sequence[str]], starts: Sequence[int]) -> Places:
    places: Places = []
    at = 0
    for number, (block, start) in enumerate(zip(blocks, starts, strict=True)):
        if number:  # the dots before this block
            places.append((at, start))
        places += [(start + k, start + k + 1) for k in range(len(block))]
        at = start + len(block)
    return places


def _find(
    block: Sequence[str],
    lines: Sequence[str],
    start: int,
    end: int,
    like: Callable[[str, str], bool],
    key: Callable[[str], Hashable],
) -> int | None:
    """The first place in ``lines[start:end]`` where ``block`` stands (Shift-And, bit-parallel).

    Bit k of ``reached`` says that the lines up to here end with the first k + 1 of the block.
    """
    if not block:
        return start
    literal: dict[Hashable, dict[str, int]] = {}
    wild: dict[str, int] = {}
    for k, line in enumerate(block):
        table = wild if DOTS in line else literal.setdefault(key(line), {})
        table[line] = table.get(line, 0) | 1 << k
    full, reached = 1 << (len(block) - 1), 0
    seen: dict[str, int] = {}
    for at in range(start, end):
        line = lines[at]
        bits = seen.get(line)
        if bits is None:
            candidates = (literal.get(key(line), {}), wild)
            bits = sum(each for table in candidates for p, each in table.items() if like(p, line))
            seen[line] = bits
        reached = (reached << 1 | 1) & bits
        if reached & full:
            return at - len(block) + 1
    return None
