"""What a run has come to so far: a fold over its events. Pure; words nothing.

A reporter asks it which verdicts and problems are news, so that one that comes both by itself and
with the end of the run is shown once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fencerun.events import (
    Event,
    FenceDone,
    FenceStarted,
    PageDone,
    Problem,
    ProblemFound,
    RunDone,
    RunStarted,
    Verdict,
    VerdictKind,
)
from fencerun.frozen import dataclass
from fencerun.reporters.wording import ORDER, needs_attention

#: A fence that took less is not worth a place among the slow ones, in seconds.
SLOW = 1.0


@dataclass(frozen=True, slots=True)
class News:
    """What an event told that was not known before."""

    verdicts: tuple[Verdict, ...] = ()
    problems: tuple[Problem, ...] = ()


_NO_NEWS = News()


class Tally:
    """Verdicts by fence, problems, written pages, and the beginning and end of the run."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.started: RunStarted | None = None
        self.done: RunDone | None = None
        self.written: list[str] = []
        self._verdicts: dict[tuple[str, VerdictKind | None], Verdict] = {}
        self._problems: dict[Problem, None] = {}

    def add(self, event: Event) -> News:
        """Take an event in, and say what it told."""
        if isinstance(event, FenceStarted):
            return _NO_NEWS
        if isinstance(event, FenceDone):
            verdict = event.verdict
            return News((verdict,)) if self._is_new(verdict) else _NO_NEWS
        if isinstance(event, RunStarted):
            self._clear()
            self.started = event
        elif isinstance(event, ProblemFound):
            return News(problems=self._new_problems((event.problem,)))
        elif isinstance(event, PageDone):
            if event.written:
                self.written.append(event.page)
        elif isinstance(event, RunDone):
            self.done = event
            news = tuple(filter(self._is_new, event.verdicts))
            return News(news, self._new_problems(event.problems))
        return _NO_NEWS

    def _is_new(self, verdict: Verdict) -> bool:
        """Whether a verdict was not told before; it is the fence's last one from now on."""
        key = _key(verdict)
        told = self._verdicts.get(key)
        # At the end of a run come all its verdicts once more, the very same objects.
        if told is verdict or told == verdict:
            return False
        self._verdicts[key] = verdict
        return True

    def _new_problems(self, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        news = tuple(one for one in dict.fromkeys(problems) if one not in self._problems)
        self._problems.update((one, None) for one in news)
        return news

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The last verdict of each fence, in the order in which they came."""
        return tuple(self._verdicts.values())

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems and warnings, each once."""
        return tuple(self._problems)

    @property
    def well(self) -> bool:
        """Whether there is nothing for the author to do."""
        if self.done is not None and (self.done.exit_code or self.done.interrupted):
            return False
        return (
            not self._problems and not self.leaks() and not any(map(needs_attention, self.verdicts))
        )

    def counts(self) -> Iterator[tuple[VerdictKind, int]]:
        """How many verdicts there are of each kind that occurs."""
        number = Counter(verdict.kind for verdict in self.verdicts)
        return ((kind, number[kind]) for kind in ORDER if number[kind])

    def reasons(self, kind: VerdictKind) -> list[tuple[str, int]]:
        """Why fences of a kind were not run, most frequent first."""
        return Counter(
            verdict.reason for verdict in self.verdicts if verdict.kind == kind and verdict.reason
        ).most_common()

    def slowest(self, limit: int = 5) -> list[tuple[float, Verdict]]:
        """The slowest fences that took more than SLOW, slowest first, at most ``limit``."""
        slow = [(one.seconds, one) for one in self.verdicts if one.seconds and one.seconds > SLOW]
        return sorted(slow, key=lambda pair: -pair[0])[:limit]

    def replaced(self) -> list[Verdict]:
        """The verdicts of fences after which the worker was replaced."""
        return [verdict for verdict in self.verdicts if verdict.replaced]

    def leaks(self) -> int:
        """How many leaks could not be undone."""
        return sum(not leak.undone for verdict in self.verdicts for leak in verdict.leaks)


def _key(verdict: Verdict) -> tuple[str, VerdictKind | None]:
    """An orphan is no fence: it may stand beside one of its number."""
    return verdict.id, "orphan" if verdict.kind == "orphan" else None
