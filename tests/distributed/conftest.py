"""One Ray cluster of three nodes for all tests that need a real one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

#: Nodes by name, and what each of them says it has. The GPU is only said to be there.
NODES: dict[str, dict[str, int]] = {
    "head": {"num_cpus": 1},
    "doomed": {"num_cpus": 2},
    "gpu": {"num_cpus": 1, "num_gpus": 1},
}


class Cluster:
    """A running cluster: its address, and a way to kill a node of it."""

    def __init__(self, cluster: Any, nodes: dict[str, Any]) -> None:
        self._cluster, self._nodes = cluster, nodes
        self.address: str = cluster.address

    def kill(self, name: str) -> None:
        """As if somebody pulled the plug."""
        self._cluster.remove_node(self._nodes.pop(name), allow_graceful=False)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    pytest.importorskip("ray")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster as Made

    made: Any = Made()
    nodes = {name: made.add_node(include_dashboard=False, **has) for name, has in NODES.items()}
    yield Cluster(made, nodes)
    made.shutdown()
