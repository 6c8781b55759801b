"""``python -m benchmarks [NAME …] [--rounds N]``: run, print the tables, keep the figures."""

from __future__ import annotations

import argparse
import functools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks import (
    flat,
    hygiene,
    peers,
    reading,
    serving,
    soak,
    throughput,
    together,
    warm,
    watching,
)
from benchmarks.figures import Figure, as_json, as_markdown, missing
from benchmarks.measure import machine

ALL: dict[str, Callable[[Path, int], Iterator[Figure]]] = {
    "many": throughput.many,
    "one": throughput.single,
    "long": throughput.long,
    "torch": warm.with_torch,
    "memory": warm.memory,
    "crash": warm.recovery,
    "flat": flat.flat,
    "hygiene": hygiene.hygiene,
    "peers": peers.peers,
    "together": together.together,
    "lessons": together.lessons,
    "status": reading.status,
    "growth": reading.growth,
    "watch": watching.watching,
    "serve": serving.serving,
    "soak": soak.soaking,
}

#: Benchmarks whose figures are better read in another form than a row each.
TABLES: dict[str, Callable[[Sequence[Figure]], str]] = {"peers": peers.table}

#: What keeps a benchmark from measuring: a command that fails, a file that is not there.
_TROUBLE = (RuntimeError, OSError, ImportError, subprocess.SubprocessError)


def main() -> int:
    """Exit code 1 where something could not be measured, or with --strict is over its bar."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ALL))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--strict", action="store_true", help="exit 1 where a bar is not held")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in ALL:
            parser.error(f"{name}: there are {', '.join(ALL)}")
    facts = ", ".join(machine())
    print(facts, flush=True)
    troubles: list[str] = []
    for name in arguments.names or ALL:
        begin = time.monotonic()
        keep = functools.partial(_keep, name, facts)
        figures = measured(name, ALL[name], arguments.rounds, keep)
        table = TABLES.get(name, as_markdown)(figures)
        print(f"\n{table}\n\n{name}: {time.monotonic() - begin:.0f} s", flush=True)
        keep(figures)
        troubles += judge(name, figures, strict=arguments.strict)
    for trouble in troubles:
        print(trouble, file=sys.stderr)
    return 1 if troubles else 0


def measured(
    name: str,
    measure: Callable[[Path, int], Iterator[Figure]],
    rounds: int,
    keep: Callable[[list[Figure]], None],
) -> list[Figure]:
    """Its figures; where it stops, a last one says why."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="fencerun-bench-") as work:
        try:
            for one in measure(Path(work), rounds):
                figures.append(one)
                keep(figures)  # a run that is broken off has measured what it has
        except _TROUBLE as error:
            said = str(error).strip().splitlines() or [type(error).__name__]
            figures.append(missing(name, ": ".join(dict.fromkeys((said[0], said[-1])))))
    return figures


def judge(name: str, figures: Sequence[Figure], *, strict: bool) -> Iterator[str]:
    """What makes the run fail, a line each."""
    for one in figures:
        if not one.measured:
            yield f"{name}: {one.what}: {one.note.replace('*', '')}"
        elif strict and not one.held:
            sign = "below" if one.at_least else "over"
            yield f"{name}: {one.what}: {one.value:.3g} {one.unit} is {sign} its bar of {one.bar}"


def _keep(name: str, facts: str, figures: list[Figure]) -> None:
    directory = Path(".fencerun/bench")
    directory.mkdir(parents=True, exist_ok=True)
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    data = {"when": when, "machine": facts, "figures": as_json(figures)}
    (directory / f"{name}.json").write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
