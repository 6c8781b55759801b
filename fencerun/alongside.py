"""Runs of an audit side by side, on the lanes of an engine.

What needs an accelerator is left to one lane, as when pages run side by side. Knows nothing of
what is looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from fencerun.audit import Company, Seens, see
from fencerun.engines.base import Engine
from fencerun.events import Event
from fencerun.frozen import dataclass
from fencerun.lanes import Lane, Load, SideBySide
from fencerun.members import Member
from fencerun.plan import Share
from fencerun.running import Runner
from fencerun.scheduling import accelerators, weigh
from fencerun.spread import Spread

if TYPE_CHECKING:
    from fencerun.distributed.luggage import Luggage


@dataclass(frozen=True, slots=True)
class Alongside:
    """Runs companies on ``engine``, the longest first.

    ``runner`` makes what runs chains on a lane; ``took`` says how many seconds a fence ran before;
    ``own`` are the project's own capabilities.
    """

    engine: SideBySide
    runner: Callable[[Engine], Runner]
    took: Callable[[Member], float | None]
    own: Collection[str]

    def __call__(self, companies: Sequence[Company]) -> list[Seens]:
        """What was seen in each, in order."""
        seen: dict[int, Seens] = {}

        def run(place: int, lane: Lane, tell: Callable[[Event], None]) -> Sequence[str]:
            seen[place] = see(self.runner(lane.engine), lane.engine.fresh, companies[place])
            return ()

        shares = [_share(company) for company in companies]
        loads = [Load(one.page.path, accelerators(one, self.own), _stays) for one in shares]
        weights = weigh(shares, self.took)
        Spread(self.engine, run, weights, loads, lambda event: None, lambda note: None).run()
        return [seen[place] for place in range(len(companies))]


def _share(company: Company) -> Share:
    """All that runs in a company, as if it were the share of a page."""
    chains = (*company.before, *company.chains)
    return Share(chains[0].page, chains, (), 0)


def _stays() -> Luggage:
    raise AssertionError("an audit runs on this machine")
