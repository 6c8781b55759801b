"""Comparing a transcript: what each turn printed, with the lines below its prompt. Pure.

Prompts are never compared and never rewritten. Of a traceback only what was raised counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fencerun import compare as by_lines
from fencerun.canonical import canonical, recorded
from fencerun.compare import Comparison, NumberDiff, Rule
from fencerun.redaction import NOTHING, Redaction
from fencerun.transcript import FRAMES, Turn, split, with_outputs, without_frames


def printed(
    turns: Sequence[Turn],
    outputs: Sequence[bytes],
    rule: Rule,
    limit: int,
    secrets: Redaction = NOTHING,
) -> list[str]:
    """The lines that a block with these outputs has; ``limit`` is in bytes, for each."""
    lines = [
        canonical(output, masks=rule.masks, limit=limit, secrets=secrets) for output in outputs
    ]
    lines += [()] * (len(turns) - len(lines))
    return list(with_outputs(turns, lines))


def compare(
    turns: Sequence[Turn], lines: Sequence[str], rule: Rule
) -> tuple[tuple[str, ...], Comparison]:
    """The block's lines, and what comparing them with those that ``printed`` gave comes to."""
    text = with_outputs(turns, [turn.output for turn in turns])
    outputs = split(lines, turns)
    if outputs is None:
        return text, Comparison(False, "changed", tuple(lines), 0)
    found = [_compared(turn, output, rule) for turn, output in zip(turns, outputs, strict=True)]
    kept = [t.output if c.equal else c.merged for t, c in zip(turns, found, strict=True)]
    different = [comparison for comparison in found if not comparison.equal]
    if not different:
        return text, Comparison(True, "equal", text)
    rounding = all(comparison.kind == "rounding" for comparison in different)
    numbers: tuple[NumberDiff, ...] = ()
    for comparison in different:
        numbers += comparison.numbers
    return text, Comparison(
        equal=False,
        kind="rounding" if rounding else "changed",
        merged=with_outputs(turns, kept),
        first=different[0].first,
        numbers=numbers,
        proposal=different[0].proposal if len(different) == 1 else None,
    )


def _compared(turn: Turn, output: Sequence[str], rule: Rule) -> Comparison:
    """The comparison of one turn; its lines are counted from the block's first."""
    ours = recorded("\n".join(turn.output), masks=rule.masks)
    theirs = tuple(output)
    while theirs and not theirs[-1].strip():
        theirs = theirs[:-1]
    shown = without_frames(ours) if turn.raises else ours
    comparison = by_lines.compare(shown, theirs, rule)
    above, frames = turn.at + len(turn.prompts), len(ours) - len(shown)
    # What was raised stands below all the frames, of which one line was left to compare.
    begin = shown.index(FRAMES) if FRAMES in shown else len(shown)

    def in_block(line: int) -> int:
        return above + line + (frames if line > begin else 0)

    numbers = tuple(replace(one, line=in_block(one.line)) for one in comparison.numbers)
    first = None if comparison.first is None else in_block(min(comparison.first, len(shown)))
    return replace(comparison, first=first, numbers=numbers)
