"""Which lines of an output belong together: a repr that spans lines is one unit.

A repr breaks its lines where its numbers no longer fit, so lines are no fixed points of it but
brackets are. It knows nothing of what is in the lines besides brackets.
"""

from __future__ import annotations

from collections.abc import Sequence

from fencerun.patterns import later

_NO_BRACKET = later(r"[^\[\](){}]+")


def units(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Ranges (start, end) that cover ``lines`` in order.

    A line that opens more brackets than it closes runs to the line that closes them; one whose
    brackets are never closed (a smiley, prose) stands alone. Linear.
    """
    depth, depths = 0, [0]
    for line in lines:
        brackets = _NO_BRACKET.sub("", line)
        closing = sum(map(brackets.count, "])}"))
        depth += len(brackets) - 2 * closing
        depths.append(depth)
    closed = _next_not_deeper(depths)
    found, start = [], 0
    while start < len(lines):
        end = closed[start] or start + 1
        found.append((start, end))
        start = end
    return found


def _next_not_deeper(depths: Sequence[int]) -> list[int]:
    """For each position the next one whose depth is not greater, or 0."""
    found, waiting = [0] * len(depths), list[int]()
    for position, depth in enumerate(depths):
        while waiting and depths[waiting[-1]] >= depth:
            found[waiting.pop()] = position
        waiting.append(position)
    return found
