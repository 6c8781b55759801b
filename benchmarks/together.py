"""Lessons in one process, against a process for each page, and one for each fence.

CPU time, whole processes. The generated pages are held against bare Python, which checks nothing
and records nothing; the project's own pages against fencerun itself, since only that can tell
whether they still print what they say.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks import dialects
from benchmarks.figures import Figure, figure
from benchmarks.measure import Command, Sample, fencerun, in_turns, python, run
from fencerun import reader

#: Generated pages, and the fences of each.
PAGES, FENCES = 5, 4

_CODE = "import torch; x = torch.arange(6.).reshape(2, 3) + {n}; print(int((x @ x.T).sum()))"


def _printed(n: int) -> str:
    rows = [range(n, n + 3), range(n + 3, n + 6)]
    products = (a * b for one in rows for two in rows for a, b in zip(one, two, strict=True))
    return str(sum(products))


def together(work: Path, rounds: int) -> Iterator[Figure]:
    """Five pages of torch."""
    names, fences = [], []
    for page in range(PAGES):
        numbers = range(page * FENCES, (page + 1) * FENCES)
        blocks = [(_CODE.format(n=n), _printed(n)) for n in numbers]
        names.append(f"page-{page}.md")
        (work / names[-1]).write_text(dialects.fencerun(blocks))
        (work / f"page-{page}.py").write_text("\n".join(code for code, _ in blocks))
        fences += [code for code, _ in blocks]
    one = Command(fencerun("check", *names), work)
    scripts = {f"page {page}": Command(python(f"page-{page}.py"), work) for page in range(PAGES)}
    blocks_alone = {
        f"fence {n}": Command(python("-c", code), work) for n, code in enumerate(fences)
    }
    samples = in_turns({"one": one, **scripts, **blocks_alone}, max(2, rounds // 4))
    ours = [sample.cpu for sample in samples["one"]]
    for apart, bar, what in ((scripts, 1.5, "a page"), (blocks_alone, 5.0, "a fence")):
        theirs = _sums(samples, apart)
        values = [their / our for their, our in zip(theirs, ours, strict=True)]
        note = f"{_middle(theirs):.1f} s / {_middle(ours):.1f} s"
        name = f"{PAGES} pages × {FENCES} fences of torch: a `python` {what} / one `fencerun check`"
        yield figure(name, "×", values, bar, note, at_least=True)


def _sums(samples: Mapping[str, list[Sample]], names: Mapping[str, Command]) -> list[float]:
    return [
        sum(sample.cpu for sample in turn)
        for turn in zip(*(samples[name] for name in names), strict=True)
    ]


def _middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


#: Of the project: what `make fences` runs, but for pages that need more than a CPU.
_OWN = ("README.md", "docs", "lessons")


def lessons(work: Path, rounds: int) -> Iterator[Figure]:
    """The project's own pages, one round: it takes minutes.

    A run before it, which is not counted, fills the compilers' caches. Raises RuntimeError where
    one of them is not as recorded; a fence that needs an accelerator may be kept, alone too. A
    fence that goes on from others has those run before it.
    """
    del work, rounds
    root = Path.cwd()
    pages = [page for page in _pages(root) if _numbers(page)]
    targets = [f"{page}::{number}" for page in pages for number in _numbers(page)]
    run(_check(root, *pages))
    one = run(_check(root, *pages)).cpu
    for apart, what in ((pages, "page"), (targets, "fence")):
        spent = sum(run(_check(root, target)).cpu for target in apart)
        yield figure(
            f"README, docs and lessons: a process for each {what} ({len(apart)}) / one process",
            "×", [spent / one], None, f"{spent:.0f} s / {one:.0f} s, one round",
        )  # fmt: skip


def _pages(root: Path) -> list[str]:
    found: list[Path] = []
    for name in _OWN:
        path = root / name
        found += sorted(path.rglob("*.md")) if path.is_dir() else [path]
    return [os.path.relpath(path, root) for path in found]


def _numbers(page: str) -> list[int]:
    return [fence.number for fence in reader.parse(Path(page).read_bytes(), page).fences]


def _check(root: Path, *targets: str) -> Command:
    return Command(fencerun("check", "--allow-empty", *targets), root)
