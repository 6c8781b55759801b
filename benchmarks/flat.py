"""Whether a fence costs more the more fences ran before it: in the worker's life, and in a run.

CPU time of this process and the worker, hundred by hundred.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from benchmarks import pages
from benchmarks.figures import Figure, figure
from benchmarks.measure import tree_cpu
from benchmarks.warm import Kept, warm
from fencerun import launch
from fencerun.engines.base import Engine
from fencerun.events import Event, FenceDone
from fencerun.selection import Target
from fencerun.session import Request

HUNDRED = 100

#: Fences that the old worker has run, and that the long page has.
TOTAL = 10_000

#: Hundreds at either end of the long page that are compared, after one that warms up.
ENDS = 10

BAR = 1.15


def flat(work: Path, rounds: int) -> Iterator[Figure]:
    """An old worker against a young one, without torch and with it; and within one page."""
    (work / "hundred.md").write_text(pages.one_liners(HUNDRED, pages.importing()))
    (work / "first.md").write_text(pages.silent(1, lambda n: "import torch"))
    for preload in ((), ("torch",)):
        yield _old_and_young(work, rounds, preload)
    (work / "page.md").write_text(pages.one_liners(TOTAL, pages.importing()))
    (work / "chain.md").write_text(_chain(TOTAL))
    for name, what in (("page.md", "one page"), ("chain.md", "one chain on a page")):
        with warm(work) as engine:
            spent = Hundreds(engine).check(name)
        yield _within(what, spent)


def _old_and_young(work: Path, rounds: int, preload: tuple[str, ...]) -> Figure:
    with warm(work, *preload) as old:
        young = Kept(*preload)
        try:
            for engine in (old, young):
                engine.check("first.md") if preload else engine.check("hundred.md")
            first = old.check("hundred.md")
            for _ in range(TOTAL // HUNDRED):
                last = old.check("hundred.md")
            young.check("hundred.md")
            values = []
            for _ in range(2 * rounds):
                late = old.check("hundred.md")
                values.append(late / young.check("hundred.md"))
        finally:
            young.engine.close()
    note = f"the 1st hundred took {first * 1000:.0f} ms, the 100th {last * 1000:.0f} ms"
    what = f"a hundred fences after {TOTAL:,} / in a new worker, {'' if preload else 'no '}torch"
    return figure(what, "×", values, BAR, note)


def _chain(count: int) -> str:
    """A page whose fences are one chain: each goes on where the last one ended."""
    blocks = ["```python fence:1\nimport sys\nx = 1\n```\n"]
    blocks += [f"```python fence:{n} continues:{n - 1}\nx += 1\n```\n" for n in range(2, count + 1)]
    return "\n".join(blocks)


class Hundreds:
    """One run, whose CPU time is read at every hundredth fence."""

    def __init__(self, engine: Kept) -> None:
        self._engine = engine
        self._read: list[float] = []
        self._fences = 0

    def check(self, page: str) -> list[float]:
        """CPU seconds of each hundred of the page's fences."""
        request = Request("check", (Target(page),))
        done = launch.session(
            request, self._handle, engine=lambda _: cast(Engine, self._engine)
        ).run()
        if done.exit_code:
            raise RuntimeError(f"{page}: exit {done.exit_code}")
        return [after - before for before, after in zip(self._read, self._read[1:], strict=False)]

    def _handle(self, event: Event) -> None:
        if isinstance(event, FenceDone):
            self._fences += 1
            if self._fences % HUNDRED == 0:
                self._read.append(tree_cpu())


def _within(what: str, spent: Sequence[float]) -> Figure:
    early, late = spent[:ENDS], spent[-ENDS:]
    base = statistics.median(early)
    note = f"{base * 1000:.0f} ms / {statistics.median(late) * 1000:.0f} ms a hundred"
    name = f"{what} of {TOTAL:,} fences: its last hundreds / its first"
    return figure(name, "×", [one / base for one in late], BAR, note)
