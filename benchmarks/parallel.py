"""What `-j` gains: the same pages with one worker and with several, in turns.

    python -m benchmarks.parallel [-j N] [--rounds N]

Wall time, since that is what `-j` is for: on a machine that others use, the least of the rounds
says most. CPU time is shown beside it, as what the gain costs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from benchmarks.measure import Command, fencerun, machine, run

#: 200 pages of 5 fences that print a line.
_LINE = "```python fence:{n}\nprint({n})\n```\n\n```text output:{n}\n{n}\n```\n\n"

#: As above, and each fence computes for a while.
_WORK = (
    "```python fence:{n}\nprint(sum(i * i for i in range(60_000)) % 7)\n```\n\n"
    "```text output:{n}\n{m}\n```\n\n"
)

#: A page with torch: a compiled function and a training loop, with numbers that any machine has.
_TORCH = """\
```python fence:1
import torch
f = torch.compile(lambda x: (x * {n}).sin().cos().sum(), backend="aot_eager")
print(f(torch.zeros(8)).item())
```

```text output:1
8.0
```

```python fence:2 continues:1
w = torch.zeros(256, requires_grad=True)
x = torch.ones(512, 256)
for _ in range(6_000):
    loss = ((x @ w - {n}) ** 2).mean()
    (g,) = torch.autograd.grad(loss, w)
    w = (w - 1e-3 * g).detach().requires_grad_()
print(round(float((x @ w).mean())))
```

```text output:2
{n}
```
"""


def lines(directory: Path) -> None:
    """200 pages of five one-line fences."""
    for page in range(200):
        text = "".join(_LINE.format(n=n) for n in range(1, 6))
        (directory / f"p{page:03}.md").write_text(text)


def work(directory: Path) -> None:
    """200 pages of five fences that compute for some milliseconds."""
    answer = sum(i * i for i in range(60_000)) % 7
    for page in range(200):
        text = "".join(_WORK.format(n=n, m=answer) for n in range(1, 6))
        (directory / f"p{page:03}.md").write_text(text)


def torch(directory: Path) -> None:
    """Six pages with torch."""
    for page in range(1, 7):
        (directory / f"p{page}.md").write_text(_TORCH.format(n=page))


COURSES = {
    "200 pages × 5 one-line fences": lines,
    "200 pages × 5 fences of some ms": work,
    "6 pages with torch": torch,
}


def main() -> None:
    """Print wall and CPU seconds of each course, serial and side by side."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parallel")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(", ".join(machine()))
    for name, write in COURSES.items():
        with tempfile.TemporaryDirectory(prefix="fencerun-bench-") as made:
            write(Path(made))
            best = {1: (1e9, 1e9), arguments.j: (1e9, 1e9)}
            for _ in range(arguments.rounds):
                for jobs, (wall, cpu) in best.items():
                    words = fencerun("check", "-j", str(jobs), "--report", "plain")
                    begin = time.perf_counter()
                    sample = run(Command(words, Path(made)))
                    took = time.perf_counter() - begin
                    best[jobs] = min(wall, took), min(cpu, sample.cpu)
        (serial, cpu), (both, more) = best[1], best[arguments.j]
        print(
            f"{name}: {serial:.2f} s, with -j {arguments.j} {both:.2f} s "
            f"({serial / both:.2f} × faster); CPU {cpu:.2f} s and {more:.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
