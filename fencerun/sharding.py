"""One run spread over several machines: which pages are whose. Pure.

Pages stay whole, and each is in exactly one share, on any machine that weighs them alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from fencerun.errors import UsageError
from fencerun.patterns import later

_SHARD = later(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")

#: What stands in a page once for each fence, seen without reading it.
_FENCE = re.compile(rb"\bfence[:=][1-9]")


def parse(text: str) -> tuple[int, int]:
    """Index (from 1) and count of ``2/5``. Raises UsageError."""
    match = _SHARD.fullmatch(text.strip())
    if match is None or int(match[1]) > int(match[2]):
        raise UsageError(
            f"--shard {text}: no such share", "write `--shard 2/5` for the second of 5"
        )
    return int(match[1]), int(match[2])


def weights(pages: Mapping[str, bytes], seconds: Mapping[str, float]) -> dict[str, float]:
    """Roughly how long each page takes, in seconds where anything is known of its fences.

    ``seconds`` are those of fences that ran, by id. A fence that is not among them counts as the
    mean of those that are, and a page without any as next to nothing.
    """
    by_page: dict[str, list[float]] = {}
    for fence, took in seconds.items():
        by_page.setdefault(fence.rpartition("::")[0], []).append(took)
    every = [took for page in pages for took in by_page.get(page, ())]
    # Summed exactly: the order in which they were kept is another one on each machine.
    mean = math.fsum(every) / len(every) if every else 1.0
    found = {}
    for page, data in pages.items():
        known = by_page.get(page, [])
        unknown = max(0, len(_FENCE.findall(data)) - len(known))
        found[page] = math.fsum(known) + unknown * mean
    return found


def share(weighed: Mapping[str, float], index: int, count: int) -> frozenset[str]:
    """The pages of share ``index`` of ``count``: the heaviest first, each to the lightest share."""
    loads = [(0.0, 0, number) for number in range(1, count + 1)]
    own = set()
    for page, weight in sorted(weighed.items(), key=lambda item: (-item[1], item[0])):
        load, pages, number = min(loads)
        loads[loads.index((load, pages, number))] = (load + weight, pages + 1, number)
        if number == index:
            own.add(page)
    return frozenset(own)
