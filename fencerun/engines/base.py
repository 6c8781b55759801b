"""The seam between planning and running: jobs go in, outcomes come out, in order.

An engine knows nothing of Markdown, recordings or verdicts. Every engine passes the contract
suite in ``tests/engines/test_contract.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from types import TracebackType
from typing import Protocol, TypeVar

from fencerun.errors import FencerunError
from fencerun.frozen import dataclass
from fencerun.result import Outcome


@dataclass(frozen=True, slots=True)
class Job:
    """One fence, ready to run.

    ``line`` is the page line (from 1) of the first line of ``code``; ``code`` is dedented and has
    ``\\n`` line ends. ``key`` is the caller's handle and comes back with the outcome.
    """

    key: str
    number: int
    code: str
    line: int
    language: str = "python"
    timeout: float = 60.0
    #: The operator namespace this fence may register in (``pytc_m25_f3``), or None for any.
    op_namespace: str | None = None
    #: Namespaces that it may register in or override besides.
    allows: tuple[str, ...] = ()
    #: Whether its stderr belongs to its output, in order.
    stderr: bool = False
    #: Whether a last expression that is not None is shown.
    echo: bool = False
    #: Expressions to evaluate right after it: (expression, format spec or None).
    values: tuple[tuple[str, str | None], ...] = ()
    #: The name of the figures that it leaves open (``loss.svg``), or None where it has none.
    figure: str | None = None
    #: Whether an exception or exit of it is expected, so that the chain goes on after one.
    may_raise: bool = False
    #: Of a transcript (``pycon``, ``console``), what is typed at each prompt: code, the page line
    #: of its first line, and whether an exception is expected there. ``code`` is all of it.
    turns: tuple[tuple[str, int, bool], ...] = ()
    #: The exit status that a shell's command may end with besides 0.
    exit: int = 0


@dataclass(frozen=True, slots=True)
class Chain:
    """Jobs that form one script: a shared namespace, run without interruption, cleaned up after.

    ``page`` is the page's path as tracebacks show it; ``directory`` is the absolute working
    directory, also ``sys.path[0]``. ``isolated`` asks for a process of its own. ``setup`` are
    path and text of a Python file to run into the empty namespace first. ``scratch`` says that
    the directory is the chain's own, so that it may leave files there.
    """

    page: str
    directory: str
    jobs: tuple[Job, ...]
    isolated: bool = False
    #: Sets its compiled code apart in the caches: the same for the same source, and no other.
    tag: str = ""
    setup: tuple[str, str] | None = None
    scratch: bool = False


@dataclass(frozen=True, slots=True)
class Started:
    """A job began."""

    key: str


@dataclass(frozen=True, slots=True)
class Finished:
    """A job ended, whichever way."""

    key: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Blocked:
    """A job never ran, because the job ``by`` before it in its chain failed."""

    key: str
    by: str


EngineEvent = Started | Finished | Blocked

_Self = TypeVar("_Self", bound="Closing")


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How to run, for every chain alike."""

    #: The interpreter that runs the fences.
    python: str
    #: Variables on top of the engine's pinned ones.
    env: Mapping[str, str] = field(default_factory=dict)
    #: Modules worth loading before the first fork (``torch``); a missing one is ignored.
    preload: tuple[str, ...] = ()
    threads: int = 1
    #: COLUMNS, and the line width of numpy and torch reprs.
    width: int = 80
    #: A fence that writes more bytes than this fails.
    flood: int = 64 << 20
    #: Whether a leak that cannot be undone fails its fence.
    leaks_are_errors: bool = False


class EngineError(FencerunError):
    """The engine cannot run anything: the interpreter does not start, or no process survives.

    A fault of the set-up or of fencerun, never of a fence; the message says what to do.
    """


class NotStarted(EngineError):
    """The interpreter that was chosen does not start."""

    exit_code = 2


class Closing:
    """An engine's scope: entered as it is, closed at its end."""

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing to end, unless the engine has something."""


class Engine(Protocol):
    """Runs chains in order.

    For every job of every chain, exactly one Finished or Blocked comes out, in plan order,
    whatever the fences do to their process. Closing ends every process the engine started.
    """

    #: Whether fences run in a process of their own, which they may end or spoil unpunished.
    isolates: bool

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        """Run the chains one after another, yielding events as they happen."""
        ...

    def describe(self) -> str:
        """One line that names the interpreter and what was loaded, for the head of a report."""
        ...

    def fresh(self) -> None:
        """Let the next chain start in a pristine process, where the engine has any to give."""
        ...

    def close(self) -> None:
        """End every process the engine started. Safe to call twice."""
        ...

    def __enter__(self) -> Engine: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
