"""The engine of the open pages: started once, and anew where what they ask for is another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from fencerun.engines.base import EngineOptions
from fencerun.engines.standing import StandingEngine
from fencerun.events import EngineReady
from fencerun.live.reading import Reading
from fencerun.plan import Plan
from fencerun.session import Session

#: Loaded one by one: each goes on where the one before it ends.
_ORDER = ("numpy", "torch", "torch._dynamo")


def options(session: Session, readings: Iterable[Reading]) -> EngineOptions:
    """How the fences of these pages run."""
    wanted = {name for reading in readings for name in reading.loads}
    loads = sorted(wanted, key=lambda n: (_ORDER.index(n) if n in _ORDER else len(_ORDER), n))
    return replace(session.options(Plan()), preload=tuple(loads))


def serves(engine: StandingEngine, wanted: EngineOptions) -> bool:
    """Whether an engine that runs already is good for these options."""
    has = engine.options
    more = set(wanted.preload) <= set(has.preload)
    return more and replace(has, preload=wanted.preload) == wanted


class Warm:
    """Holds the engine. ``make`` makes one; ``stop`` and ``abandon`` are for other threads."""

    def __init__(
        self,
        emit: Callable[[EngineReady], None],
        make: Callable[[EngineOptions], StandingEngine] = StandingEngine,
    ) -> None:
        self._emit, self._make = emit, make
        self.engine: StandingEngine | None = None
        self.about = ""
        self._over = False

    def start(self, wanted: EngineOptions) -> StandingEngine:
        """The engine, which begins to load what is wanted where it has not."""
        if self.engine is not None and not serves(self.engine, wanted):
            self.end()
        if self.engine is None:
            self.engine = self._make(wanted)
            self.engine.start()
            if self._over:
                self.engine.abandon()
        return self.engine

    def ready(self, wanted: EngineOptions) -> StandingEngine:
        """The engine, with all loaded; told where that is news. Raises EngineError."""
        began = time.monotonic()
        engine = self.start(wanted)
        if not self.about:
            self.about = engine.describe()
            self._emit(EngineReady(self.about, time.monotonic() - began))
        return engine

    def stop(self) -> None:
        """End what runs now."""
        if self.engine is not None:
            self.engine.stop()

    def abandon(self) -> None:
        """End every process; ``end`` is still to be called."""
        self._over = True
        if self.engine is not None:
            self.engine.abandon()

    def end(self) -> None:
        """End the engine, if there is any."""
        if self.engine is not None:
            self.engine.end()
        self.engine, self.about = None, ""
