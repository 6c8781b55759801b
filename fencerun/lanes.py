"""The seam between the scheduler and engines that run several pages side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from fencerun.engines.base import Engine, EngineError
from fencerun.frozen import dataclass
from fencerun.gate import Gate
from fencerun.plan import Share
from fencerun.scheduling import PLAIN, Reach, accelerators
from fencerun.unrun import Unrun

if TYPE_CHECKING:
    from fencerun.distributed.luggage import Luggage


@dataclass(frozen=True, slots=True)
class Load:
    """A page's fences: how many accelerators they ask for, and what would travel with them.

    Where none runs, ``need`` is IDLE.
    """

    page: str
    need: int
    luggage: Callable[[], Luggage]


def load(share: Share, unrun: Unrun, own: Collection[str]) -> Load:
    """The load that a page's share of the plan is; ``own`` are the project's own capabilities."""
    path = share.page.path

    def packed() -> Luggage:
        from fencerun import files
        from fencerun.distributed import luggage

        return luggage.pack(unrun.settled[path], unrun.beside(path), files.read(path))

    return Load(path, accelerators(share, own), packed)


@dataclass(frozen=True, slots=True)
class Lane:
    """One of the places where pages run one after another.

    ``gate`` says what may run there, where that is not what may run here. ``begin`` is called
    with a page's place, waits until it can run there, and may raise Lost.
    """

    engine: Engine
    reach: Reach = PLAIN
    gate: Gate | None = None
    begin: Callable[[int], None] = lambda _: None


class Lost(EngineError):
    """What ran a page is gone, through no fault of its own: the page is to run again elsewhere."""


@runtime_checkable
class SideBySide(Engine, Protocol):
    """An engine that runs pages side by side. By itself it may run nothing but no chains."""

    #: Whether its lanes may raise Lost, so that nothing is told of a page that has not ended.
    fragile: bool

    def lanes(self, loads: Sequence[Load]) -> Sequence[Lane]:
        """Lanes for these pages, such that each that is not idle has one that reaches it."""
        ...

    def halt(self) -> None:
        """End what every lane is doing. Called by another thread, and more than once."""
        ...
