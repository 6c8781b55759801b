"""What `fencerun watch` says of each event, in lines. Knows no stream, colour or keyboard."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from fencerun.events import (
    EngineReady,
    FenceDone,
    LiveEvent,
    PageRead,
    Problem,
    RunDone,
    RunStarted,
    Trouble,
    Verdict,
    VerdictKind,
)
from fencerun.pasting import pasted
from fencerun.plural import count
from fencerun.reporters.details import INDENT, report
from fencerun.reporters.escape import block, cut, one_line
from fencerun.reporters.wording import (
    ORDER,
    Line,
    Span,
    called,
    capital,
    duration,
    head,
    kind_words,
    location,
    needs_attention,
    problem_also,
    problem_head,
    severity,
)

#: Lines of output that are shown of a fence that is as it should be.
_SHOWN = 24


class Saves:
    """Words events one after the other: what was told already is not told again.

    ``keys`` says that there are keys to press; ``columns`` gives those for a diff side by side, or
    None.
    """

    def __init__(
        self,
        *,
        verbose: int = 0,
        keys: bool = False,
        columns: Callable[[], int | None] = lambda: None,
    ) -> None:
        self._verbose, self._keys, self._columns = verbose, keys, columns
        #: Fences whose output is news, those that were told to be held back, and what problems
        #: pages had.
        self._fresh: set[str] = set()
        self._slow: set[str] = set()
        self._faulty: dict[str, tuple[Problem, ...]] = {}
        self._kinds: Counter[VerdictKind] = Counter()

    def lines(self, event: LiveEvent) -> Iterator[Line]:
        """What is to be said of an event."""
        if isinstance(event, PageRead):
            yield from self._page_read(event)
        elif isinstance(event, RunStarted):
            self._kinds.clear()
        elif isinstance(event, FenceDone):
            self._kinds[event.verdict.kind] += 1
            yield from self._fence_done(event.verdict)
        elif isinstance(event, RunDone):
            yield from self._run_done(event)
        elif isinstance(event, EngineReady):
            ready = f"{one_line(event.about)}, ready in {duration(event.seconds)}"
            yield (Span("faint", ready),)
        elif isinstance(event, Trouble):
            yield from _trouble(event)

    def _page_read(self, event: PageRead) -> Iterator[Line]:
        name = called(event.page)
        before = self._faulty.pop(event.page, ())
        if event.gone:
            yield (Span("location", name), Span("note", " is gone"))
            return
        if event.problems:
            self._faulty[event.page] = event.problems
        if event.problems != before:
            for problem in event.problems:
                yield problem_head(problem)
                yield from problem_also(problem)
        if _errors(before) and not _errors(event.problems):
            yield (Span("location", name), Span("ok", " reads well again"))
        self._fresh.update(event.due, event.held)
        if event.due:
            yield (Span("faint", f"{_now()} "), Span("location", name),
                   Span("faint", f": {_fences(event.due)}"))  # fmt: skip
        new = [one for one in event.held if one not in self._slow]
        self._slow.difference_update(event.due)
        self._slow.update(event.held)
        if new:
            how = (
                "Enter runs what is stale" if self._keys else f"fencerun check {pasted(event.page)}"
            )
            yield (Span("location", name), Span("warning", f": {_fences(new)} held back"),
                   Span("faint", " (slow, or changing its own inputs): "),
                   Span("command", how))  # fmt: skip

    def _fence_done(self, verdict: Verdict) -> Iterator[Line]:
        news = verdict.id in self._fresh
        self._fresh.discard(verdict.id)
        self._slow.discard(verdict.id)
        if needs_attention(verdict):
            if self._keys and verdict.kind in ("changed", "unrecorded"):
                verdict = replace(verdict, remedy="")  # it is a key
            if verdict.kind == "unrecorded" and verdict.printed:
                yield (*head(verdict), *_took(verdict))
                yield from _output(verdict, self._verbose)
                yield from report(replace(verdict, kind="passed"))  # its leaks, if any
                return
            first, *rest = report(verdict, self._verbose, self._columns())
            yield (*first, *_took(verdict))
            yield from rest
            return
        if news or self._verbose or verdict.kind == "recorded":
            words = "" if verdict.kind == "passed" else f", {one_line(verdict.what)}"
            yield (Span("location", f"{location(verdict.page, verdict.line)}:"), Span("text", " "),
                   Span(severity(verdict.kind), verdict.kind),
                   Span("text", f": fence {verdict.fence}{words}"), *_took(verdict))  # fmt: skip
        if news and verdict.kind != "recorded":
            yield from _output(verdict, self._verbose)
        yield from report(verdict, self._verbose, self._columns())[1 if self._verbose else 0 :]

    def _run_done(self, event: RunDone) -> Iterator[Line]:
        spans: list[Span] = []
        for kind in ORDER:
            if self._kinds[kind]:
                words = f"{self._kinds[kind]:,} {kind_words(kind)}"
                spans += (Span("text", ", "), Span(severity(kind), words))
        if event.interrupted:
            spans += (Span("text", ", "), Span("warning", "ended early"))
        spans = spans[1:] or [Span("note", "nothing ran")]
        spans.append(Span("faint", f" in {duration(event.seconds)}"))
        differ = sum(self._kinds[kind] for kind in ("changed", "rounding", "unrecorded"))
        if differ and self._keys:
            spans.append(Span("command", f"  r records {'it' if differ == 1 else 'them'}"))
        yield tuple(spans)


def _errors(problems: Iterable[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def _now() -> str:
    return time.strftime("%H:%M:%S")


def _fences(ids: Iterable[str]) -> str:
    """``fence 3``, ``fences 3, 4 and 12 more``."""
    numbers = [name.rpartition("::")[2] for name in ids]
    if len(numbers) == 1:
        return f"fence {numbers[0]}"
    if len(numbers) > 8:
        return f"fences {', '.join(numbers[:6])} and {len(numbers) - 6} more"
    return f"fences {', '.join(numbers[:-1])} and {numbers[-1]}"


def _took(verdict: Verdict) -> Line:
    return () if verdict.seconds is None else (Span("faint", f" ({duration(verdict.seconds)})"),)


def _output(verdict: Verdict, verbose: int) -> Iterator[Line]:
    """What a fence printed, without the middle where that is long."""
    lines = block("\n".join(verdict.printed or ()))
    limit = _SHOWN if not verbose else len(lines)
    if len(lines) > limit:
        half = limit // 2
        left = count(len(lines) - 2 * half, "more line")
        lines = [*lines[:half], f"… {left} (-v shows them)", *lines[-half:]]
    for line in lines:
        yield (Span("margin", f"{INDENT}| "), Span("quoted", cut(line)))


def _trouble(event: Trouble) -> Iterator[Line]:
    if not event.what:
        yield (Span("ok", "back to work"),)
        return
    yield (Span("error", "error"), Span("text", f": {one_line(event.what)}. "),
           Span("remedy", one_line(capital(event.remedy))))  # fmt: skip
