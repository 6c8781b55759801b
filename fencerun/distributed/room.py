"""How much room nodes have for stations. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from fencerun.plural import count


def fits(node: Mapping[str, float], gpus: int, cpus: int) -> int:
    """How many stations that ask for so much a node has room for, when it is idle.

    ``node`` says what it has, by Ray's names: ``CPU``, ``GPU``.
    """
    by_cpus = int(node.get("CPU", 0) // cpus)
    return min(by_cpus, int(node.get("GPU", 0) // gpus)) if gpus else by_cpus


def in_words(gpus: int, cpus: int) -> str:
    """``2 CPUs and 1 GPU``."""
    asked = count(cpus, "CPU")
    return f"{asked} and {count(gpus, 'GPU')}" if gpus else asked
