"""A recording proves itself: what was printed once must be printed again.

A new or changed recording is made twice before it is written, the second time in a process that
ran nothing else. Where the two differ, the line is named, and the tag that would settle it is
found by trying each. Pure but for the second run,
which is handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fencerun import svg, transcript
from fencerun.compare import Rule, compare
from fencerun.judge import tolerable
from fencerun.judgement import Judgement
from fencerun.masks import NAMED, Mask, lookup
from fencerun.plan import PlannedChain, Step
from fencerun.plural import count

_OTHERWISE = (
    "make it repeatable (seed its generators, sort its sets); "
    "if an earlier fence changes what it prints, `fencerun audit` names that one"
)

#: A chain that took longer than this many seconds is not run a second time.
LIMIT = 2.0


def doubtful(
    chains: Sequence[PlannedChain],
    judged: Sequence[tuple[Step, Judgement]],
    seconds: Mapping[str, float],
) -> tuple[PlannedChain, ...]:
    """The chains to run again: those with something new to record, and short enough.

    ``seconds`` says how long each fence took, by id.
    """
    new = {step.member.id for step, judgement in judged if judgement.news}
    return tuple(
        chain
        for chain in chains
        if any(step.compared and step.member.id in new for step in chain.steps)
        and sum(seconds.get(step.member.id, 0.0) for step in chain.steps) <= LIMIT
    )


def settle(
    first: Sequence[tuple[Step, Judgement]],
    second: Iterable[tuple[Step, Judgement]],
    own: Sequence[Mask],
) -> list[tuple[Step, Judgement]]:
    """The judgements of the first run; what the second contradicts is refused."""
    again = {step.member.id: judgement for step, judgement in second}
    return [
        (step, _settled(one, again.get(step.member.id), own, step.member.fence.language))
        for step, one in first
    ]


def _settled(
    one: Judgement, two: Judgement | None, own: Sequence[Mask], language: str
) -> Judgement:
    if not one.news or two is None or one.rule is None:
        return one
    if two.verdict.kind in ("failed", "blocked"):
        what = f"it ran, and failed when run again in a fresh process: {two.verdict.what}"
        return Judgement(replace(one.verdict, kind="refused", what=what, remedy=_OTHERWISE))
    lines, other = one.lines, two.printed or ()
    if lines is not None and language in transcript.SHOWN:
        lines = transcript.as_printed(language, lines)
    if one.drawn or two.drawn:
        free = one.rule.any_number
        if (why := svg.first_difference(one.drawn, two.drawn, free=free)) is not None:
            what = f"it drew something else in a fresh process: {why}"
            remedy = "make it repeatable: seed its generators"
            return Judgement(replace(one.verdict, kind="refused", what=what, remedy=remedy))
        lines = one.printed  # its lines are those of the region that shows both
    if lines is None or compare(lines, other, one.rule).equal:
        lines, other = one.values, two.values
        if all(compare([a], [b], one.rule).equal for a, b in zip(lines, other, strict=True)):
            return one
    what = "it printed something else in a fresh process: " + _difference(lines, other)
    remedy = _remedy(lines, other, one.rule, own)
    return Judgement(replace(one.verdict, kind="refused", what=what, remedy=remedy))


def _difference(one: Sequence[str], two: Sequence[str]) -> str:
    for index, (a, b) in enumerate(zip(one, two, strict=False)):
        if a != b:
            return f"line {index + 1} of its output was {a!r}, then {b!r}"
    return f"it printed {count(len(one), 'line')}, then {len(two)}"


def _remedy(one: Sequence[str], two: Sequence[str], rule: Rule, own: Sequence[Mask]) -> str:
    """The first tag that would make the two equal."""
    for name in dict.fromkeys((*(mask.name for mask in own), *NAMED)):
        varies = (*rule.varies, *lookup((name,), own))
        if compare(one, two, replace(rule, varies=varies)).equal:
            # Nobody reads an address; what took how long, readers may want to see.
            tag = "mask" if name in ("address", "path") else "varies"
            return f"add `{tag}:{name}` to the fence"
    if tolerance := tolerable(compare(one, two, rule)):
        return f"add `{tolerance}` to the fence"
    if compare(one, two, replace(rule, match="unordered")).equal:
        return "add `match:unordered` to the fence"
    return _OTHERWISE
