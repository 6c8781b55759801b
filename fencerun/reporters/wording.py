"""The one place that words verdicts, problems and figures. Pure; knows no stream and no colour.

A line is a tuple of :class:`Span`: text with a role. `plain` joins the texts, `rich` styles the
roles, so both say the same.
"""

from __future__ import annotations

from typing import Final, Literal

from fencerun.events import Problem, Verdict, VerdictKind
from fencerun.frozen import dataclass
from fencerun.reporters.escape import cut, one_line
from fencerun.result import Leak

#: How much a verdict matters: ``error`` and ``warning`` are shown as they come and turn the run
#: red, ``note`` and ``ok`` are counted.
Severity = Literal["error", "outdated", "warning", "note", "ok"]

Role = Literal[
    "text",
    "location",
    "error",
    "outdated",
    "warning",
    "note",
    "ok",
    "label",  # says what the lines below are
    "margin",  # page line numbers and the rule beside quoted text
    "source",
    "caret",
    "quoted",  # output, tracebacks
    "same",
    "removed",
    "added",
    "remedy",
    "command",
    "faint",
]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line and the part it plays."""

    role: Role
    text: str


Line = tuple[Span, ...]

_SEVERITY: Final[dict[VerdictKind, Severity]] = {
    "passed": "ok",
    "recorded": "ok",
    "elsewhere": "ok",
    "known": "note",
    "kept": "note",
    "skipped": "note",
    "stale": "warning",
    "missing": "warning",
    "expired": "warning",
    "changed": "outdated",
    "rounding": "outdated",
    "unrecorded": "outdated",
    "edited": "outdated",
    "orphan": "outdated",
    "failed": "error",
    "blocked": "error",
    "refused": "outdated",
}

#: Said of a verdict that comes without words of its own.
_DEFAULT: Final[dict[VerdictKind, str]] = {
    "passed": "as recorded",
    "changed": "it printed something else than what is recorded",
    "rounding": "only fractional digits moved",
    "unrecorded": "it printed, and the page has no recording",
    "recorded": "its recording was written",
    "failed": "it did not run to its end",
    "blocked": "the fence that it continues failed",
    "known": "as the configuration says",
    "kept": "not run here, its recording is kept",
    "stale": "its code changed since it was recorded",
    "edited": "its recorded text was changed by hand",
    "missing": "not run here, and never recorded",
    "expired": "its recording was kept for longer than `max_kept_days` allows",
    "orphan": "a recording whose fence is gone",
    "elsewhere": "recorded on another device",
    "skipped": "not run",
    "refused": "its recording could not be written",
}

#: The order in which kinds are counted in a summary.
ORDER: Final[tuple[VerdictKind, ...]] = (
    "passed",
    "recorded",
    "elsewhere",
    "changed",
    "rounding",
    "unrecorded",
    "edited",
    "orphan",
    "failed",
    "blocked",
    "refused",
    "stale",
    "missing",
    "expired",
    "known",
    "kept",
    "skipped",
)


def severity(kind: VerdictKind) -> Severity:
    """How much verdicts of a kind matter. Agrees with the exit codes: a test holds that."""
    return _SEVERITY[kind]


def needs_attention(verdict: Verdict) -> bool:
    """Whether the author has to do something about it."""
    return severity(verdict.kind) in ("error", "outdated", "warning")


def kind_words(kind: VerdictKind) -> str:
    """The kind as a summary counts it: ``3 ran elsewhere``."""
    return "ran elsewhere" if kind == "elsewhere" else kind


def called(page: str) -> str:
    """The path of a page as a line may begin with it.

    One that begins with a colon gets ``./``: CI runners take ``::`` for a command, also behind
    blanks.
    """
    path = one_line(page)
    return f"./{path}" if path.lstrip().startswith(":") else path


def location(page: str, line: int) -> str:
    """``page:line``, which editors and terminals make a link of."""
    return f"{called(page)}:{line}"


def what(verdict: Verdict) -> str:
    """What happened, in one line and without a full stop."""
    words = verdict.what or (verdict.failure.summary if verdict.failure else "")
    return cut(one_line(words or _DEFAULT[verdict.kind]).rstrip())


def head(verdict: Verdict) -> Line:
    """The line that states a verdict, in spans."""
    where = location(verdict.page, verdict.line)
    return (
        Span("location", f"{where}:"),
        Span("text", " "),
        Span(severity(verdict.kind), verdict.kind),
        Span("text", f": fence {verdict.fence}, {what(verdict)}"),
    )


def message(verdict: Verdict) -> str:
    """``lessons/x.md:41: failed: fence 4, NameError: name 'opt' is not defined``."""
    return text(head(verdict))


def remedy(verdict: Verdict | Problem) -> list[str]:
    """What to do about it, a line each; nothing when there is nothing."""
    return [one_line(line) for line in verdict.remedy.split("\n") if line.strip()]


def sentence(words: str) -> str:
    """``words`` with a full stop, unless they end in punctuation already."""
    return words if words.endswith((".", "!", "?", ":")) or not words else f"{words}."


def capital(words: str) -> str:
    """``words`` as they begin a sentence."""
    return words[:1].upper() + words[1:]


def problem_head(problem: Problem) -> Line:
    """``lessons/x.md:12: problem: what. remedy [code]``, in spans."""
    warning = problem.severity == "warning"
    advice = capital(" ".join(remedy(problem)))  # it follows a full stop
    return (
        Span("location", f"{location(problem.page, problem.line)}:"),
        Span("text", " "),
        Span("warning" if warning else "error", "warning" if warning else "problem"),
        Span("text", f": {sentence(cut(one_line(problem.what).rstrip()))}"),
        Span("remedy", f" {advice}" if advice else ""),
        Span("faint", f" [{one_line(problem.code)}]"),
    )


def problem_also(problem: Problem) -> tuple[Line, ...]:
    """A line for each further place that belongs to the problem."""
    return tuple(
        (Span("location", f"{location(problem.page, line)}:"), Span("faint", " also here"))
        for line in problem.also
    )


def leak_head(verdict: Verdict, leak: Leak) -> Line:
    """``lessons/x.md:41: leak: fence 4, default dtype: torch.float32 → torch.float64``."""
    fence = verdict.fence if leak.fence is None else leak.fence
    line = verdict.line if leak.line is None else leak.line
    change = " → ".join(one_line(state) for state in (leak.was, leak.now) if state)
    end = ", undone" if leak.undone else ", not undone"
    return (
        Span("location", f"{location(verdict.page, line)}:"),
        Span("text", " "),
        Span("note" if leak.undone else "warning", "leak"),
        Span(
            "text",
            f": fence {fence}, {cut(': '.join(filter(None, (one_line(leak.what), change))))}{end}",
        ),
    )


def text(line: Line) -> str:
    """A line without its roles."""
    return "".join(span.text for span in line)


def duration(seconds: float) -> str:
    """``12 ms``, ``3.2 s``, ``4 min 05 s``, ``1 h 02 min``. Rounded, never to a wrong unit."""
    if seconds < 0.9995:
        return f"{max(0, round(seconds * 1000))} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
