"""What each guard costs: one item off against all on, in turns, in one and the same worker.

A switch that only this benchmark has (``switches``) turns an item off between two runs of one
page. CPU time of the worker alone: nothing in the parent changes.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path

from benchmarks import pages, switches
from benchmarks.figures import Figure, figure
from benchmarks.measure import cpu
from benchmarks.warm import Kept, warm

#: Fences of the page.
COUNT = 100

#: How much of the control's burden may show, as factors of it: 1.03 on a quiet machine, and 1.2 to
#: 1.3 on a busy one.
_LEAST, _MOST = 0.8, 1.6


def hygiene(work: Path, rounds: int) -> Iterator[Figure]:
    """Item by item, without torch and with it."""
    (work / "page.md").write_text(pages.one_liners(COUNT, pages.importing()))
    sets = {"none": (), "all": tuple(switches.ITEMS)} | {item: (item,) for item in switches.ITEMS}
    for place, items in enumerate(sets.values()):
        (work / f"off-{place}.md").write_text(_flip({switches.CONTROL, *items}))
    (work / "burden.md").write_text(_flip(set()))
    for modules in ((), ("torch",)):
        with warm(work, *modules, "benchmarks.switched") as engine:
            engine.check("page.md")
            yield from _items(engine, rounds, list(sets), "torch" if modules else "no torch")


def _flip(off: set[str]) -> str:
    code = f"import benchmarks.switches as s; s.OFF.clear(); s.OFF.update({sorted(off)!r})"
    return pages.silent(1, lambda n: code)


def _items(engine: Kept, rounds: int, names: list[str], what: str) -> Iterator[Figure]:
    def spent(flip: str) -> float:
        engine.check(flip)
        before = cpu(worker := engine.worker())
        engine.check("page.md")
        if engine.worker() != worker:
            raise RuntimeError("the worker was replaced, so that its time says nothing")
        return (cpu(worker) - before) / COUNT * 1000

    saved: dict[str, list[float]] = {name: [] for name in names}
    totals, burdens = [], []
    for _ in range(2 * rounds + 1):
        burdens.append(spent("burden.md") - spent("off-0.md"))
        for place, name in enumerate(names):
            on = spent("off-0.md")
            saved[name].append(on - spent(f"off-{place}.md"))
            totals.append(on)
    _hold(statistics.median(burdens), switches.BURDEN * 1000)
    total = statistics.median(totals)
    name = f"the control's burden of {switches.BURDEN * 1000:.0f} ms, {what}"
    yield figure(name, "ms", burdens[1:])
    for name in sorted(names, key=lambda name: -statistics.median(saved[name][1:])):
        label = {"none": "nothing (the noise)", "all": "all of them"}.get(name, name)
        note = f"{statistics.median(saved[name][1:]) / total:.0%} of the worker's {total:.3f} ms"
        yield figure(f"{label}, {what}", "ms", saved[name][1:], None, note)


def _hold(seen: float, burden: float) -> None:
    if not _LEAST <= seen / burden <= _MOST:
        raise RuntimeError(f"a burden of {burden:.3f} ms a fence showed as {seen:.3f} ms")
