"""What the server shows and what it can be told to do: the seam between HTTP and lessons.

The routes know this and nothing behind it; `desk` fills it from the live core, tests from a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from fencerun.events import Problem
from fencerun.frozen import dataclass
from fencerun.rendering import Heading
from fencerun.serve.hub import Hub
from fencerun.serve.tokens import Tokens

#: ``run`` and ``record`` act on the fences that are named, or on all of the page; ``stale`` runs
#: what is shown as stale.
Verb = Literal["run", "record", "stale", "stop"]


@dataclass(frozen=True, slots=True)
class Order:
    """Something to do. Without ``fences`` it is about all of ``page``, without that about all."""

    verb: Verb
    page: str = ""
    fences: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A lesson in the list. ``state`` is one word, the gravest of its fences' or ``unread``."""

    path: str
    title: str
    state: str = "unread"
    #: How many fences it has, and how many of them are in each state.
    fences: int = 0
    counts: tuple[tuple[str, int], ...] = ()

    def data(self) -> dict[str, Any]:
        """As the browser gets it."""
        return {
            "path": self.path,
            "title": self.title,
            "state": self.state,
            "fences": self.fences,
            "counts": dict(self.counts),
        }


@dataclass(frozen=True, slots=True)
class Lesson:
    """A page as it is shown. ``body`` is safe HTML; ``version`` changes when the page does.

    ``at`` is the number of the last message that ``body`` certainly knows of; ``called`` is the
    page as the command line calls it.
    """

    line: Line
    body: str
    headings: tuple[Heading, ...]
    problems: tuple[Problem, ...]
    version: str
    at: int
    called: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A line of a page that was looked for. ``number`` counts from 1."""

    path: str
    title: str
    number: int
    text: str


class State(Protocol):
    """All calls may come from any thread. They wait for the pages to be read, and for no more."""

    tokens: Tokens
    hub: Hub
    #: What pages are called relative to.
    base: Path

    @property
    def opened(self) -> bool:
        """Whether the pages are read."""
        ...

    def status(self) -> dict[str, Any]:
        """``run``, ``about`` and ``trouble``: what is going on besides lessons."""
        ...

    def lines(self) -> Sequence[Line]:
        """The lessons, in order."""
        ...

    def lesson(self, path: str) -> Lesson | None:
        """The lesson called ``path``; None where there is none."""
        ...

    def directories(self) -> Sequence[Path]:
        """Where lessons lie: what is below may be shown on them."""
        ...

    def search(self, words: str) -> Sequence[Hit]:
        """Lines that hold all of ``words``."""
        ...

    def act(self, order: Order) -> str:
        """Have it done soon. Returns why it cannot be, empty where it can."""
        ...
