"""Figures from inside one warm worker: with torch loaded, over many fences, after crashes.

Whole processes would drown them in the time that importing torch takes. The session is the real
one, and so is the engine, which is only kept from run to run. CPU time is this process's and that
of everything below it.
"""

from __future__ import annotations

import contextlib
import io
import os
import statistics
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import cast

from benchmarks import pages
from benchmarks.figures import Figure, figure
from benchmarks.measure import Command, in_turns, python, resident, tree_cpu
from fencerun import launch
from fencerun.engines.base import Chain, Engine, EngineEvent, EngineOptions
from fencerun.engines.worker import WorkerEngine
from fencerun.reporters import make
from fencerun.selection import Target
from fencerun.session import Request
from fencerun.worker import children

#: Fences of the two pages whose difference is what a fence costs.
FEW, MANY = 200, 1200

CRASHES = 10


class Kept:
    """An engine that outlives the sessions that use it."""

    def __init__(self, *preload: str) -> None:
        self.engine = WorkerEngine(EngineOptions(sys.executable, preload=preload))

    def run(self, chains: Iterable[Chain]) -> Iterator[EngineEvent]:
        return self.engine.run(chains)

    def __getattr__(self, name: str) -> object:
        return getattr(self.engine, name)

    def close(self) -> None:
        """Not yet."""

    def __enter__(self) -> Kept:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def check(self, page: str, code: int = 0) -> float:
        """CPU seconds of checking a page in this process and the worker."""
        before = tree_cpu()
        reporter = make("plain", said := io.StringIO())
        request = Request("check", (Target(page),))
        done = launch.session(request, reporter.handle, engine=lambda _: cast(Engine, self)).run()
        spent = tree_cpu() - before
        if done.exit_code != code:
            raise RuntimeError(f"{page}: exit {done.exit_code}\n{said.getvalue()[-2000:]}")
        return spent

    def worker(self) -> int:
        """The process that runs the fences: the youngest one below us."""
        return max(children.descendants(os.getpid()))


@contextlib.contextmanager
def warm(work: Path, *preload: str) -> Iterator[Kept]:
    """An engine with modules loaded, in the directory of the pages."""
    engine = Kept(*preload)
    before = Path.cwd()
    os.chdir(work)
    try:
        yield engine
    finally:
        os.chdir(before)
        engine.engine.close()


def with_torch(work: Path, rounds: int) -> Iterator[Figure]:
    """What each further fence costs once torch is there."""
    for count in (FEW, MANY):
        (work / f"warm-{count}.md").write_text(pages.one_liners(count, pages.importing("torch")))
    (work / "first.md").write_text(pages.silent(1, lambda n: "import torch"))
    with warm(work, "torch") as engine:
        engine.check("first.md")
        engine.check(f"warm-{FEW}.md")
        values = []
        for _ in range(rounds):
            few, many = engine.check(f"warm-{FEW}.md"), engine.check(f"warm-{MANY}.md")
            values.append((many - few) / (MANY - FEW) * 1000)
    yield figure("each further fence that imports torch, torch loaded", "ms", values, 0.8)


#: Bytes that each fence of the control page loses for good, and how many fences it has.
LOST, LOSERS = 1 << 17, 100

_LOSE = (
    "import ctypes; c = ctypes.CDLL(None); c.malloc.restype = ctypes.c_void_p; "
    f"p = c.malloc({LOST}); _ = ctypes.memset(ctypes.c_void_p(p), 1, {LOST})"
)


def memory(work: Path, rounds: int) -> Iterator[Figure]:
    """Whether 10,000 fences leave the worker as large as 1,000 did.

    A page that does leak is run last: its growth must show, or the figure means nothing.
    """
    del rounds
    (work / "thousand.md").write_text(pages.one_liners(1000, pages.importing()))
    (work / "leaky.md").write_text(pages.silent(LOSERS, lambda n: _LOSE))
    sizes, workers = [], set()
    with warm(work) as engine:
        for page in (*["thousand.md"] * 10, "leaky.md"):
            engine.check(page)
            workers.add(engine.worker())
            sizes.append(resident(engine.worker()))
    if len(workers) > 1:
        raise RuntimeError("the worker was replaced, so that its size says nothing")
    if sizes[-1] - sizes[-2] < LOST * LOSERS * 0.9:
        raise RuntimeError(f"a leak of {LOST * LOSERS} bytes showed as {sizes[-1] - sizes[-2]}")
    first, last = sizes[0], sizes[-2]
    note = (
        f"{first / 2**20:.1f} MiB after 1,000, {last / 2**20:.1f} after 10,000; "
        f"a leak of {LOST * LOSERS / 2**20:.1f} MiB then shows as {(sizes[-1] - last) / 2**20:.1f}"
    )
    what = "growth of the worker from 1,000 to 10,000 fences"
    yield figure(what, "%", [(last / first - 1) * 100], 5.0, note)


def recovery(work: Path, rounds: int) -> Iterator[Figure]:
    """A crash, with torch loaded, against importing torch."""
    (work / "crash.md").write_text(
        pages.silent(CRASHES, lambda n: "import os; os.kill(os.getpid(), 9)")
    )
    (work / "calm.md").write_text(pages.silent(CRASHES, lambda n: "import os; os.getpid()"))
    (work / "first.md").write_text(pages.silent(1, lambda n: "import torch"))
    load = Command(python("-c", "import torch"), work)
    importing = statistics.median(s.cpu for s in in_turns({"": load}, 3)[""])
    values = []
    with warm(work, "torch") as engine:
        engine.check("first.md")
        for _ in range(rounds):
            calm, crash = engine.check("calm.md"), engine.check("crash.md", 4)
            values.append((crash - calm) / CRASHES / importing)
    note = f"{statistics.median(values) * importing * 1000:.0f} ms / {importing:.2f} s"
    yield figure(
        "a new worker after a crash, torch loaded / `import torch`", "×", values, 0.05, note
    )
