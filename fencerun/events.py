"""The one stream that every front end consumes: terminal, CI reports, pytest, browser.

The session makes the events, reporters read them; neither knows the other. Events are frozen
data and say everything a reporter could want to show, so that none has to look at a page.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from fencerun.frozen import dataclass
from fencerun.result import Failure, Leak

#: What is known of a fence after a run. The glossary in docs/concepts.md says what each means.
VerdictKind = Literal[
    "passed",  # ran, and its recording says what it printed
    "changed",  # ran, and its recording says something else
    "rounding",  # as changed, but only fractional numbers moved
    "unrecorded",  # ran and printed, and the page has no recording
    "recorded",  # `record` wrote its recording
    "failed",  # raised, crashed, ran out of time, or registered where it may not
    "blocked",  # the fence that it continues failed
    "known",  # failed or changed as the configuration says it will
    "kept",  # could not run here; its recording is kept and still fresh
    "stale",  # could not run here, and its code changed since it was recorded
    "edited",  # could not run here, and its recorded text was changed by hand
    "missing",  # could not run here, and was never recorded
    "expired",  # as kept, but longer ago than `max_kept_days` allows
    "orphan",  # a recording whose fence is gone
    "elsewhere",  # ran here, recorded on another device: only text and whole numbers compared
    "skipped",  # not run on purpose (`skip:`, --without)
    "refused",  # `record` could not write it: the page changed, or would not read back
]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff between a recording and what was printed.

    ``mark`` is ``" "`` (both), ``"-"`` (recorded), ``"+"`` (printed) or ``"~"`` (equal lines left
    out, ``text`` says how many). ``line`` is the page line of a recorded line, counted from 1.
    """

    mark: Literal[" ", "-", "+", "~"]
    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run says of one fence.

    ``line`` is the page line to click on: of the failure, of the first line that differs, or of
    the fence. ``what`` is one line, ``remedy`` says what to do, as a command to paste where there
    is one. ``reason`` groups skips (``requires:cuda``).
    """

    id: str
    kind: VerdictKind
    page: str
    fence: int
    line: int
    what: str = ""
    remedy: str = ""
    reason: str = ""
    seconds: float | None = None
    diff: tuple[DiffLine, ...] = ()
    failure: Failure | None = None
    leaks: tuple[Leak, ...] = ()
    #: Canonical output, and stderr when the fence failed: what a report shows of a failure.
    output: str = ""
    stderr: str = ""
    #: The source line at ``line``, when it lies in the fence's code.
    source: str = ""
    #: Why the worker was replaced after this fence, where it was.
    replaced: str | None = None
    #: For other machines, when a run is written down: what was printed, the key of the code that
    #: printed it, and where and when (``device/torch-version/date``).
    printed: tuple[str, ...] | None = None
    #: What the values in prose that are bound to it came to, in page order.
    values: tuple[str, ...] = ()
    #: The figures that it drew, as SVG texts.
    figures: tuple[str, ...] = ()
    key: str = ""
    on: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault in a page, found by reading it: `path:line: code: what. remedy`.

    ``severity`` ``error`` keeps every fence of the page from running; ``warning`` does not.
    ``also`` are further page lines that belong to it.
    """

    page: str
    line: int
    code: str
    what: str
    remedy: str = ""
    severity: Literal["error", "warning"] = "error"
    also: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins. ``verb`` is ``check`` or ``record``; ``about`` names the interpreter."""

    verb: str
    about: str
    pages: int
    fences: int


@dataclass(frozen=True, slots=True)
class PageStarted:
    """The first fence of a page is about to run. ``fences`` counts those that will."""

    page: str
    fences: int


@dataclass(frozen=True, slots=True)
class FenceStarted:
    """A fence began to run."""

    id: str
    page: str
    fence: int
    line: int


@dataclass(frozen=True, slots=True)
class FenceDone:
    """A fence has its verdict."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class ProblemFound:
    """A page has a fault."""

    problem: Problem


@dataclass(frozen=True, slots=True)
class PageDone:
    """Every fence of a page is accounted for. ``written`` says whether the page was rewritten."""

    page: str
    written: bool = False


@dataclass(frozen=True, slots=True)
class RunDone:
    """The run is over. ``exit_code`` is the process's; ``rerun`` re-runs what did not pass."""

    exit_code: int
    seconds: float
    verdicts: tuple[Verdict, ...] = ()
    problems: tuple[Problem, ...] = ()
    interrupted: bool = False
    rerun: str = ""
    #: Sentences that explain the exit code where the verdicts do not (nothing ran, …).
    notes: tuple[str, ...] = field(default=())


Event = RunStarted | PageStarted | FenceStarted | FenceDone | ProblemFound | PageDone | RunDone


@dataclass(frozen=True, slots=True)
class PageRead:
    """A page that is kept open was read anew: a save, a new page, or one that is gone.

    ``due`` are the ids of the fences that run now because of it, ``held`` of those that would and
    take too long to start unasked. ``problems`` are all that the page has now.
    """

    page: str
    due: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    gone: bool = False


@dataclass(frozen=True, slots=True)
class EngineReady:
    """What fences need is loaded. ``about`` names the interpreter and the modules."""

    about: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """What keeps open pages from being run at all (a configuration that makes no sense).

    ``what`` is one line, ``remedy`` says what to do; both empty once it is over.
    """

    what: str = ""
    remedy: str = ""


#: What a front end gets that keeps pages open: the events of its runs, and these between them.
LiveEvent = Event | PageRead | EngineReady | Trouble
