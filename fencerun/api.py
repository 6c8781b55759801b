"""The Python API: what ``fencerun check`` and ``fencerun record`` do, as functions.

Nothing of the calling process changes: not its directory, its streams or its signal handlers, and
its children stay its own. Nothing is printed unless ``reports`` asks for it. What a fence does
never raises; a call or a configuration that makes no sense does.

What both take is written once, as the fields of ``_Check``. ``check`` and ``record`` have the
signatures of the two classes' constructors, for type checkers and at run time alike.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, ParamSpec, TextIO, TypeVar

from fencerun import frozen, launch, reporters
from fencerun.engines import choice
from fencerun.errors import UsageError
from fencerun.events import Problem, Verdict
from fencerun.reporters import Reporter
from fencerun.session import RECORDABLE, Request, Session

#: A page or directory, or a fence as ``page.md::3``.
Target = str | os.PathLike[str]

#: By name (``plain``, ``github``, ``junit``, ``jsonl``, ``rich``), where each report is written:
#: a file's path, or an open text stream, which stays open.
Reports = Mapping[str, str | os.PathLike[str] | TextIO]

_Arguments = ParamSpec("_Arguments")
_T = TypeVar("_T")


@frozen.dataclass(frozen=True, slots=True)
class Run:
    """A run that is over. ``exit_code`` is what the command would have ended with: 0 is green.

    Every selected fence has exactly one verdict. ``seconds`` is wall time; ``notes`` are sentences
    that explain the exit code where verdicts and problems do not.
    """

    exit_code: int
    verdicts: tuple[Verdict, ...]
    problems: tuple[Problem, ...]
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Check:
    """Run fences and compare what they print with the pages. Writes no page.

    ``paths`` are relative to the working directory; without any, the pages that the project's
    configuration names. ``select`` leaves only fences whose id or code holds that text,
    ``requires`` those that need one of these capabilities. ``python`` is the interpreter that
    runs them, ``without`` are capabilities to treat as absent, ``must_have`` those without which
    nothing is run. Up to ``jobs`` pages run side by side, with ``"auto"`` as many as there are
    cores; results and their order stay those of one page after another. ``root`` is the project's
    root, by default that of the working directory.

    Raises FencerunError: UsageError where an argument or the configuration makes no sense,
    EngineError where no fence can be run at all; and KeyboardInterrupt once a run that was
    interrupted has been cleaned up.
    """

    paths: Target | Sequence[Target] = field(default=(), kw_only=False)
    select: str | None = None
    requires: Collection[str] = ()
    python: str | os.PathLike[str] | None = None
    without: Collection[str] = ()
    must_have: Collection[str] = ()
    jobs: int | Literal["auto"] = 1
    reports: Reports | None = None
    allow_empty: bool = False
    root: str | os.PathLike[str] | None = None

    def request(self) -> Request:
        several = [self.paths] if isinstance(self.paths, (str, os.PathLike)) else self.paths
        return Request(
            "check",
            launch.targets([os.fspath(path) for path in several]),
            self.select,
            _several("requires", self.requires),
            allow_empty=self.allow_empty,
            carry="jsonl" in (self.reports or ()),
        )

    def runs(self) -> list[str]:
        """The files of other machines' runs that are to be taken in."""
        return []

    def session(self, reporter: Reporter) -> Session:
        session = launch.session(
            self.request(),
            reporter.handle,
            python=None if self.python is None else os.fspath(self.python),
            without=_several("without", self.without),
            must_have=_several("must_have", self.must_have),
            told=self.runs(),
            engine=choice.engine(jobs=_side_by_side(self.jobs)),
            root=None if self.root is None else Path(self.root).absolute(),
        )
        session.ahead = reporters.ahead(reporter)
        return session

    def run(self) -> Run:
        with _reporting(self.reports or {}) as reporter:
            done = launch.run(self.session(reporter))
        if done.interrupted:
            raise KeyboardInterrupt
        return Run(done.exit_code, done.verdicts, done.problems, done.seconds, done.notes)


@dataclass(frozen=True, kw_only=True)
class _Record(_Check):
    """Run fences and write what they print into the pages.

    As ``check``, and besides: ``only`` are the verdicts to act on. ``dry_run`` writes nothing.
    ``once`` trusts a new output without printing it twice. ``renew`` freshens when and where a
    fence was recorded. ``told`` are other machines' runs (``reports={"jsonl": …}``) to take in;
    then nothing is run.
    """

    only: Collection[str] = RECORDABLE
    dry_run: bool = False
    once: bool = False
    renew: bool = False
    told: Sequence[str | os.PathLike[str]] = ()

    def request(self) -> Request:
        return replace(
            super().request(),
            verb="record",
            only=_several("only", self.only),
            dry_run=self.dry_run,
            once=self.once,
            renew=self.renew,
        )

    def runs(self) -> list[str]:
        return [os.fspath(file) for file in _several("told", self.told)]


def _verb(name: str, call: Callable[_Arguments, _Check]) -> Callable[_Arguments, Run]:
    """The function called ``name`` that takes what ``call`` does, and runs it."""

    def verb(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> Run:
        return call(*args, **kwargs).run()

    signature = inspect.signature(call)
    taken = {one.name: one.annotation for one in signature.parameters.values()}
    verb.__name__ = verb.__qualname__ = name
    verb.__doc__ = call.__doc__
    verb.__annotations__ = {**taken, "return": "Run"}
    vars(verb)["__signature__"] = signature.replace(return_annotation="Run")
    return verb


check = _verb("check", _Check)
record = _verb("record", _Record)


def _side_by_side(jobs: Any) -> int:
    """How many lanes that is, 0 for as many as there are cores."""
    if jobs == "auto":
        return 0
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
        raise UsageError(f"jobs={jobs!r}", 'a number from 1 on, or "auto" for all cores')
    return jobs


def _several(name: str, given: Collection[_T]) -> tuple[_T, ...]:
    if isinstance(given, (str, os.PathLike)):
        # Of a text, each letter would be one.
        raise UsageError(f"{name}={given!r} is a single one", f"write {name}=[{given!r}]")
    return tuple(given)


@contextmanager
def _reporting(reports: Reports) -> Iterator[Reporter]:
    """What events go to, until the run is over."""
    with ExitStack() as opened:
        made = []
        for name, place in reports.items():
            if name not in reporters.NAMES:
                known = ", ".join(reporters.NAMES)
                raise UsageError(f"reports: no report is called {name!r}", f"there are {known}")
            stream = _stream(place, opened)
            made.append(reporters.make(name, stream))
            opened.callback(made[-1].close)
        yield reporters.fan_out(made)


def _stream(place: str | os.PathLike[str] | TextIO, opened: ExitStack) -> TextIO:
    if not isinstance(place, (str, os.PathLike)):
        return place
    try:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        return opened.enter_context(open(place, "w", encoding="utf-8", newline="\n"))
    except OSError as error:
        raise UsageError(f"reports: {os.fspath(place)}: {error.strerror}") from None
