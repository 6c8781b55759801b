"""``python -m benchmarks.soak``: 10,000 fences of torch and 300 that die, in one run.

The first half of the pages is calm, so that one worker runs thousands of fences; in the second
half crashes are spread at random. Afterwards every fence must have its one verdict: those that
compute are as recorded, and those that die are blamed by line and by what they died of. Memory of
the parent, the zygote and the worker is read at the end of each page. See docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.figures import Figure, as_markdown, figure
from benchmarks.measure import machine, resident
from fencerun import launch
from fencerun.events import Event, FenceDone, PageDone, RunDone, Verdict
from fencerun.request import Request
from fencerun.selection import Target
from fencerun.worker import children

#: Ways to die: tags and code, and what the verdict must say of it.
DEATHS: dict[str, tuple[str, str, str]] = {
    "segfault": ("", "import ctypes\nctypes.string_at(0)", "SIGSEGV"),
    "os._exit(0)": ("", "import os\nos._exit(0)", "os._exit"),
    "SIGKILL": ("", "import os\nos.kill(os.getpid(), 9)", "SIGKILL"),
    "abort": ("", "import os\nos.abort()", "SIGABRT"),
    "killed with 256 MiB in hand": (
        "",
        "import os\nkept = b'x' * (256 << 20)\nos.kill(os.getpid(), 9)",
        "SIGKILL",
    ),
    "endless C loop": (
        " timeout:0.3",
        'import re\nre.match(r"(a+)+$", "a" * 40 + "b")',
        "no end after 0.3 s",
    ),
}

PER_PAGE = 100

#: Fences that compute, fences that die, and the seed that places them.
FENCES, CRASHES, SEED = 10_000, 300, 25

#: How much larger a process may be at the end than once it was warm, in percent.
BAR = 5.0

#: KiB that the parent may keep of each fence: its verdict, and some of the one that died.
PARENT_BAR = 1.0


@dataclass(slots=True)
class Soak:
    """What is expected of one run, and what it did."""

    #: By id: what the verdict of a fence that dies must say.
    deaths: dict[str, str] = field(default_factory=dict)
    fences: set[str] = field(default_factory=set)
    verdicts: list[Verdict] = field(default_factory=list)
    #: Fences that were done, and resident bytes of parent, zygote and worker, page by page.
    sizes: list[tuple[int, int, int, int]] = field(default_factory=list)
    #: The workers of the pages, in order.
    workers: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def handle(self, event: Event) -> None:
        """Take note of an event of the run."""
        if isinstance(event, FenceDone):
            self.verdicts.append(event.verdict)
        elif isinstance(event, PageDone):
            self._measure()

    def _measure(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # a worker may be on its way out
            (zygote,) = children.children()
            worker = max(children.children(zygote))
            sizes = (resident(os.getpid()), resident(zygote), resident(worker))
            self.sizes.append((len(self.verdicts), *sizes))
            self.workers.append(worker)

    def judge(self) -> None:
        """Hold every verdict against what was to be expected."""
        counts = Counter(verdict.id for verdict in self.verdicts)
        lost, twice = self.fences - counts.keys(), [i for i, n in counts.items() if n > 1]
        self.faults += [f"{one}: lost" for one in sorted(lost)]
        self.faults += [f"{one}: told twice" for one in twice]
        for verdict in self.verdicts:
            death = self.deaths.get(verdict.id)
            if death is None and verdict.kind != "passed":
                self.faults.append(f"{verdict.id}: {verdict.kind}, {verdict.what}")
            elif death is not None and (verdict.kind != "failed" or death not in verdict.what):
                what = f"{verdict.kind}, {verdict.what}"
                self.faults.append(f"{verdict.id}: is to die of {death}: {what}")


def write(directory: Path, fences: int, crashes: int, seed: int) -> tuple[Soak, list[Path]]:
    """The pages of a run: so many fences that compute, then crashes among those that follow."""
    dice, soak = random.Random(seed), Soak()
    total = fences + crashes
    mortal = sorted(dice.sample(range(fences // 2, total), crashes))
    kinds = [list(DEATHS)[index % len(DEATHS)] for index in range(crashes)]
    dice.shuffle(kinds)
    dying = dict(zip(mortal, kinds, strict=True))
    paths = []
    for start in range(0, total, PER_PAGE):
        path = directory / f"{start // PER_PAGE:04}.md"
        numbers = range(start, min(start + PER_PAGE, total))
        path.write_text("\n".join(_fence(n, dying.get(n)) for n in numbers))
        for n in numbers:
            name = f"{path}::{n + 1}"
            soak.fences.add(name)
            if n in dying:
                soak.deaths[name] = DEATHS[dying[n]][2]
        paths.append(path)
    return soak, paths


def _fence(number: int, death: str | None) -> str:
    if death is not None:
        tags, code, _ = DEATHS[death]
        return f"```python fence:{number + 1}{tags}\n{code}\n```\n"
    code = f"import torch\nprint(int((torch.ones(4, 4) @ torch.full((4, 1), {number}.0))[0] / 4))"
    return (
        f"```python fence:{number + 1}\n{code}\n```\n\n```text output:{number + 1}\n{number}\n```\n"
    )


def run(directory: Path, fences: int, crashes: int, seed: int) -> tuple[Soak, RunDone]:
    """One run over all pages, judged."""
    (directory / "pyproject.toml").write_text("[tool.fencerun]\n")
    soak, paths = write(directory, fences, crashes, seed)
    before = Path.cwd()
    os.chdir(directory)
    try:
        targets = tuple(Target(str(path)) for path in paths)
        session = launch.session(Request("check", targets), soak.handle, python=sys.executable)
        done = session.run()
    finally:
        os.chdir(before)
    soak.judge()
    if done.exit_code != (4 if crashes else 0):
        soak.faults.append(f"exit code {done.exit_code}")
    return soak, done


def soaking(work: Path, rounds: int) -> Iterator[Figure]:
    """One run, whatever the rounds."""
    del rounds
    found, _ = run(work, FENCES, CRASHES, SEED)
    count = f"{FENCES + CRASHES:,} fences, {CRASHES} of which die"
    what = f"of {count}: those without a verdict of their own"
    yield figure(what, "", [float(len(found.faults))], 0.0, "; ".join(found.faults[:3]))
    yield from growth(found)


def growth(soak: Soak) -> Iterator[Figure]:
    """How much larger each process is at the end than once it was warm."""
    calm = [i for i, worker in enumerate(soak.workers) if worker == soak.workers[0]]
    for index, name in enumerate(("parent", "zygote", "worker"), 1):
        # The worker that ran the calm half; the others lived through all of it.
        sizes = [soak.sizes[i] for i in (calm if name == "worker" else range(len(soak.sizes)))]
        early, late = _few(sizes[1:6], index), _few(sizes[-5:], index)
        first, last = sizes[3][0], sizes[-3][0]
        note = f"{early / 2**20:.1f} MiB after {first:,} fences, {late / 2**20:.1f} after {last:,}"
        if name == "parent":  # which keeps every verdict until the run is over
            each = (late - early) / 1024 / (last - first)
            yield figure("growth of the parent, a fence", "KiB", [each], PARENT_BAR, note)
        else:
            yield figure(f"growth of the {name}", "%", [(late / early - 1) * 100], BAR, note)
    later = [size[3] for i, size in enumerate(soak.sizes) if i not in calm]
    if len(later) > 2:
        third = len(later) // 3
        early, late = _middle(later[:third]), _middle(later[-third:])
        note = f"{early / 2**20:.1f} MiB in the first third of them, {late / 2**20:.1f} in the last"
        grown = (late / early - 1) * 100
        yield figure("growth of the workers that follow on crashes", "%", [grown], BAR, note)


def _few(sizes: Sequence[tuple[int, ...]], index: int) -> float:
    return _middle([size[index] for size in sizes])


def _middle(sizes: Sequence[int]) -> float:
    return statistics.median(sizes)


def main() -> int:
    """Exit code 1 where a fence was lost or wrongly blamed, or a process grew."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak")
    parser.add_argument("--fences", type=int, default=FENCES)
    parser.add_argument("--crashes", type=int, default=CRASHES)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    print(", ".join(machine()), flush=True)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fencerun-soak-") as work:
        soak, _ = run(Path(work), arguments.fences, arguments.crashes, arguments.seed)
    blamed = Counter(soak.deaths.values())
    deaths = ", ".join(f"{count} of {what}" for what, count in sorted(blamed.items()))
    took = f"{time.monotonic() - begin:.0f} s"
    print(f"{len(soak.verdicts):,} of {len(soak.fences):,} fences have their verdict in {took}")
    print(f"{blamed.total()} deaths: {deaths}")
    print(f"faults: {len(soak.faults)}", *soak.faults[:20], sep="\n  ")
    figures = list(growth(soak))
    print(f"\n{as_markdown(figures)}")
    return 1 if soak.faults or not all(one.held for one in figures) else 0


if __name__ == "__main__":
    raise SystemExit(main())
