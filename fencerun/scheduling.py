"""Which page runs next, and where: the longest first, each taken by the first that is free. Pure.

Taking the longest first keeps every process busy until close to the end, without knowing more
than roughly how long a page takes. Knows no processes, and of a page only its place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence

from fencerun.capabilities import Requirement, parse
from fencerun.frozen import dataclass
from fencerun.members import Member
from fencerun.plan import Share


@dataclass(frozen=True, slots=True)
class Reach:
    """Which pages may run somewhere: those that need so many accelerators, ends included."""

    least: int = 0
    most: int = 0


#: Where no accelerator may be used.
PLAIN = Reach()

#: What a page needs that runs nothing: nobody has to take it.
IDLE = -1


class Waiting:
    """Pages that wait for their turn, by place in the run.

    ``weights`` are their expected seconds, ``needs`` how many accelerators each asks for.
    """

    def __init__(self, weights: Sequence[float], needs: Sequence[int]) -> None:
        self._weights = weights
        self._by_need: dict[int, list[int]] = {}
        self._end = len(weights)
        for place in sorted(range(len(weights)), key=lambda place: self._rank(place)):
            self._by_need.setdefault(needs[place], []).append(place)
        for places in self._by_need.values():
            places.reverse()  # taken from the end

    def _rank(self, place: int) -> tuple[float, int]:
        return -self._weights[place], place

    def take(self, reach: Reach) -> int | None:
        """The next page for who has that reach, None where there is none left.

        Those that need most come first: few can take them.
        """
        for need in sorted(self._by_need, reverse=True):
            places = self._by_need[need] if reach.least <= need <= reach.most else []
            while places:
                if (place := places.pop()) < self._end:
                    return place
        return None

    def cut(self, place: int) -> None:
        """No page after that one is wanted any more."""
        self._end = min(self._end, place + 1)


def weigh(shares: Iterable[Share], took: Callable[[Member], float | None]) -> list[float]:
    """Roughly how long each page's fences take, in seconds where anything is known.

    ``took`` says how long a fence ran before. One of which that is not known counts as the mean
    of those of which it is; those count too that only set the stage for others.
    """
    found = [
        [took(step.member) for chain in share.chains for step in chain.steps] for share in shares
    ]
    known = [seconds for page in found for seconds in page if seconds is not None]
    mean = math.fsum(known) / len(known) if known else 1.0
    return [math.fsum(mean if one is None else one for one in page) for page in found]


def accelerators(share: Share, own: Collection[str] = ()) -> int:
    """How many accelerators a page's fences ask for, as far as they run; IDLE if none runs."""
    if not share.chains:
        return IDLE
    steps = (step for chain in share.chains for step in chain.steps)
    names = {name for step in steps for name in step.member.requires}
    return max((asked_for(parse(name, own)) for name in names), default=0)


def asked_for(requirement: Requirement) -> int:
    """How many accelerators a requirement asks for: 0 for what needs none."""
    if not requirement.accelerated:
        return 0
    least = {">=": 0, "==": 0, ">": 1}.get(requirement.operator)
    if requirement.name != "gpus" or least is None:
        return 1
    return max(1, int(requirement.value) + least)
