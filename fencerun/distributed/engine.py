"""Pages spread over the nodes of a Ray cluster: an engine whose lanes lead there.

What may run is first judged for the cluster as a whole (has any node so many GPUs?), to know which
lane a page is for; then by the node that runs the page, whose answer counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from fencerun.capabilities import Requirement
from fencerun.distributed.lane import RemoteLane, RemoteProber
from fencerun.distributed.room import fits
from fencerun.distributed.station import Contract
from fencerun.engines.base import Chain, Closing, EngineError, EngineEvent, EngineOptions
from fencerun.gate import Gate
from fencerun.lanes import Lane, Load
from fencerun.plural import count
from fencerun.probing import Prober
from fencerun.scheduling import IDLE, Reach, asked_for

if TYPE_CHECKING:
    from fencerun.distributed.cluster import Cluster


class Distributed:
    """The choice of a cluster: makes the prober and the engine of one run.

    ``address`` is Ray's, ``jobs`` the most pages at once, None or 0 for as many as there is room.
    """

    def __init__(self, address: str | None, jobs: int | None) -> None:
        self._address, self._jobs = address, jobs
        self._cluster: Cluster | None = None
        self._own: Mapping[str, Any] = {}
        self._without: tuple[str, ...] = ()
        self._root = ""

    def cluster(self) -> Cluster:
        """The cluster, connected to. Raises UsageError."""
        if self._cluster is None:
            from fencerun.distributed.cluster import Cluster

            self._cluster = Cluster(self._address)
        return self._cluster

    def prober(self, python: str, *, root: str, table: Mapping[str, Any], **more: Any) -> Prober:
        """A prober of what may run somewhere on the cluster.

        ``table`` are the project's own capabilities as its configuration has them; ``more`` is
        what a Prober takes.
        """
        self._root, self._own, self._without = root, table, tuple(more.get("without", ()))
        return _ClusterProber(self.cluster, python, root=root, **more)

    def __call__(self, options: EngineOptions) -> RayEngine:
        """The engine of a run."""
        contract = Contract(options, self._own, self._without, self._root)
        return RayEngine(self.cluster(), contract, self._jobs)


class _ClusterProber(Prober):
    """What may run on some node; what only a node can know, each node says for itself."""

    def __init__(self, cluster: Callable[[], Cluster], python: str, **more: Any) -> None:
        super().__init__(python, **more)
        self._cluster = cluster

    def unmet(self, requirement: Requirement) -> str | None:
        if self._is_left_out(requirement):
            return super().unmet(requirement)
        need = asked_for(requirement)
        most = max((node.get("GPU", 0) for node in self._cluster().nodes()), default=0)
        if need <= most:
            return None
        return f"no node of the Ray cluster has {count(need, 'GPU')}"


class RayEngine(Closing):
    """Runs pages on lanes to stations; by itself, outside of lanes, it runs nothing."""

    isolates = True
    fragile = True

    def __init__(self, cluster: Cluster, contract: Contract, jobs: int | None) -> None:
        self._cluster, self._contract, self._jobs = cluster, contract, jobs
        self._lanes: list[RemoteLane] = []
        self._cpus = max(1, contract.options.threads)

    def lanes(self, loads: Sequence[Load]) -> Sequence[Lane]:
        """Lanes for each number of GPUs that pages ask for, as many as there is room and use for.

        Those that ask for most come first, as long as fewer than ``jobs`` were made; each number
        has one in any case.
        """
        found: list[Lane] = []
        for gpus in sorted({load.need for load in loads} - {IDLE}, reverse=True):
            pages = sum(load.need == gpus for load in loads)
            room = sum(fits(node, gpus, self._cpus) for node in self._cluster.nodes())
            most = min(pages, room)
            if self._jobs:
                most = min(most, self._jobs - len(found))
            found += (self._lane(gpus, loads) for _ in range(max(1, most)))
        return found

    def _lane(self, gpus: int, loads: Sequence[Load]) -> Lane:
        lane = RemoteLane(partial(self._cluster.station, self._contract, gpus, self._cpus))
        self._lanes.append(lane)
        gate = Gate(partial(RemoteProber, lane), tuple(self._contract.own))  # type: ignore[arg-type]

        def begin(place: int) -> None:
            lane.begin(loads[place].page, loads[place].luggage())
            gate.answers.clear()

        return Lane(lane, Reach(gpus, gpus), gate, begin)

    def describe(self) -> str:
        nodes = self._cluster.nodes()
        gpus = int(sum(node.get("GPU", 0) for node in nodes))
        cpus = int(sum(node.get("CPU", 0) for node in nodes))
        has = ", ".join(count(*each) for each in ((cpus, "CPU"), (gpus, "GPU")))
        return f"Ray cluster: {count(len(nodes), 'node')}, {has}"

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        for _ in chains:
            raise EngineError("pages run on the cluster's lanes only")
        return iter(())

    def fresh(self) -> None:
        """There is no process here."""

    def halt(self) -> None:
        for lane in self._lanes:
            lane.halt()

    def close(self) -> None:
        for lane in self._lanes:
            lane.close()
        self._cluster.close()
