"""Each environment in turn: built, and the pages checked in it.

Puts builder, session and table together; the only file of the matrix that knows sessions.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TextIO, cast

from fencerun import launch, state
from fencerun.events import Event, Problem, RunDone, Verdict
from fencerun.frozen import dataclass
from fencerun.matrix.environments import Builder, NotBuilt
from fencerun.matrix.table import Column, overall, table
from fencerun.matrix.wish import Wish
from fencerun.pasting import pasted
from fencerun.reporters.details import INDENT, details
from fencerun.reporters.escape import encodable, one_line
from fencerun.reporters.jsonl import JsonlReporter
from fencerun.reporters.wording import Line, Span, head, needs_attention, problem_head, text
from fencerun.request import Request

#: Red fences that are told one by one, in each environment.
_TOLD = 20


@dataclass(frozen=True, slots=True)
class Sweep:
    """A matrix over one request. ``written`` gets every event as JSON lines, where it is given."""

    request: Request
    builder: Builder
    show: Callable[[Line], None]
    without: Sequence[str] = ()
    verbose: int = 0
    written: TextIO | None = None
    #: Problems that were shown.
    told: set[Problem] = field(default_factory=set)

    def run(self, wishes: Sequence[Wish]) -> int:
        """Check in each environment, tell what was found, and return the exit code.

        Raises KeyboardInterrupt when a check was interrupted.
        """
        columns = [self._one(wish) for wish in wishes]
        for line in table(columns, bool(self.verbose)):
            self.show(line)
        return overall(columns)

    def _one(self, wish: Wish) -> Column:
        try:
            with self.builder.environment(wish) as python:
                return self._checked(wish, python)
        except NotBuilt as error:
            self._say(str(error))
            for line in error.last:
                self.show((Span("margin", f"{INDENT}| "), Span("quoted", one_line(line))))
            return Column(wish.label, error.exit_code)

    def _checked(self, wish: Wish, python: Path) -> Column:
        written = None if self.written is None else JsonlReporter(_marked(self.written, wish.label))

        def emit(event: Event) -> None:
            if written is not None:
                written.handle(event)

        session = launch.session(
            self.request, emit, python=str(python), without=self.without, root=self.builder.root
        )
        env = {**session.project.env, **self._caches(session.project.env, python)}
        done = replace(session, project=replace(session.project, env=env)).run()
        self._tell(wish, python, done)
        if done.interrupted:
            raise KeyboardInterrupt
        return Column(wish.label, done.exit_code, {one.id: one for one in done.verdicts})

    def _caches(self, env: Mapping[str, str], python: Path) -> dict[str, str]:
        """Caches of compilers that each environment has for itself.

        An extension that was compiled against one torch does not load into another.
        """
        shared = self.builder.root / state.DIRECTORY / "cache"
        own = python.parent.parent / "cache"
        return {
            name: str(own / Path(value).name)
            for name, value in env.items()
            if Path(value).parent == shared
        }

    def _tell(self, wish: Wish, python: Path, done: RunDone) -> None:
        """What is red, a line each, and how to see more of it."""
        red = [verdict for verdict in done.verdicts if needs_attention(verdict)]
        for problem in done.problems:
            # A page has the same ones in each environment.
            if problem not in self.told:
                self.told.add(problem)
                self.show(problem_head(problem))
        for verdict in red[:_TOLD]:
            self._verdict(wish, verdict)
        for note in done.notes:
            self._say(f"{wish.label}: {one_line(note)}")
        if len(red) > _TOLD:
            self._say(f"{wish.label}: and {len(red) - _TOLD:,} more")
        if done.rerun:
            there = pasted(os.path.relpath(python))
            self._say(f"to see more: {one_line(done.rerun)} --python {there}")

    def _verdict(self, wish: Wish, verdict: Verdict) -> None:
        self.show((*head(verdict), Span("faint", f" [{one_line(wish.label)}]")))
        for line in details(verdict, self.verbose - 1) if self.verbose else ():
            self.show(line)

    def _say(self, words: str) -> None:
        self.show((Span("text", words),))


class _Marked:
    """A stream of JSON lines, each of which gets the environment that it is about."""

    def __init__(self, stream: TextIO, label: str) -> None:
        self._stream = stream
        self._end = f',"environment":{json.dumps(label)}}}\n'

    def write(self, line: str) -> int:
        return self._stream.write(line.removesuffix("}\n") + self._end)

    def flush(self) -> None:
        self._stream.flush()


def _marked(stream: TextIO, label: str) -> TextIO:
    return cast(TextIO, _Marked(stream, label))


def plain(stream: TextIO) -> Callable[[Line], None]:
    """What writes lines to a stream that is no terminal."""

    def show(line: Line) -> None:
        words = f"{text(line).rstrip()}\n"
        stream.write(encodable(words, getattr(stream, "encoding", None)))
        stream.flush()

    return show


def progress(stream: TextIO) -> Callable[[str, str], None]:
    """What a builder tells about itself, on ``stream``."""

    def say(label: str, words: str) -> None:
        stream.write(f"{one_line(label)} {words}\n")
        stream.flush()

    return say
