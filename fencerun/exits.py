"""Exit codes: what a run's verdicts and problems come to. Pure.

0 all as recorded, or kept within policy · 1 the page is out of date · 2 usage or configuration ·
3 a problem in a page · 4 a fence failed or is blocked · 5 stale, never recorded and not run, kept
too long, nothing selected, or nothing ran · 6 fencerun's own fault · 130 interrupted.
The first of 2, 6, 3, 4, 1, 5 that applies.
"""

from __future__ import annotations

from collections.abc import Iterable

from fencerun.events import Problem, Verdict, VerdictKind
from fencerun.pasting import pasted

INTERRUPTED = 130

_OUT_OF_DATE: frozenset[VerdictKind] = frozenset(
    {"changed", "rounding", "unrecorded", "edited", "orphan", "refused"}
)
_FAILED: frozenset[VerdictKind] = frozenset({"failed", "blocked"})
_UNVERIFIED: frozenset[VerdictKind] = frozenset({"stale", "missing", "expired"})

#: Verdicts of fences that ran.
RAN: frozenset[VerdictKind] = frozenset(
    {"passed", "changed", "rounding", "unrecorded", "recorded", "failed", "elsewhere", "known"}
)


def exit_code(
    verdicts: Iterable[Verdict], problems: Iterable[Problem], *, allow_empty: bool = False
) -> tuple[int, tuple[str, ...]]:
    """The exit code, and sentences for what the verdicts alone do not explain.

    With ``allow_empty`` it is no fault that no fence was selected, or that none of them ran.
    """
    kinds = {verdict.kind for verdict in verdicts}
    if any(problem.severity == "error" for problem in problems):
        return 3, ()
    if kinds & _FAILED:
        return 4, ()
    if kinds & _OUT_OF_DATE:
        return 1, ()
    if not kinds:
        note = "no fence was selected: nothing was checked (--allow-empty accepts that)"
        return (0, ()) if allow_empty else (5, (note,))
    if not kinds & RAN and not allow_empty:
        return 5, ("no fence ran: nothing was verified on this machine",)
    return (5, ()) if kinds & _UNVERIFIED else (0, ())


def rerun(verdicts: Iterable[Verdict], most: int = 8) -> str:
    """The command that re-runs what did not pass: by fence, or by page when they are many."""
    red = [v for v in verdicts if v.kind in _FAILED | _OUT_OF_DATE and v.kind != "orphan"]
    ids = tuple(dict.fromkeys(verdict.id for verdict in red))
    if len(ids) > most:
        ids = tuple(dict.fromkeys(verdict.page for verdict in red))
    return " ".join(("fencerun check", *map(pasted, ids))) if ids else ""
