"""What is known of open pages at one moment, as front ends show it. Frozen data, nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from fencerun.events import Problem, Verdict, VerdictKind
from fencerun.frozen import dataclass
from fencerun.page import Page


@dataclass(frozen=True, slots=True)
class FenceView:
    """One fence of an open page.

    ``verdict`` is the last one, its page lines those of the page as it is now; its ``printed``
    are the lines of output where it ran, its ``values`` and ``figures`` what these came to.
    """

    id: str
    page: str
    number: int
    #: The page line, counted from 1, of its opening delimiter.
    line: int
    #: None until it ran, or was found not to run here.
    verdict: Verdict | None = None
    #: What a run before this one said of it (``failed``), where only that is known.
    before: str | None = None
    #: Seconds that it took the last time, also in an earlier run.
    seconds: float | None = None
    #: Whether it, or what it depends on, changed since ``verdict`` (or since it was opened).
    stale: bool = False
    #: Whether it is stale and not started until it is asked for, since it takes long.
    held: bool = False
    #: Whether it waits for its turn.
    queued: bool = False
    #: When it began to run, as ``time.monotonic()`` tells; None while it does not.
    running_since: float | None = None

    @property
    def output(self) -> tuple[str, ...]:
        """What it printed the last time; of one that failed, until then."""
        if self.verdict is None:
            return ()
        if self.verdict.printed is not None:
            return self.verdict.printed
        return tuple(self.verdict.output.split("\n")) if self.verdict.output else ()


@dataclass(frozen=True, slots=True)
class Tally:
    """How the open pages stand, in numbers."""

    pages: int
    fences: int
    #: Fences by the kind of their verdict, those that are not stale.
    kinds: Mapping[VerdictKind, int]
    stale: int
    #: Pages with a problem.
    broken: int


@dataclass(frozen=True, slots=True)
class PageView:
    """An open page. ``page`` is what was read last; with an error in it, nothing of it runs."""

    path: str
    page: Page
    fences: tuple[FenceView, ...]
    problems: tuple[Problem, ...] = ()
    #: Recordings whose fence is gone.
    orphans: tuple[Verdict, ...] = ()

    @property
    def broken(self) -> bool:
        """Whether a problem keeps its fences from running."""
        return self.page.broken or any(problem.severity == "error" for problem in self.problems)
