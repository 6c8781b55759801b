"""The Python API: what ``fencerun check`` and ``fencerun record`` do, as functions.

Nothing of the calling process changes: not its directory, its streams or its signal handlers, and
its children stay its own. Nothing is printed unless ``reports`` asks for it. What a fence does
never raises; a call or a configuration that makes no sense does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from fencerun import launch, reporters
from fencerun.errors import UsageError
from fencerun.events import Event, Problem, Verdict
from fencerun.frozen import dataclass
from fencerun.session import RECORDABLE, Request

#: A page or directory, or a fence as ``page.md::3``.
Target = str | os.PathLike[str]

#: By name (``plain``, ``github``, ``junit``, ``jsonl``, ``rich``), where each report is written:
#: a file's path, or an open text stream, which stays open.
Reports = Mapping[str, str | os.PathLike[str] | TextIO]


@dataclass(frozen=True, slots=True)
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


def check(
    paths: Target | Sequence[Target] = (),
    *,
    select: str | None = None,
    requires: Collection[str] = (),
    python: str | os.PathLike[str] | None = None,
    without: Collection[str] = (),
    must_have: Collection[str] = (),
    reports: Reports | None = None,
    allow_empty: bool = False,
    root: str | os.PathLike[str] | None = None,
) -> Run:
    """Run fences and compare what they print with the pages. Writes no page.

    ``paths`` are relative to the working directory; without any, the pages that the project's
    configuration names. ``select`` leaves only fences whose id or code holds that text,
    ``requires`` those that need one of these capabilities. ``python`` is the interpreter that
    runs them, ``without`` are capabilities to treat as absent, ``must_have`` those without which
    nothing is run. ``root`` is the project's root, by default that of the working directory.

    Raises FencerunError: UsageError where an argument or the configuration makes no sense,
    EngineError where no fence can be run at all; and KeyboardInterrupt once a run that was
    interrupted has been cleaned up.
    """
    request = Request(
        "check",
        launch.targets(_names(paths)),
        select,
        _words("requires", requires),
        allow_empty=allow_empty,
        carry="jsonl" in (reports or ()),
    )
    return _run(request, python, without, must_have, (), reports, root)


def record(
    paths: Target | Sequence[Target] = (),
    *,
    select: str | None = None,
    requires: Collection[str] = (),
    python: str | os.PathLike[str] | None = None,
    without: Collection[str] = (),
    must_have: Collection[str] = (),
    reports: Reports | None = None,
    allow_empty: bool = False,
    root: str | os.PathLike[str] | None = None,
    only: Collection[str] = RECORDABLE,
    dry_run: bool = False,
    once: bool = False,
    renew: bool = False,
    told: Sequence[str | os.PathLike[str]] = (),
) -> Run:
    """Run fences and write what they print into the pages.

    As ``check``, and besides: ``only`` are the verdicts to act on. ``dry_run`` writes nothing.
    ``once`` trusts a new output without printing it twice. ``renew`` freshens when and where a
    fence was recorded. ``told`` are other machines' runs (``reports={"jsonl": …}``) to take in;
    then nothing is run.
    """
    request = Request(
        "record",
        launch.targets(_names(paths)),
        select,
        _words("requires", requires),
        only=tuple(only),
        dry_run=dry_run,
        once=once,
        renew=renew,
        allow_empty=allow_empty,
        carry="jsonl" in (reports or ()),
    )
    return _run(request, python, without, must_have, told, reports, root)


def _names(paths: Target | Sequence[Target]) -> list[str]:
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    return [os.fspath(path) for path in several]


def _run(
    request: Request,
    python: str | os.PathLike[str] | None,
    without: Collection[str],
    must_have: Collection[str],
    told: Sequence[str | os.PathLike[str]],
    reports: Reports | None,
    root: str | os.PathLike[str] | None,
) -> Run:
    with _reporting(reports or {}) as emit:
        session = launch.session(
            request,
            emit,
            python=None if python is None else os.fspath(python),
            without=_words("without", without),
            must_have=_words("must_have", must_have),
            told=[os.fspath(file) for file in told],
            root=None if root is None else Path(root).absolute(),
        )
        done = launch.run(session)
    if done.interrupted:
        raise KeyboardInterrupt
    return Run(done.exit_code, done.verdicts, done.problems, done.seconds, done.notes)


def _words(name: str, words: Collection[str]) -> tuple[str, ...]:
    if isinstance(words, str):
        # Its letters would all be words.
        raise UsageError(f"{name}={words!r} is a text", f"write {name}=[{words!r}]")
    return tuple(words)


@contextmanager
def _reporting(reports: Reports) -> Iterator[Callable[[Event], None]]:
    """Where events go, until the run is over."""
    with ExitStack() as opened:
        made = []
        for name, place in reports.items():
            if name not in reporters.NAMES:
                known = ", ".join(reporters.NAMES)
                raise UsageError(f"reports: no report is called {name!r}", f"there are {known}")
            stream = _stream(place, opened)
            made.append(reporters.make(name, stream))
            opened.callback(made[-1].close)
        yield reporters.fan_out(made).handle


def _stream(place: str | os.PathLike[str] | TextIO, opened: ExitStack) -> TextIO:
    if not isinstance(place, (str, os.PathLike)):
        return place
    try:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        return opened.enter_context(open(place, "w", encoding="utf-8", newline="\n"))
    except OSError as error:
        raise UsageError(f"reports: {os.fspath(place)}: {error.strerror}") from None
