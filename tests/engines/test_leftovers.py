"""Processes and threads of the standard library's own: what a fence leaves, and what it doesn't."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fencerun.engines.base import Chain, Engine, EngineOptions, Finished, Job
from fencerun.engines.worker import WorkerEngine

from .conftest import Bench

POOL = """\
import multiprocessing
def square(x): return x * x
if __name__ == "__main__":
    pool = multiprocessing.get_context("{method}").Pool(2)
    print(pool.map(square, [1, 2, 3]))
"""

#: (code, output)
CASES = {
    "pool fork": (POOL.format(method="fork"), b"[1, 4, 9]\n"),
    "pool spawn": (POOL.format(method="spawn"), b"[1, 4, 9]\n"),
    "pool forkserver": (POOL.format(method="forkserver"), b"[1, 4, 9]\n"),
    "process executor": (
        "from concurrent.futures import ProcessPoolExecutor\n"
        "pool = ProcessPoolExecutor(2)\nprint(*pool.map(abs, [-1, -2]))",
        b"1 2\n",
    ),
    "thread executor": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "pool = ThreadPoolExecutor(2)\nprint(*pool.map(abs, [-1, -2]))",
        b"1 2\n",
    ),
    "manager": (
        "import multiprocessing\nmanager = multiprocessing.Manager()\n"
        "shared = manager.dict(a=1)\nprint(shared)",
        b"{'a': 1}\n",
    ),
    "shared memory": (
        "from multiprocessing import shared_memory\n"
        "block = shared_memory.SharedMemory(create=True, size=8)\nprint(block.size >= 8)",
        b"True\n",
    ),
    "to_thread": ("import asyncio\nprint(asyncio.run(asyncio.to_thread(abs, -3)))", b"3\n"),
    "own signal": (
        "import signal\nsignal.signal(signal.SIGUSR2, lambda *_: print('seen'))\n"
        "signal.raise_signal(signal.SIGUSR2)",
        b"seen\n",
    ),
    "own interrupt": (
        "import signal\ntry:\n    signal.raise_signal(signal.SIGINT)\n"
        "except KeyboardInterrupt:\n    print('seen')",
        b"seen\n",
    ),
}


@pytest.fixture(scope="module")
def zygote() -> Iterator[Engine]:
    with WorkerEngine(EngineOptions(python=sys.executable)) as engine:
        yield engine


@pytest.fixture
def shared(zygote: Engine, tmp_path: Path) -> Bench:
    """One zygote engine for all cases, so that each meets what the others left."""
    return Bench(zygote, tmp_path)


@pytest.mark.parametrize("name", CASES)
def test_what_objects_clean_up_themselves_is_no_leak(shared: Bench, name: str) -> None:
    code, output = CASES[name]
    found, after, stopped = shared.outcomes(
        shared.chain(code),
        shared.chain("print('after')"),
        shared.chain("import time\ntime.sleep(1000)", timeout=0.3),
    )
    assert (found.output, found.stderr, found.failure) == (output, b"", None)
    assert (found.replaced, [leak for leak in found.leaks if not leak.undone]) == (None, [])
    names = [leak.what for leak in found.leaks]
    assert not [what for what in names if what.startswith(("child", "thread", "file descriptor"))]
    assert (after.output, after.stderr, after.leaks) == (b"after\n", b"", ())
    assert stopped.failure is not None
    assert (stopped.failure.kind, stopped.failure.line) == ("timeout", 11)


def test_a_process_of_multiprocessing_is_a_fork_of_the_fence(shared: Bench) -> None:
    code = (
        "import multiprocessing, time\n"
        "process = multiprocessing.get_context('fork').Process(target=time.sleep, args=(1000,))\n"
        "process.start()"
    )
    leaks = shared.one(code).leaks
    assert ("child process left running", "a fork of the fence") in [
        (leak.what, leak.now) for leak in leaks
    ]


WRITES = """\
import threading, time
def write(text):
    time.sleep(0.4)
    print(text)
"""


def test_a_thread_that_a_script_waits_for_is_waited_for(shared: Bench) -> None:
    code = (
        "def again(text):\n    write(text)\n"
        "    threading.Thread(target=write, args=('second',)).start()\n"
        "threading.Thread(target=again, args=('first',)).start()\nprint('main')"
    )
    found = shared.one(WRITES + code)
    assert (found.output, found.leaks, found.replaced) == (b"main\nfirst\nsecond\n", (), None)


def test_what_an_executor_has_still_to_do_is_waited_for(shared: Bench) -> None:
    code = (
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\n"
        "for text in 'ab': pool.submit(write, text)\nprint('main')"
    )
    for _ in range(2):
        found = shared.one(WRITES + code)
        assert (found.output, found.leaks, found.replaced) == (b"main\na\nb\n", (), None)


def test_what_a_daemon_thread_writes_later_is_no_output(shared: Bench) -> None:
    endless = "def beat():\n    while True: write('late')\n"
    once, ever, after = shared.outcomes(
        *(
            shared.chain(
                f"{WRITES}{endless}print('main')\n"
                f"threading.Thread(target={target}, name='w', daemon=True).start()"
            )
            for target in ("lambda: write('late')", "beat")
        ),
        shared.chain("print('after')"),
    )
    assert (once.output, ever.output, after.output) == (b"main\n", b"main\n", b"after\n")
    assert once.replaced == ever.replaced == "thread w is still running"
    assert after.leaks == ()


def test_a_daemon_thread_that_ends_soon_is_no_leak(shared: Bench) -> None:
    code = (
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(0.02,), daemon=True).start()"
    )
    found = shared.one(code)
    assert (found.leaks, found.replaced) == ((), None)


def test_a_server_thread_is_the_fences_although_the_library_runs_it(shared: Bench) -> None:
    code = (
        "import http.server, threading\n"
        "server = http.server.HTTPServer(('127.0.0.1', 0), http.server.BaseHTTPRequestHandler)\n"
        "threading.Thread(target=server.serve_forever, name='w', daemon=True).start()"
    )
    assert shared.one(code).replaced == "thread w is still running"


def test_threads_of_an_installed_package_are_the_processes(shared: Bench, tmp_path: Path) -> None:
    package = tmp_path / "site-packages"
    package.mkdir()
    (package / "monitoring.py").write_text(
        "import threading, time\n"
        "def start(): threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n"
    )
    code = "import sys\nsys.path.append('site-packages')\nimport monitoring\nmonitoring.start()"
    found, after = shared.outcomes(shared.chain(code), shared.chain("print(1)"))
    assert (found.replaced, after.output) == (None, b"1\n")


def test_much_code_and_much_output_at_once(shared: Bench) -> None:
    """Neither side waits for the other to read first."""
    padding = "#" * (1 << 20)
    chains = [shared.chain(f"{padding}\nprint({n}, 'x' * 100_000)") for n in range(40)]
    outputs = [found.output for found in shared.outcomes(*chains)]
    assert outputs == [b"%d %s\n" % (n, b"x" * 100_000) for n in range(40)]


def test_a_slow_reader_costs_no_fence_its_time(shared: Bench) -> None:
    """Fences end while nobody looks; their limits are not judged by when somebody does."""
    chains = [shared.chain("import time\ntime.sleep(0.01)", timeout=0.2) for _ in range(6)]
    failures = []
    for event in shared.engine.run(chains):
        time.sleep(0.15)
        failures.append(getattr(getattr(event, "outcome", None), "failure", None))
    assert failures == [None] * 12


def test_a_process_of_its_own_takes_along_what_was_left() -> None:
    start = "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    code = f"import threading, time\n{start}"
    chain = Chain("p.md", os.getcwd(), (Job("1", 1, code, 1),), isolated=True)
    options = EngineOptions(sys.executable, leaks_are_errors=True)
    with WorkerEngine(options) as engine:
        (end,) = (event for event in engine.run([chain]) if isinstance(event, Finished))
    assert end.outcome.failure is None
    (leak,) = end.outcome.leaks
    assert (leak.what, leak.undone) == ("thread left running", True)
    assert end.outcome.replaced is None
