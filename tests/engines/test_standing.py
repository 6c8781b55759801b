"""The engine that outlives its runs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fencerun.engines.base import Chain, EngineError, Finished, Job
from fencerun.engines.standing import StandingEngine
from fencerun.worker import children

from .conftest import OPTIONS


@pytest.fixture
def engine() -> Iterator[StandingEngine]:
    before = set(children.descendants(os.getpid()))
    one = StandingEngine(OPTIONS)
    yield one
    one.end()
    one.end()
    assert not set(children.descendants(os.getpid())) - before


def chain(directory: Path, *codes: str, isolated: bool = False) -> Chain:
    jobs = tuple(Job(f"0.{n}", n, code, 1, timeout=60.0) for n, code in enumerate(codes, 1))
    return Chain("a.md", str(directory), jobs, isolated)


def said(engine: StandingEngine, *chains: Chain) -> list[str]:
    """What each fence printed."""
    with engine as lent:
        events = list(lent.run(chains))
    return [e.outcome.output.decode().strip() for e in events if isinstance(e, Finished)]


PID = "import os; print(os.getpid())"


def test_a_process_is_ready_before_its_run_and_ends_after_it(
    engine: StandingEngine, tmp_path: Path
) -> None:
    engine.prepare()
    below = set(children.descendants(os.getpid()))
    first = said(engine, chain(tmp_path, PID))[0]
    assert int(first) in below
    assert said(engine, chain(tmp_path, PID)) == [first]
    engine.prepare()
    second = said(engine, chain(tmp_path, PID))[0]
    assert second != first and not children.command(int(first))


def test_nothing_of_the_first_chain_is_there(engine: StandingEngine, tmp_path: Path) -> None:
    engine.prepare()
    code = "import sys; print(sorted(globals())[-1], sys.argv, sys.path[0] == '" + f"{tmp_path}')"
    assert said(engine, chain(tmp_path, code)) == ["sys ['a.md'] True"]
    assert engine.outcomes["a.md", 1].output


def test_stop_ends_what_runs(engine: StandingEngine, tmp_path: Path) -> None:
    engine.prepare()
    for isolated in (False, True):
        threading.Timer(0.3, engine.stop).start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            said(
                engine,
                chain(tmp_path, "print(1)", "import time; time.sleep(60)", isolated=isolated),
            )
        assert time.monotonic() - began < 30
        assert [place[1] for place in engine.outcomes] == [1]
        with pytest.raises(KeyboardInterrupt):
            said(engine, chain(tmp_path, PID, isolated=True))
        engine.prepare()
        assert said(engine, chain(tmp_path, "print('again')")) == ["again"]
        engine.outcomes.clear()


def test_abandoned_it_gives_nothing_any_more(engine: StandingEngine, tmp_path: Path) -> None:
    engine.prepare()
    engine.abandon()
    with pytest.raises((EngineError, KeyboardInterrupt)):
        engine.prepare()


def test_its_processes_may_end_without_it(engine: StandingEngine, tmp_path: Path) -> None:
    engine.prepare()
    for pid in children.descendants(os.getpid()):
        os.kill(pid, 9)
    assert said(engine, chain(tmp_path, "print('on')")) == ["on"]
