"""An engine that runs nothing: it gives what fences printed before, to be judged anew.

For a page whose recordings or tolerances changed while its code did not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fencerun.engines.base import Blocked, Chain, Closing, EngineEvent, Finished, Job
from fencerun.engines.standing import Place
from fencerun.result import Failure, Outcome


class Replay(Closing):
    """Gives the outcomes that it was handed, of every fence that it is asked to run."""

    isolates = True

    def __init__(self, outcomes: Mapping[Place, Outcome], about: str = "") -> None:
        self._outcomes, self._about = outcomes, about

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        """Finished and Blocked, as of the run that the outcomes are from."""
        for chain in chains:
            by: str | None = None
            for job in chain.jobs:
                if by is not None:
                    yield Blocked(job.key, by)
                    continue
                outcome = self._outcomes[chain.page, job.number]
                yield Finished(job.key, outcome)
                if _ends_chain(job, outcome.failure):
                    by = job.key

    def describe(self) -> str:
        """The engine that the outcomes are from."""
        return self._about

    def fresh(self) -> None:
        """There is no process."""

    def close(self) -> None:
        """There is no process."""


def _ends_chain(job: Job, failure: Failure | None) -> bool:
    if failure is None:
        return False
    return not (job.may_raise and failure.kind in ("exception", "exit", "syntax"))
