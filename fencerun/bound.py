"""Verdicts on values in prose: what their expressions came to, against what the page says. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fencerun.compare import Comparison, compare
from fencerun.events import Verdict
from fencerun.judgement import Judgement
from fencerun.pasting import pasted
from fencerun.plural import count
from fencerun.result import Failure, ValueResult
from fencerun.rule import Rule
from fencerun.values import Value, one_line


def judge(
    judgement: Judgement, values: Sequence[Value], results: Sequence[ValueResult], rule: Rule
) -> Judgement:
    """``judgement`` of a fence's output, and now of its values too.

    A value that cannot be computed fails its fence, at the value's own page line.
    """
    texts = []
    for value, result in zip(values, results, strict=True):
        if result.error is not None or result.text is None:
            return Judgement(_failed(judgement.verdict, value, result))
        texts.append(one_line(result.text))
    judgement = replace(judgement, values=tuple(texts))
    found = [(v, text, _compared(v, text, rule)) for v, text in zip(values, texts, strict=True)]
    changed = tuple((value, text) for value, text, one in found if not one.equal)
    if not changed:
        return judgement
    rounding = all(one.equal or one.kind == "rounding" for _, _, one in found)
    verdict = _changed(judgement.verdict, changed, rounding)
    return replace(judgement, verdict=verdict, bindings=changed)


def _compared(value: Value, text: str, rule: Rule) -> Comparison:
    if value.rtol is not None:
        rule = replace(rule, rtol=value.rtol.value, any_number=value.rtol.any)
    return compare([value.shown], [text], rule)


def _failed(verdict: Verdict, value: Value, result: ValueResult) -> Verdict:
    summary = f"the value `{value.expression}`: {result.error}"
    return replace(
        verdict,
        kind="failed",
        line=value.line,
        what=summary,
        remedy=f"mend the expression, or what fence {value.fence} leaves behind",
        failure=Failure("exception", summary, value.line),
        diff=(),
    )


def _changed(verdict: Verdict, changed: Sequence[tuple[Value, str]], rounding: bool) -> Verdict:
    """``verdict`` with what the first value says; ``rounding``: numbers moved and nothing else."""
    value, text = changed[0]
    here = f"`{value.expression}` is {text}, and the page says {value.shown or 'nothing'}"
    more = f", and {count(len(changed) - 1, 'more value')}" if len(changed) > 1 else ""
    remedy = f"fencerun record {pasted(verdict.id)}"
    if verdict.kind in ("passed", "elsewhere"):
        what = f"{here}{more}"
        return replace(verdict, kind="changed", line=value.line, what=what, remedy=remedy)
    both = replace(verdict, what=f"{verdict.what}; line {value.line}: {here}{more}")
    if verdict.kind == "rounding" and not rounding:
        return replace(both, kind="changed", remedy=remedy)
    return both
