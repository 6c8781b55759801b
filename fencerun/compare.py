"""Whether a recording still says what its fence prints, and what to record if not.

Pure: lines in, a comparison out. It knows nothing of pages, tags or verdicts. What still matches
stays as recorded while its neighbours are rewritten, and comparing the result again finds
nothing more to rewrite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from fencerun import tables
from fencerun.frozen import dataclass
from fencerun.likeness import Likeness
from fencerun.matching import Lines, Step, Strategy, ellipsis, exact, unordered
from fencerun.numeric import Number, distance, relative
from fencerun.proposal import propose
from fencerun.rule import Match, Rule

__all__ = ["Comparison", "NumberDiff", "Rule", "compare"]

_STRATEGIES: dict[Match, Strategy] = {
    "exact": exact,
    "ellipsis": ellipsis,
    "unordered": unordered,
}


@dataclass(frozen=True, slots=True)
class NumberDiff:
    """A number that moved by more than the tolerance.

    ``line`` is the index of the recorded line it stands in, ``index`` its position among the
    numbers of that line that may move, from 0. ``relative`` is inf where 0 was recorded.
    """

    line: int
    index: int
    recorded: str
    printed: str
    absolute: float
    relative: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing found.

    ``kind`` is ``rounding`` when nothing but numbers with a fraction or exponent moved. ``merged``
    is what to record. ``first`` is the index of the first recorded line that differs, or of the
    line before which something was added (which may be one past the last); None when equal.
    ``proposal`` is the smallest round tolerance that would pass, as tags.
    """

    equal: bool
    kind: Literal["equal", "rounding", "changed"]
    merged: tuple[str, ...]
    first: int | None = None
    numbers: tuple[NumberDiff, ...] = ()
    proposal: str | None = None


def compare(recorded: Sequence[str], printed: Sequence[str], rule: Rule) -> Comparison:
    """Compare the lines of a recording with canonical output under ``rule``."""
    ours, theirs = tuple(recorded), tuple(printed)
    if ours == theirs or rule.match == "any":
        return Comparison(True, "equal", ours)
    if rule.tables:
        return _by_cells(ours, theirs, rule)
    likeness = Likeness(rule)
    steps = _STRATEGIES[rule.match](ours, theirs, likeness)
    if _agree(steps):
        return Comparison(True, "equal", ours)
    moved = list(_moved(ours, theirs, steps, rule, likeness))
    rounding = bool(moved) and all(step.alike for step in steps)
    rounding = rounding and not any(one.whole or other.whole for _, one, other in moved)
    return Comparison(
        equal=False,
        kind="rounding" if rounding else "changed",
        merged=_merged(ours, theirs, steps, rule, likeness),
        first=next(step.recorded[0] for step in steps if not step.matched),
        numbers=tuple(_difference(*each) for each in moved),
        proposal=_proposal(ours, theirs, moved, rule) if rounding else None,
    )


def _by_cells(recorded: Lines, printed: Lines, rule: Rule) -> Comparison:
    """Compare with each row of a table written in one way; rows that match keep their padding."""
    ours, theirs = tables.normal(recorded), tables.normal(printed)
    found = compare(ours, theirs, replace(rule, tables=False))
    written = {**dict(zip(theirs, printed, strict=True)), **dict(zip(ours, recorded, strict=True))}
    return replace(found, merged=tuple(written[line] for line in found.merged))


def _agree(steps: Sequence[Step]) -> bool:
    return all(step.matched for step in steps)


def _merged(
    recorded: Lines, printed: Lines, steps: Sequence[Step], rule: Rule, likeness: Likeness
) -> Lines:
    """The recorded lines that still match, and the printed ones for the others."""
    merged: list[str] = []
    for step in steps:
        merged += recorded[slice(*step.recorded)] if step.matched else printed[slice(*step.printed)]
    # Among other neighbours a kept line may mean something else: then nothing is kept.
    result = tuple(merged)
    if result == printed or _agree(_STRATEGIES[rule.match](result, printed, likeness)):
        return result
    return printed


_Moved = tuple[tuple[int, int], Number, Number]


def _moved(
    recorded: Lines, printed: Lines, steps: Sequence[Step], rule: Rule, likeness: Likeness
) -> Iterator[_Moved]:
    """Numbers beyond the tolerance, with the index of their line and their position in it."""
    for step in steps:
        if step.matched or not step.alike:
            continue
        ours = "\n".join(recorded[slice(*step.recorded)])
        theirs = "\n".join(printed[slice(*step.printed)])
        starts = _line_numbers(likeness, ours)
        dots = rule.match == "ellipsis"
        for at, one, other in likeness.moved(ours, theirs, dots=dots):
            line, before = starts[at] if at < len(starts) and not dots else (0, at)
            yield (step.recorded[0] + line, before), one, other


def _line_numbers(likeness: Likeness, text: str) -> list[tuple[int, int]]:
    """For each number of ``text`` its line and its position in that line."""
    key, places = likeness.key(text), list[tuple[int, int]]()
    line, index, end = 0, 0, 0
    for number in likeness.numbers(text):
        breaks = key.count("\n", end, number.start)
        line, index = (line + breaks, 0) if breaks else (line, index)
        places.append((line, index))
        index, end = index + 1, number.start
    return places


def _difference(place: tuple[int, int], recorded: Number, printed: Number) -> NumberDiff:
    apart, share = distance(recorded, printed), relative(recorded, printed)
    return NumberDiff(*place, recorded.text, printed.text, float(apart), float(share))


def _proposal(recorded: Lines, printed: Lines, moved: Sequence[_Moved], rule: Rule) -> str | None:
    proposed = propose(rule, [(one, other) for _, one, other in moved])
    if proposed is None:
        return None
    tags, trial = proposed
    steps = _STRATEGIES[rule.match](recorded, printed, Likeness(trial))
    return tags if _agree(steps) else None
