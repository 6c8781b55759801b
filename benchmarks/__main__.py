"""``python -m benchmarks [NAME …] [--rounds N]``: run, print the tables, keep the figures."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import reading, serving, throughput, warm, watching
from benchmarks.figures import Figure, as_json, as_markdown
from benchmarks.measure import machine

ALL: dict[str, Callable[[Path, int], Iterator[Figure]]] = {
    "many": throughput.many,
    "one": throughput.single,
    "long": throughput.long,
    "torch": warm.with_torch,
    "memory": warm.memory,
    "crash": warm.recovery,
    "status": reading.status,
    "growth": reading.growth,
    "watch": watching.watching,
    "serve": serving.serving,
}


def main() -> int:
    """Exit code 1 where a bar is not held."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(ALL))
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in ALL:
            parser.error(f"{name}: there are {', '.join(ALL)}")
    facts = ", ".join(machine())
    print(facts, flush=True)
    held = True
    for name in arguments.names or ALL:
        with tempfile.TemporaryDirectory(prefix="fencerun-bench-") as work:
            figures = list(ALL[name](Path(work), arguments.rounds))
        print(f"\n{as_markdown(figures)}", flush=True)
        _keep(name, facts, figures)
        held = held and all(figure.held for figure in figures)
    return 0 if held else 1


def _keep(name: str, facts: str, figures: list[Figure]) -> None:
    directory = Path(".fencerun/bench")
    directory.mkdir(parents=True, exist_ok=True)
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    data = {"when": when, "machine": facts, "figures": as_json(figures)}
    (directory / f"{name}.json").write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
