"""Reporters: consumers of the event stream. This file picks one and knows nothing of their looks.

Importing it is cheap: each reporter is imported when it is asked for, so that `plain` never pays
for rich. None of them reads the environment, save that rich looks at NO_COLOR and TERM.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TextIO, get_args

from fencerun.events import Event

#: What `--report` may name.
Name = Literal["rich", "plain", "github", "junit", "jsonl"]
NAMES: tuple[str, ...] = get_args(Name)


class Reporter(Protocol):
    """Shows, or writes down, the events of one run."""

    def handle(self, event: Event) -> None:
        """Take the next event. Called from one thread, in the order in which things happened."""
        ...

    def close(self) -> None:
        """Finish, also after a run that broke off. Safe to call twice; leaves the stream open."""
        ...


def make(
    name: str,
    stream: TextIO,
    *,
    color: bool | None = None,
    width: int | None = None,
    verbose: int = 0,
    summary: str | None = None,
    beside: bool = False,
) -> Reporter:
    """The reporter called ``name``, writing to ``stream``.

    ``color`` and ``width`` (columns) default to what the terminal says; only ``rich`` heeds them,
    and ``plain`` the width. ``beside`` shows diffs side by side, in these two, where there is room.
    ``summary`` is the file that ``github`` appends its job summary to, the value of
    ``GITHUB_STEP_SUMMARY``. Raises ValueError for a name that is not in NAMES.
    """
    if name == "plain":
        from fencerun.reporters.plain import PlainReporter

        return PlainReporter(stream, verbose=verbose, width=width, beside=beside)
    if name == "rich":
        from fencerun.reporters.rich import RichReporter

        return RichReporter(stream, color=color, width=width, verbose=verbose, beside=beside)
    if name == "github":
        from fencerun.reporters.github import GithubReporter

        return GithubReporter(stream, summary=summary)
    if name == "junit":
        from fencerun.reporters.junit import JunitReporter

        return JunitReporter(stream)
    if name == "jsonl":
        from fencerun.reporters.jsonl import JsonlReporter

        return JsonlReporter(stream)
    raise ValueError(f"no reporter is called {name!r}; there are {', '.join(NAMES)}")


def ahead(reporter: Reporter) -> Callable[[Event], None]:
    """What takes events as they happen where pages run side by side, each before ``handle`` does.

    Only a reporter that shows how far things are has a use for it: its ``ahead``.
    """
    found: Callable[[Event], None] = getattr(reporter, "ahead", _nothing)
    return found


def _nothing(event: Event) -> None:
    """Its time will come."""


class _FanOut:
    """Several reporters as one, in order."""

    def __init__(self, reporters: Sequence[Reporter]) -> None:
        self._reporters = tuple(reporters)

    def handle(self, event: Event) -> None:
        for reporter in self._reporters:
            reporter.handle(event)

    def ahead(self, event: Event) -> None:
        for reporter in self._reporters:
            ahead(reporter)(event)

    def close(self) -> None:
        """Close each one, whatever the others do; the first error is raised at the end."""
        first: Exception | None = None
        for reporter in self._reporters:
            try:
                reporter.close()
            except Exception as error:
                first = first or error
        if first is not None:
            raise first


def fan_out(reporters: Sequence[Reporter]) -> Reporter:
    """One reporter that hands each event to all of ``reporters``, in order."""
    return reporters[0] if len(reporters) == 1 else _FanOut(reporters)
