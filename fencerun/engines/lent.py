"""An engine as a run gets it that did not open it, and so must not close it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fencerun.engines.base import Chain, Closing, Engine, EngineEvent


class Lent(Closing):
    """Does as the engine does, but for the end: whoever opened the engine closes it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.isolates = engine.isolates

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        """As the engine does."""
        return self._engine.run(chains)

    def describe(self) -> str:
        """As the engine does."""
        return self._engine.describe()

    def fresh(self) -> None:
        """As the engine does."""
        self._engine.fresh()
