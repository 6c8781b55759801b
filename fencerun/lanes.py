"""The seam between the scheduler and engines that run several pages side by side. Types only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from fencerun.engines.base import Engine, EngineError
from fencerun.frozen import dataclass
from fencerun.gate import Gate
from fencerun.scheduling import PLAIN, Reach


@dataclass(frozen=True, slots=True)
class Lane:
    """One of the places where pages run one after another.

    ``gate`` says what may run there, where that is not what may run here.
    """

    engine: Engine
    reach: Reach = PLAIN
    gate: Gate | None = None


class Lost(EngineError):
    """What ran a page is gone, through no fault of its own: the page is to run again elsewhere."""


@runtime_checkable
class SideBySide(Protocol):
    """What an engine has besides that runs pages side by side."""

    #: Whether its lanes may raise Lost, so that nothing is told of a page that has not ended.
    fragile: bool

    def lanes(self, needs: Sequence[int]) -> Sequence[Lane]:
        """Lanes for pages that need so many accelerators each; every page has one."""
        ...

    def halt(self) -> None:
        """End what every lane is doing. Called by another thread, and more than once."""
        ...
