"""``kill -9`` at random moments of a recording run, round after round.

``python -m tests.faults.kills [--rounds N] [--seed N]`` prints where the kills fell and what each
left. A round is a run over small pages that is killed: after it each page is wholly old or wholly
new and no process is left; after the last one a run that is let be finds everything in order.

Moments are chosen along marks of the run itself: every fence writes a byte into a pipe. First a
few runs are let be, to measure how long the run takes from each mark to the next; a round then
waits for a mark and a part of that time, so that a busy machine stretches both alike. Half of the
rounds go for the gaps behind a page's last fence, in which pages are written.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from fencerun import state
from fencerun.worker import children, libc

PAGES = ("a.md", "b.md", "c.md")
FENCES = 2
#: Each fence runs twice, as `record` proves new recordings, and says so each time.
MARKS = len(PAGES) * FENCES * 2
#: Marks behind which a page is written: those of its last fence, run again.
WRITING = tuple(range(2 * FENCES, MARKS + 1, 2 * FENCES))

COMMAND = (sys.executable, "-m", "fencerun", "record", *PAGES)
#: Seconds after which a run, or what it left, is taken to hang.
PATIENCE = 60.0

_FENCE = """\
```python fence:{number}
with open("marks", "w") as marks:
    marks.write(".")
print("new", {number})
```
"""
_RECORDING = "\n```text output:{number}\n{word} {number}\n```\n"


def page(name: str, word: str) -> bytes:
    """A page whose recordings say ``word``; when it runs they become "new"."""
    both = _FENCE + _RECORDING
    fences = [both.format(number=number, word=word) for number in range(1, FENCES + 1)]
    return "\n".join([f"# {name}\n", *fences]).replace("\n", "\r\n").encode()


@dataclass(slots=True)
class Tally:
    """What the rounds left behind."""

    rounds: int = 0
    #: How many pages were new when the run died, by how many rounds.
    new: Counter[int] = field(default_factory=Counter)
    #: Rounds that ended by themselves before the kill.
    late: int = 0
    #: Rounds after which a temporary file lay beside a page.
    temporary: int = 0

    @property
    def spread(self) -> bool:
        """Whether kills fell before, between and after the writing of pages."""
        return all(self.new[count] for count in (0, len(PAGES))) and len(self.new) > 2

    def __str__(self) -> str:
        new = ", ".join(f"{self.new[n]} with {n}" for n in range(len(PAGES) + 1))
        return (
            f"{self.rounds} rounds: {new} of {len(PAGES)} pages new, none torn, no process left; "
            f"{self.temporary} left a temporary file, {self.late} ended before the kill"
        )


class Range:
    """A directory of pages, and runs over them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        (directory / "pyproject.toml").write_text("[tool.fencerun]\n")
        os.mkfifo(directory / "marks")
        # Open for reading and writing, the pipe never blocks a fence and never ends.
        self.marks = os.open(directory / "marks", os.O_RDWR | os.O_NONBLOCK)

    def reset(self) -> None:
        """The old pages, and no mark left to be read."""
        for name in PAGES:
            (self.directory / name).write_bytes(page(name, "old"))
        with contextlib.suppress(BlockingIOError):
            os.read(self.marks, 1 << 16)

    def run(self) -> subprocess.Popen[bytes]:
        """A recording run, begun."""
        return subprocess.Popen(
            COMMAND,
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def timed(self) -> list[float]:
        """A run that is let be: seconds from each mark to the next, the start and the end too."""
        self.reset()
        at = [time.monotonic()]
        run = self.run()
        for _ in range(MARKS):
            self.wait(run, 1)
            at.append(time.monotonic())
        code = run.wait(PATIENCE)
        at.append(time.monotonic())
        assert code == 0, f"a run that was let be ended with {code}"
        return [later - sooner for sooner, later in pairwise(at)]

    def wait(self, run: subprocess.Popen[bytes], marks: int) -> bool:
        """Wait for so many marks; False where the run ended first."""
        until = time.monotonic() + PATIENCE
        while marks:
            ready, _, _ = select.select([self.marks], [], [], 0.2)
            if ready:
                marks -= len(os.read(self.marks, marks))
            elif run.poll() is not None:
                return False
            assert time.monotonic() < until, "a run makes no progress"
        return True

    def kill(self, mark: int, delay: float, tally: Tally) -> None:
        """A run that dies ``delay`` seconds after so many marks."""
        self.reset()
        with self.run() as run:
            self.wait(run, mark)
            time.sleep(delay)
            tally.late += run.poll() is not None
            run.send_signal(signal.SIGKILL)
            run.wait(PATIENCE)
        _assert_none_left()
        tally.rounds += 1
        tally.new[sum(self._is_new(name) for name in PAGES)] += 1
        tally.temporary += any(self.directory.glob(".*.tmp"))

    def _is_new(self, name: str) -> bool:
        found = (self.directory / name).read_bytes()
        assert found in (page(name, "old"), page(name, "new")), f"{name} is torn: {found!r}"
        return found == page(name, "new")

    def settle(self) -> None:
        """A last run over old pages, let be: all is new, and nothing lies around."""
        self.timed()
        assert all(self._is_new(name) for name in PAGES)
        left = sorted(path.name for path in self.directory.rglob("*"))
        expected = {*PAGES, "marks", "pyproject.toml", ".fencerun", ".gitignore", "last.json"}
        assert left == sorted(expected), left
        assert len(state.load(self.directory)) == len(PAGES) * FENCES


def _assert_none_left() -> None:
    """Every process of the run is gone; orphans are ours to see, as we adopt them."""
    until = time.monotonic() + PATIENCE
    while left := [pid for pid in children.children() if children.command(pid)]:
        assert time.monotonic() < until, f"left behind: {[children.command(pid) for pid in left]}"
        time.sleep(0.002)
    children.reap(children.children())


def moments(seed: int, gaps: Sequence[float], rounds: int) -> Iterator[tuple[int, float]]:
    """Marks and delays behind them: anywhere, and in every second round where pages are written."""
    dice = random.Random(seed)
    for number in range(rounds):
        mark = dice.choice(WRITING) if number % 2 else dice.randrange(len(gaps))
        yield mark, dice.uniform(0, 1.2 * gaps[mark])


def trial(directory: Path, seed: int, rounds: int) -> Tally:
    """So many rounds in ``directory``. Raises AssertionError at the first thing that is wrong."""
    libc.adopt_orphans()
    place, tally = Range(directory), Tally()
    try:
        place.timed()  # compiles and warms up
        measured = [place.timed() for _ in range(3)]
        gaps = [statistics.median(each) for each in zip(*measured, strict=True)]
        for mark, delay in moments(seed, gaps, rounds):
            place.kill(mark, delay, tally)
        place.settle()
    finally:
        os.close(place.marks)
    return tally


def main() -> None:
    """Runs the rounds and prints what they left."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.kills")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    directory = Path(tempfile.mkdtemp(prefix="fencerun-kills-"))
    try:
        tally = trial(directory, arguments.seed, arguments.rounds)
        print(tally)
        assert tally.spread or tally.rounds < 20, "the kills fell all in one place"
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
