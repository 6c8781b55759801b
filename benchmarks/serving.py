"""From a save to the new output in the browser, from the call to the first page, and scrolling.

Wall time in a real Chromium, but for the start: that is what an author waits for. The fence itself
takes a tenth of a millisecond and is not taken off. The clock stops when the document holds the new
text, as the window sees it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import pages
from benchmarks.figures import Figure, figure
from benchmarks.measure import environment

#: Bytes of the two pages: a lesson, and the longest one that we have.
USUAL, LONG = 13_600, 195_000

#: Saves that are measured, for each round that was asked for.
SAVES = 4

#: Pages of the course that is started, and fences of the page that is scrolled.
COURSE, FENCES = 200, 500

# When the new text is there, by the clock that Python's `time.time()` reads as well.
_SEEN = """text => new Promise(done => {
  const look = () => {
    if (document.getElementById("ui:body").textContent.includes(text)) done(Date.now());
  };
  new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
  look();
})"""

_SHIFTS = """() => {
  window.shifted = 0;
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shifted += entry.value;
  }).observe({type: "layout-shift", buffered: true});
}"""


@contextlib.contextmanager
def _served(directory: Path, *words: str) -> Iterator[tuple[str, int]]:
    """A server over the pages there: its address and process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "fencerun", "serve", "--no-open", "--port", "0", *words],
        cwd=directory,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        found = None
        while not found:
            line = process.stdout.readline()
            if not line:
                raise RuntimeError("fencerun serve ended")
            found = re.search(r"http://\S+", line)
        yield found[0], process.pid
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@contextlib.contextmanager
def _window() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": 1280, "height": 800})
        browser.close()


def serving(work: Path, rounds: int) -> Iterator[Figure]:
    """A save, the start and the scrolling."""
    with _window() as window:
        yield _saving(work, window, "a lesson", pages.lesson(1, USUAL), rounds, 60.0)
        yield _saving(work, window, "a very long lesson", pages.lesson(2, LONG), rounds)
        yield _scrolling(work, window)
    yield _starting(work, rounds)


def _saving(
    work: Path, window: Any, what: str, text: str, rounds: int, bar: float | None = None
) -> Figure:
    path = work / "page.md"
    number = text.count("fence:") + 1

    def page(turn: int) -> str:
        code = f"import torch\nprint('turn', torch.tensor({turn}).item() * 3)"
        return f"{text}\n```python fence:{number}\n{code}\n```\n"

    path.write_text(page(0))
    values: list[float] = []
    with _served(work, path.name) as (address, _):
        window.goto(address)
        window.wait_for_selector("#ui\\:now:has-text('Ready')", timeout=60_000)
        time.sleep(1.5)
        for turn in range(1, rounds * SAVES + 2):
            beside = path.with_name(".page.swp")
            beside.write_text(page(turn))
            began = time.time()
            os.replace(beside, path)
            seen = window.evaluate(_SEEN, f"turn {turn * 3}")
            if turn > 1:  # the first imports what judging needs
                values.append(seen - began * 1000)
            time.sleep(0.5)  # the process of the next run is made meanwhile
    note = f"{len(text) / 1000:,.0f} KB, {number} fences; slowest {max(values):.0f} ms"
    return figure(f"save of {what} → new output in the browser", "ms", values, bar, note)


def _scrolling(work: Path, window: Any) -> Figure:
    """How far things move that the reader did not move, as browsers measure it: 0 is nothing."""
    blocks = (f"## Part {n}\n\nWords.\n\n```python fence:{n}\nprint({n})\n```\n\n"
              f"```text output:{n}\n{n}\n```\n" for n in range(1, FENCES + 1))  # fmt: skip
    (work / "page.md").write_text("# Many\n\n" + "\n".join(blocks))
    with _served(work, "page.md") as (address, _):
        window.goto(address)
        window.wait_for_selector("#ui\\:now:has-text('Ready')", timeout=60_000)
        window.evaluate(_SHIFTS)
        window.keyboard.press("a")
        for _ in range(60):
            window.mouse.wheel(0, 900)
            window.wait_for_timeout(40)
        window.wait_for_selector("#ui\\:now:has-text('passed')", timeout=60_000)
        shifted = window.evaluate("window.shifted")
    what = f"layout shift of {FENCES} fences, scrolled while all of them run"
    return figure(what, "", [shifted], 0.1, "0.1 is what the web calls good")


def _starting(work: Path, rounds: int) -> Figure:
    course = work / "course"
    course.mkdir()
    (course / "pyproject.toml").write_text('[tool.fencerun]\npaths = ["."]\n')
    for number in range(COURSE):
        (course / f"{number:03}.md").write_text(pages.lesson(number, USUAL))
    values: list[float] = []
    first: list[float] = []
    for turn in range(rounds + 1):
        began = time.perf_counter()
        with _served(course) as (address, pid):
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            opener.open(address, timeout=60).read()
            opener.open(address.partition("?")[0], timeout=60).read()
            first.append((time.perf_counter() - began) * 1000)
            opener.open(f"{address.partition('?')[0]}lessons", timeout=60).read()
            if turn:
                # A process's own clock, as clock_getcpuclockid(3) numbers it on Linux.
                values.append(time.clock_gettime((~pid << 3) | 2) * 1000)
    size = f"{COURSE * USUAL / 1e6:.1f} MB"
    note = f"{size}; CPU until all are listed; first answer after {min(first):.0f} ms of wall time"
    return figure(f"start with {COURSE} pages", "ms", values, 1000.0, note)
