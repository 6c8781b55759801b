"""Which lines of one text go with which lines of another, in time linear in their number.

Works on any hashable keys. Finer keys anchor first, coarser ones fill in; a stretch that is too
large to search fully is compared position by position, so a hostile text costs no more.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from fencerun.frozen import dataclass

#: Two stretches are searched fully up to this product of their lengths.
CELLS = 40_000

Keys = Sequence[Hashable]
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Gap:
    """Two ranges, ``left`` and ``right``, each from its first to before its second number."""

    left: tuple[int, int]
    right: tuple[int, int]


def align(*levels: tuple[Keys, Keys]) -> list[Pair]:
    """Increasing pairs (left, right) of positions with equal keys.

    ``levels`` are the same two texts under finer keys first; a pair is equal under the last.
    """
    left, right = levels[-1]
    pairs: list[Pair] = []
    gaps = list(_trim(Gap((0, len(left)), (0, len(right))), left, right, pairs))
    for fine_left, fine_right in levels:
        smaller: list[Gap] = []
        for gap in gaps:
            anchors = _anchors(gap, fine_left, fine_right)
            pairs += anchors
            for each in gaps_between(anchors, gap):
                smaller += _trim(each, left, right, pairs)
        gaps = smaller
    for gap in gaps:
        pairs += _search(gap, levels)
    return sorted(pairs)


def gaps_between(pairs: Sequence[Pair], whole: Gap) -> Iterator[Gap]:
    """What ``pairs`` leave of ``whole``: before the first, between two, after the last."""
    left, right = whole.left[0], whole.right[0]
    for one, other in (*pairs, (whole.left[1], whole.right[1])):
        if one > left or other > right:
            yield Gap((left, one), (right, other))
        left, right = one + 1, other + 1


def _trim(gap: Gap, left: Keys, right: Keys, pairs: list[Pair]) -> Iterator[Gap]:
    """The gap without what is equal at its ends, which goes to ``pairs``."""
    (first, last), (start, end) = gap.left, gap.right
    while first < last and start < end and left[first] == right[start]:
        pairs.append((first, start))
        first, start = first + 1, start + 1
    while first < last and start < end and left[last - 1] == right[end - 1]:
        last, end = last - 1, end - 1
        pairs.append((last, end))
    if first < last or start < end:
        yield Gap((first, last), (start, end))


def _anchors(gap: Gap, left: Keys, right: Keys) -> list[Pair]:
    """The longest increasing pairs of keys that stand once on either side (patience diff)."""
    if gap.left[0] == gap.left[1] or gap.right[0] == gap.right[1]:
        return []
    ours = Counter(left[i] for i in range(*gap.left))
    theirs = Counter(right[j] for j in range(*gap.right))
    where = {right[j]: j for j in range(*gap.right) if theirs[right[j]] == 1}
    piles: list[int] = []
    tops: list[int] = []
    found: list[Pair] = []
    before: list[int] = []
    for i in range(*gap.left):
        key = left[i]
        if key not in where or ours[key] != 1:
            continue
        j = where[key]
        pile = bisect_left(piles, j)
        piles[pile : pile + 1] = [j]
        tops[pile : pile + 1] = [len(found)]
        before.append(tops[pile - 1] if pile else -1)
        found.append((i, j))
    chosen, at = [], tops[-1] if tops else -1
    while at >= 0:
        chosen.append(found[at])
        at = before[at]
    return chosen[::-1]


def _search(gap: Gap, levels: Sequence[tuple[Keys, Keys]]) -> list[Pair]:
    """The most pairs in a small gap, those equal under finer keys counting a little more."""
    (first, last), (start, end) = gap.left, gap.right
    left, right = levels[-1]
    if (last - first) * (end - start) > CELLS:
        offsets = range(min(last - first, end - start))
        return [(first + k, start + k) for k in offsets if left[first + k] == right[start + k]]
    fine_left, fine_right = levels[0]
    best = [[0] * (end - start + 1) for _ in range(last - first + 1)]
    for i in range(last - 1, first - 1, -1):
        row, below = best[i - first], best[i - first + 1]
        key, fine = left[i], fine_left[i]
        for j in range(end - 1, start - 1, -1):
            score = max(below[j - start], row[j - start + 1])
            if key == right[j]:
                worth = 1001 if fine == fine_right[j] else 1000
                score = max(score, below[j - start + 1] + worth)
            row[j - start] = score
    found = []
    i, j = first, start
    while i < last and j < end:
        score = best[i - first][j - start]
        if score == best[i - first + 1][j - start]:
            i += 1
        elif score == best[i - first][j - start + 1]:
            j += 1
        else:
            found.append((i, j))
            i, j = i + 1, j + 1
    return found
