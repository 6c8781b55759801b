"""Which recorded lines go with which printed ones, for each way to match.

A strategy answers with steps that cover both sides. When every step is matched the two sides
agree; otherwise the steps say what can stay as recorded.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence

from fencerun.align import Gap, Pair, align, gaps_between
from fencerun.ellipsis import DOTS, is_lone, locate
from fencerun.frozen import dataclass
from fencerun.likeness import Likeness
from fencerun.units import units

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """Recorded lines and the printed ones in their place, as ranges.

    ``matched``: the same under the rule. ``alike``: the same but for numbers that may move.
    """

    recorded: tuple[int, int]
    printed: tuple[int, int]
    matched: bool = False
    alike: bool = False


Strategy = Callable[[Lines, Lines, Likeness], list[Step]]


def _joined(lines: Lines, where: tuple[int, int]) -> str:
    return "\n".join(lines[slice(*where)])


def _in_order(pairs: Sequence[Pair], whole: Gap) -> Iterator[tuple[Gap, bool]]:
    """Pairs and what lies between them, in order; True marks a pair."""
    stops = [(Gap((i, i + 1), (j, j + 1)), True) for i, j in pairs]
    stops += [(gap, False) for gap in gaps_between(pairs, whole)]
    return iter(sorted(stops, key=lambda stop: (stop[0].left[0], stop[0].right[0])))


def exact(recorded: Lines, printed: Lines, likeness: Likeness) -> list[Step]:
    """Line by line and in order; reprs that span lines are compared whole."""
    if len(recorded) == len(printed) and all(map(likeness.same, recorded, printed)):
        return [Step((0, len(recorded)), (0, len(printed)), True, True)]
    ours, theirs = units(recorded), units(printed)
    texts = [_joined(recorded, unit) for unit in ours], [_joined(printed, unit) for unit in theirs]
    skeletons = [likeness.skeleton(t) for t in texts[0]], [likeness.skeleton(t) for t in texts[1]]
    steps: list[Step] = []
    for gap, is_pair in _in_order(align(texts, skeletons), Gap((0, len(ours)), (0, len(theirs)))):
        left, right = _lines_of(ours, gap.left), _lines_of(theirs, gap.right)
        if not is_pair:
            steps += _by_line(recorded, printed, Gap(left, right), likeness)
        elif likeness.same(texts[0][gap.left[0]], texts[1][gap.right[0]]):
            steps.append(Step(left, right, True, True))
        else:
            steps += _within_unit(recorded, printed, Gap(left, right), likeness)
    return steps


def _lines_of(covering: Sequence[tuple[int, int]], where: tuple[int, int]) -> tuple[int, int]:
    start, end = where
    if start < end:
        return covering[start][0], covering[end - 1][1]
    at = covering[start][0] if start < len(covering) else covering[-1][1] if covering else 0
    return at, at


def _within_unit(recorded: Lines, printed: Lines, gap: Gap, likeness: Likeness) -> list[Step]:
    """A repr whose numbers moved: line by line if its lines broke where they did before."""
    ours, theirs = recorded[slice(*gap.left)], printed[slice(*gap.right)]
    if len(ours) != len(theirs) or not all(map(likeness.alike, ours, theirs)):
        return [Step(gap.left, gap.right, False, True)]
    i, j = gap.left[0], gap.right[0]
    return [
        Step((i + k, i + k + 1), (j + k, j + k + 1), likeness.same(one, other), True)
        for k, (one, other) in enumerate(zip(ours, theirs, strict=True))
    ]


def _by_line(recorded: Lines, printed: Lines, gap: Gap, likeness: Likeness) -> list[Step]:
    """What did not go together as units may in part do so as lines."""
    (i, last), (j, end) = gap.left, gap.right
    ours, theirs = recorded[i:last], printed[j:end]
    skeletons = [likeness.skeleton(t) for t in ours], [likeness.skeleton(t) for t in theirs]
    steps = []
    pairs = [(i + one, j + other) for one, other in align((ours, theirs), skeletons)]
    for part, is_pair in _in_order(pairs, gap):
        same = is_pair and likeness.same(recorded[part.left[0]], printed[part.right[0]])
        steps.append(Step(part.left, part.right, same, is_pair))
    return steps


def unordered(recorded: Lines, printed: Lines, likeness: Likeness) -> list[Step]:
    """The same lines in whatever order, each as often."""
    partner: dict[int, int] = {}
    free = set(range(len(printed)))
    for key in (str, likeness.key):
        waiting: defaultdict[str, deque[int]] = defaultdict(deque)
        for j in sorted(free):
            waiting[key(printed[j])].append(j)
        for i, line in enumerate(recorded):
            if i not in partner and waiting[key(line)]:
                partner[i] = waiting[key(line)].popleft()
                free.discard(partner[i])
    partner.update(_by_size(recorded, printed, partner, free, likeness))
    rest = deque(sorted(free - set(partner.values())))
    steps = []
    for i, line in enumerate(recorded):
        if i in partner:
            j = partner[i]
            steps.append(Step((i, i + 1), (j, j + 1), likeness.same(line, printed[j]), True))
        elif rest:
            j = rest.popleft()
            steps.append(Step((i, i + 1), (j, j + 1)))
        else:
            steps.append(Step((i, i + 1), (len(printed), len(printed))))
    end = len(recorded)
    return [*steps, *(Step((end, end), (j, j + 1)) for j in rest)]


def _by_size(
    recorded: Lines, printed: Lines, taken: dict[int, int], free: set[int], likeness: Likeness
) -> dict[int, int]:
    """Pairs of lines that are alike, smallest numbers first: with one number the best there are."""
    groups: defaultdict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for i, line in enumerate(recorded):
        if i not in taken:
            groups[likeness.skeleton(line)][0].append(i)
    for j in sorted(free):
        groups[likeness.skeleton(printed[j])][1].append(j)

    def sizes(line: str) -> list[tuple[object, ...]]:
        return [(number.real, number.imaginary) for number in likeness.numbers(line)]

    found: dict[int, int] = {}
    for ours, theirs in groups.values():
        ours.sort(key=lambda i: sizes(recorded[i]))
        theirs.sort(key=lambda j: sizes(printed[j]))
        found.update(zip(ours, theirs, strict=False))
    return found


def ellipsis(recorded: Lines, printed: Lines, likeness: Likeness) -> list[Step]:
    """In order, with ``...`` standing for anything."""
    whole = (0, len(recorded)), (0, len(printed))
    if locate(recorded, printed, likeness.fits, likeness.skeleton) is not None:
        return [Step(*whole, True, True)]
    places = locate(recorded, printed, likeness.fits_loosely, likeness.skeleton)
    if places is None:
        return _torn(recorded, printed, likeness)
    return [
        _step(recorded, printed, Gap((i, i + 1), place), likeness) for i, place in enumerate(places)
    ]


def _step(recorded: Lines, printed: Lines, pair: Gap, likeness: Likeness) -> Step:
    line = recorded[pair.left[0]]
    same = is_lone(line) or likeness.fits(line, printed[pair.right[0]])
    return Step(pair.left, pair.right, same, True)


def _torn(recorded: Lines, printed: Lines, likeness: Likeness) -> list[Step]:
    """What still matches of a pattern that as a whole does not."""
    # A line with dots is like no other for aligning; it looks for its line afterwards.
    ours = [i if DOTS in line else likeness.skeleton(line) for i, line in enumerate(recorded)]
    theirs = [likeness.skeleton(line) for line in printed]
    whole = Gap((0, len(recorded)), (0, len(printed)))
    pairs = align((recorded, printed), (ours, theirs))
    pairs += [
        pair
        for gap in gaps_between(pairs, whole)
        for pair in _dotted(recorded, printed, gap, likeness)
    ]
    steps: list[Step] = []
    for gap, is_pair in _in_order(sorted(pairs), whole):
        if is_pair:
            steps.append(_step(recorded, printed, gap, likeness))
        else:
            steps += _around_dots(recorded, gap)
    return steps


def _dotted(recorded: Lines, printed: Lines, gap: Gap, likeness: Likeness) -> Iterator[Pair]:
    """Lines with dots in them, each with the first line from there on that it fits."""
    j, end = gap.right
    for i in range(*gap.left):
        line = recorded[i]
        if DOTS not in line or is_lone(line):
            continue
        found = next((at for at in range(j, end) if likeness.fits_loosely(line, printed[at])), None)
        if found is not None:
            yield i, found
            j = found + 1


def _around_dots(recorded: Lines, gap: Gap) -> list[Step]:
    """Lines that match nothing, replaced one for one before and after dots, which stay."""
    (i, last), (j, end) = gap.left, gap.right
    lone = [at for at in range(i, last) if is_lone(recorded[at])]
    if not lone:
        return [Step(gap.left, gap.right)]
    before = min(lone[0] - i, end - j)
    after = min(last - 1 - lone[-1], end - j - before)
    steps = [Step((lone[0], lone[0] + 1), (j + before, end - after), True, True)]
    if lone[0] > i:
        steps.insert(0, Step((i, lone[0]), (j, j + before)))
    # Of several dots the first take everything; what stood between them and is gone goes.
    if last > lone[0] + 1:
        steps.append(Step((lone[0] + 1, last), (end - after, end)))
    return steps
