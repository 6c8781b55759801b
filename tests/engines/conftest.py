"""Engines under test, and short ways to say what they run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fencerun.engines.base import Blocked, Chain, Engine, EngineEvent, EngineOptions, Finished, Job
from fencerun.engines.inprocess import InProcessEngine
from fencerun.engines.pool import Pool
from fencerun.engines.worker import WorkerEngine
from fencerun.result import Outcome

OPTIONS = EngineOptions(python=sys.executable, flood=1 << 20)

ENGINES: dict[str, Callable[[EngineOptions], Any]] = {
    "zygote": lambda options: WorkerEngine(options, grace=0.4),
    "plain": lambda options: WorkerEngine(options, plain=True, grace=0.4),
    "inprocess": InProcessEngine,
    "pool": lambda options: Pool(options, 2, grace=0.4),
}


class Bench:
    """An engine with a directory to run in."""

    def __init__(self, engine: Engine, directory: Path) -> None:
        self.engine = engine
        self.directory = directory

    def chain(
        self, *codes: str, page: str = "lesson.md", isolated: bool = False, **job: Any
    ) -> Chain:
        """A chain whose fence K starts on page line 10·K and has the key ``page::K``."""
        jobs = tuple(
            Job(f"{page}::{number}", number, code, 10 * number, **{"timeout": 20.0, **job})
            for number, code in enumerate(codes, 1)
        )
        return Chain(page, str(self.directory), jobs, isolated)

    def events(self, *chains: Chain) -> list[EngineEvent]:
        """Everything that running the chains yields."""
        return list(self.engine.run(chains))

    def ends(self, *chains: Chain) -> list[Outcome | Blocked]:
        """How each job ended, in order; checks that each did, once."""
        found = [event for event in self.events(*chains) if isinstance(event, (Finished, Blocked))]
        assert [event.key for event in found] == [job.key for chain in chains for job in chain.jobs]
        return [event.outcome if isinstance(event, Finished) else event for event in found]

    def outcomes(self, *chains: Chain) -> list[Outcome]:
        """The outcomes of jobs none of which may be blocked."""
        found = self.ends(*chains)
        assert all(isinstance(end, Outcome) for end in found), found
        return [end for end in found if isinstance(end, Outcome)]

    def one(self, code: str, **job: Any) -> Outcome:
        """The outcome of a chain of one fence."""
        (found,) = self.outcomes(self.chain(code, **job))
        return found


@pytest.fixture(scope="module", params=ENGINES)
def any_engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with ENGINES[request.param](OPTIONS) as engine:
        yield engine


@pytest.fixture(scope="module", params=["zygote", "plain", "pool"])
def isolating_engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with ENGINES[request.param](OPTIONS) as engine:
        yield engine


@pytest.fixture
def bench(any_engine: Engine, tmp_path: Path) -> Bench:
    """Each engine in turn."""
    return Bench(any_engine, tmp_path)


@pytest.fixture
def supervised(isolating_engine: Engine, tmp_path: Path) -> Bench:
    """Each engine that survives what a fence does to its process."""
    return Bench(isolating_engine, tmp_path)
