"""Lanes and the engine that has them, with a cluster that is made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from fencerun.capabilities import parse
from fencerun.distributed import lane as remote
from fencerun.distributed.engine import Distributed, RayEngine
from fencerun.distributed.lane import Cut, RemoteLane, RemoteProber
from fencerun.distributed.luggage import Luggage
from fencerun.distributed.room import fits, in_words
from fencerun.distributed.station import Answers, Contract
from fencerun.engines.base import (
    Blocked,
    Chain,
    EngineError,
    EngineEvent,
    EngineOptions,
    Finished,
    Job,
    Started,
)
from fencerun.errors import UsageError
from fencerun.lanes import Load, Lost, SideBySide
from fencerun.result import Outcome
from fencerun.scheduling import IDLE

LUGGAGE = Luggage(".", {}, {}, ("cuda", "slow"))
CHAIN = Chain("p.md", "/", (Job("0.0", 1, "", 2), Job("0.1", 2, "", 9)))
EVENTS: list[EngineEvent] = [
    Started("0.0"),
    Finished("0.0", Outcome()),
    Blocked("0.1", "0.0"),
]


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_PAUSE", 0.0)


class Made:
    """A link that gives these events, and is cut after some of what it is asked."""

    node = "nodename"

    def __init__(self, events: Sequence[EngineEvent] = EVENTS, asked: int = 99) -> None:
        self._events, self._left = events, asked
        self.said: list[str] = []

    def _ask(self, what: str) -> None:
        self.said.append(what)
        self._left -= 1
        if self._left < 0:
            raise Cut("the plug was pulled")

    def open(self, luggage: Luggage) -> Answers:
        self._ask("open")
        return Answers({"cuda": "no CUDA device", "slow": None}, "cpu", {"python": "3.99"})

    def run(self, chains: Sequence[Chain]) -> Iterator[EngineEvent]:
        for event in self._events:
            self._ask("run")
            yield event

    def fresh(self) -> None:
        self._ask("fresh")

    def halt(self) -> None:
        self.said.append("halt")

    def cut(self) -> None:
        self.said.append("cut")

    def close(self) -> None:
        self.said.append("close")


def lane(*links: Made) -> RemoteLane:
    left = iter(links)
    return RemoteLane(lambda given_up: next(left))  # type: ignore[arg-type, return-value]


def test_a_page_at_a_station() -> None:
    link = Made()
    one = lane(link)
    one.begin("p.md", LUGGAGE)
    assert list(one.run([CHAIN])) == EVENTS
    one.fresh()
    one.begin("q.md", LUGGAGE)
    one.close()
    one.close()
    assert link.said == ["open", *["run"] * 3, "fresh", "open", "close"], "one station for both"


def test_nothing_to_run_needs_no_station() -> None:
    assert list(lane().run([Chain("p.md", "/", ())])) == []


@pytest.mark.parametrize("asked", range(5), ids=["open", "run", "run 2", "run 3", "fresh"])
def test_a_node_that_is_lost(asked: int) -> None:
    one = lane(Made(asked=asked), Made())
    with pytest.raises(Lost, match=r"p\.md ran again .*: nodename was lost \(the plug was pulled"):
        one.begin("p.md", LUGGAGE)
        list(one.run([CHAIN]))
        one.fresh()
    one.begin("p.md", LUGGAGE)
    assert list(one.run([CHAIN])) == EVENTS, "on the next one"


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_station_that_falls_silent_does_not_leave_fences_out(count: int) -> None:
    one = lane(Made(EVENTS[:count]))
    one.begin("p.md", LUGGAGE)
    with pytest.raises(Lost, match="without a word on"):
        list(one.run([CHAIN]))


def test_halting_asks_first_and_then_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    link = Made()
    one = lane(link)
    one.begin("p.md", LUGGAGE)
    one.halt()
    one.halt()
    monkeypatch.setattr(remote, "_PATIENCE", -1.0)
    one.halt()
    assert link.said == ["open", "halt", "cut"]
    with pytest.raises(EngineError, match="halted"):
        list(one.run([CHAIN]))


def test_the_node_answers_for_itself() -> None:
    one = lane(Made())
    one.begin("p.md", LUGGAGE)
    prober = RemoteProber(one)
    assert prober.unmet(parse("cuda")) == "no CUDA device"
    assert prober.unmet(parse("slow")) is None
    assert prober.unmet(parse("nvcc")) == "it was not asked for on the node"
    assert (prober.device(), prober.versions()) == ("cpu", {"python": "3.99"})


# The engine.

NODES = [{"CPU": 4.0}, {"CPU": 8.0, "GPU": 2.0}]


class FakeCluster:
    def __init__(self, *nodes: dict[str, float]) -> None:
        self._nodes = list(nodes)
        self.asked: list[tuple[int, int]] = []

    def nodes(self) -> list[dict[str, float]]:
        return self._nodes

    def station(
        self, contract: Contract, gpus: int, cpus: int, given_up: Callable[[], bool]
    ) -> Made:
        self.asked.append((gpus, cpus))
        return Made()

    def close(self) -> None:
        """Nothing."""


def loads(*needs: int) -> list[Load]:
    return [Load(f"{place}.md", need, lambda: LUGGAGE) for place, need in enumerate(needs)]


def engine(jobs: int | None = None, threads: int = 1) -> RayEngine:
    options = EngineOptions("python3", threads=threads)
    return RayEngine(FakeCluster(*NODES), Contract(options), jobs)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("needs", "jobs", "threads", "lanes"),
    [
        ([0] * 3, None, 1, [0] * 3),
        ([0] * 50, None, 1, [0] * 12),
        ([0] * 50, None, 4, [0] * 3),
        ([0] * 50, 5, 1, [0] * 5),
        ([1] * 9, None, 1, [1] * 2),
        ([2] * 9, None, 1, [2]),
        ([0, 1, 1, 2, IDLE], None, 1, [2, 1, 1, 0]),
        ([0, 0, 1, 1], 2, 1, [1, 1, 0]),
        ([IDLE], None, 1, []),
        ([3], None, 1, [3]),
    ],
    ids=str,
)
def test_lanes(needs: list[int], jobs: int | None, threads: int, lanes: list[int]) -> None:
    found = engine(jobs, threads).lanes(loads(*needs))
    assert [(one.reach.least, one.reach.most) for one in found] == [(g, g) for g in lanes]
    for need in set(needs) - {IDLE}:
        assert any(one.reach.least <= need <= one.reach.most for one in found)


def test_a_lane_asks_for_what_its_pages_need_when_the_first_one_begins() -> None:
    with engine(threads=2) as made:
        cluster: Any = made._cluster
        first, second = made.lanes(loads(1, 0))
        assert cluster.asked == []
        second.begin(1)
        first.begin(0)
        assert cluster.asked == [(0, 2), (1, 2)]
        assert first.gate is not None
        assert first.gate.unmet("cuda") == "no CUDA device"
        assert isinstance(made, SideBySide)
        assert made.describe() == "Ray cluster: 2 nodes, 12 CPUs, 2 GPUs"
        assert list(made.run([])) == []
        with pytest.raises(EngineError):
            made.run([CHAIN])


@pytest.mark.parametrize(
    ("node", "gpus", "cpus", "count", "words"),
    [
        ({"CPU": 4.0}, 0, 1, 4, "1 CPU"),
        ({"CPU": 4.0}, 0, 3, 1, "3 CPUs"),
        ({"CPU": 4.0}, 1, 1, 0, "1 CPU and 1 GPU"),
        ({"CPU": 1.0, "GPU": 8.0}, 2, 1, 1, "1 CPU and 2 GPUs"),
        ({}, 0, 1, 0, "1 CPU"),
    ],
)
def test_room(node: dict[str, float], gpus: int, cpus: int, count: int, words: str) -> None:
    assert fits(node, gpus, cpus) == count
    assert in_words(gpus, cpus) == words


@pytest.mark.parametrize(
    ("requirement", "without", "why"),
    [
        ("cuda", (), None),
        ("gpus>=2", (), None),
        ("gpus>=3", (), "no node of the Ray cluster has 3 GPUs"),
        ("nvcc", (), None),
        ("wmt", (), None),
        ("torch>=99", (), None),
        ("cuda", ("cuda",), "left out by --without"),
        ("slow", ("slow",), "left out by --without"),
    ],
)
def test_before_a_page_has_a_node_it_may_run_if_any_node_would_do(
    requirement: str, without: tuple[str, ...], why: str | None
) -> None:
    choice = Distributed(None, None)
    choice.cluster = lambda: FakeCluster(*NODES)  # type: ignore[assignment, method-assign, return-value]
    prober = choice.prober("python3", root="/", table={"wmt": True}, without=without, env={})
    assert prober.unmet(parse(requirement, ("wmt",))) == why


def test_ray_client_is_refused_with_a_remedy() -> None:
    pytest.importorskip("ray")
    with pytest.raises(UsageError, match="Ray Client"):
        Distributed("ray://here:10001", None).cluster()
