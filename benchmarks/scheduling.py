"""How close the scheduler comes to the ideal: a simulation, no process runs.

1,000 lessons whose times are spread with a heavy tail, over 64 workers. The ideal schedule takes
as long as all of them shared out evenly, or as the longest of them. The estimates that the
scheduler goes by are right, off by a factor of up to two either way, or missing.

    python -m benchmarks.scheduling
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Callable, Sequence

from fencerun.scheduling import PLAIN, Waiting

LESSONS, WORKERS, SEED = 1_000, 64, 20261130

#: What the scheduler is told of the times, by name.
ESTIMATES: dict[str, Callable[[Sequence[float], random.Random], list[float]]] = {
    "right": lambda times, dice: list(times),
    "off by up to 2 ×": lambda times, dice: [one * 2 ** dice.uniform(-1, 1) for one in times],
    "missing": lambda times, dice: [1.0 for _ in times],
}


def lessons(dice: random.Random, count: int = LESSONS) -> list[float]:
    """Seconds of each lesson: most take a few, some take minutes (a Pareto tail of index 1.5)."""
    return [2.0 * dice.paretovariate(1.5) for _ in range(count)]


def makespan(times: Sequence[float], weights: Sequence[float], workers: int) -> float:
    """How long all takes when whoever is free takes the next page from the real scheduler."""
    waiting = Waiting(weights, [0] * len(times))
    free = [0.0] * workers
    end = 0.0
    while (place := waiting.take(PLAIN)) is not None:
        done = heapq.heappop(free) + times[place]
        heapq.heappush(free, done)
        end = max(end, done)
    return end


def ideal(times: Sequence[float], workers: int) -> float:
    """What no schedule can beat."""
    return max(math.fsum(times) / workers, max(times))


def main() -> None:
    """Print how far over the ideal each kind of estimate ends, over 200 courses."""
    dice = random.Random(SEED)
    courses = [lessons(dice) for _ in range(200)]
    print(f"{LESSONS:,} lessons over {WORKERS} workers, {len(courses)} courses:")
    for name, estimate in ESTIMATES.items():
        over = sorted(
            makespan(times, estimate(times, dice), WORKERS) / ideal(times, WORKERS) - 1
            for times in courses
        )
        print(
            f"  estimates {name}: {over[len(over) // 2]:.1%} over the ideal, "
            f"{over[-1]:.1%} at worst"
        )


if __name__ == "__main__":
    main()
