"""Reading pages: against the parser alone, and on pages of any length."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import pages
from benchmarks.figures import Figure, figure, ratios, seconds
from benchmarks.measure import Command, fencerun, in_turns, python
from fencerun import reader

PAGES = 1000

#: What a reader of pages cannot do without.
_PARSE = """
import sys
from pathlib import Path
from markdown_it import MarkdownIt
parser = MarkdownIt("commonmark")
parser.core.ruler.enableOnly(["normalize", "block"])
for path in sorted(Path(sys.argv[1]).glob("*.md")):
    parser.parse(path.read_text(encoding="utf-8"))
"""

#: Page sizes in bytes; the first is the yardstick.
SIZES = (100_000, 10_000, 1_000_000, 5_000_000)


def status(work: Path, rounds: int) -> Iterator[Figure]:
    """`status` of 1,000 lessons."""
    directory = work / "lessons"
    directory.mkdir(exist_ok=True)
    total = 0
    for number in range(PAGES):
        text = pages.lesson(number)
        total += len(text)
        (directory / f"{number:04}.md").write_text(text)
    commands = {
        "fencerun": Command(fencerun("status", directory.name), work),
        "parser": Command(python("-c", _PARSE, directory.name), work),
    }
    samples = in_turns(commands, max(3, rounds // 3))
    ours, theirs = samples["fencerun"], samples["parser"]
    yield figure(
        f"`status` of {PAGES:,} pages ({total / 1e6:.1f} MB) / markdown-it-py's block parse", "×",
        ratios(ours, theirs), 1.4, f"{seconds(ours)} / {seconds(theirs)}",
    )  # fmt: skip


def growth(work: Path, rounds: int) -> Iterator[Figure]:
    """Time a byte, of pages from 10 KB to 5 MB."""
    del work
    texts = {size: pages.lesson(size, size).encode() for size in SIZES}
    reader.parse(texts[SIZES[0]])
    spent: dict[int, list[float]] = {size: [] for size in SIZES}
    for _ in range(max(3, rounds // 3)):
        for size, text in texts.items():
            again = max(1, SIZES[0] // size)
            begin = time.process_time()
            for _ in range(again):
                reader.parse(text)
            spent[size].append((time.process_time() - begin) / again / len(text))
    for size in SIZES[1:]:
        values = [ours / base for ours, base in zip(spent[size], spent[SIZES[0]], strict=True)]
        what = f"reading a byte of a page of {size // 1000:,} KB / of one of 100 KB (linear: 1)"
        yield figure(what, "×", values, 1.25)
