"""Threads that take turns: all that judges and writes runs on one at a time, as in a serial run.

Only while an engine is waited for, the turn is somebody else's. So nothing above an engine has to
be made for threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import TypeVar

from fencerun.engines.base import Chain, Engine, EngineEvent
from fencerun.engines.lent import Lent

T = TypeVar("T")


class Halted(Exception):
    """Nobody wants the rest."""


class TakingTurns(Lent):
    """An engine, as the thread sees it that holds ``turn`` and gives it up while it waits.

    ``halted`` is asked whenever the engine has answered; then Halted is raised.
    """

    def __init__(self, engine: Engine, turn: Lock, halted: Callable[[], bool]) -> None:
        super().__init__(engine)
        self._turn, self._halted = turn, halted

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        """As the engine does. Raises Halted."""
        events = self._engine.run(self._in_turn(chains))
        try:
            while (event := self._away(lambda: next(events, None))) is not None:
                yield event
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()

    def _away(self, wait: Callable[[], T]) -> T:
        self._turn.release()
        try:
            found = wait()
        finally:
            self._turn.acquire()
        if self._halted():
            raise Halted
        return found

    def _in_turn(self, chains: Iterable[Chain]) -> Iterator[Chain]:
        """The chains, each made in turn although the engine asks for it while it is waited for."""
        left = iter(chains)
        while True:
            with self._turn:
                chain = next(left, None)
            if chain is None:
                return
            yield chain

    def fresh(self) -> None:
        """As the engine does."""
        self._away(self._engine.fresh)
