"""Blocks whose last value is their output, as a notebook shows it: which of them need `echo`.

A second run, with `echo` on those that show an output which they did not print, tells. Knows
nothing of text or disks.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import replace

from fencerun.tagging.bindings import parsed
from fencerun.tagging.candidates import Candidate
from fencerun.tagging.drafts import draft
from fencerun.tagging.outputs import Shown, text_of
from fencerun.tagging.rounds import Settled
from fencerun.tagging.settle import Search


def shows_a_value(candidate: Candidate) -> bool:
    """Whether the last statement of a block is an expression that may have a value to show."""
    if candidate.language != "python":
        return False
    try:
        body = parsed(candidate.code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    last = body[-1] if body else None
    if not isinstance(last, ast.Expr):
        return False
    call = last.value
    return not (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"
    )


def echoed(search: Search, settled: Settled, shown: Sequence[Shown]) -> Settled:
    """``settled``, with `echo` on the blocks that print what is shown below them only with it."""
    wanting = {
        one.candidate.line: text_of(one.block)
        for one in shown
        if not one.exact and shows_a_value(one.candidate)
    }
    if not wanting or search.run is None:
        return settled
    numbers = search.subject.numbers()
    kept = _with(settled.kept, wanting)
    page = draft(search.page, kept, numbers, settled.links)
    tried = search.run(page, {numbers[line] for line in wanting})
    said = {line: tried.printed.get(numbers[line]) for line in wanting}
    right = [line for line in wanting if said[line] == wanting[line]]
    if tried.failures or not right:
        return settled
    printed = {**settled.printed, **{line: wanting[line] for line in right}}
    return replace(settled, kept=_with(settled.kept, right), printed=printed)


def _with(kept: Sequence[Candidate], lines: Collection[int]) -> tuple[Candidate, ...]:
    return tuple(replace(one, echo=True) if one.line in lines else one for one in kept)
