"""Fences that kill, hang or spoil their process: each costs itself and nothing else."""

# Fences stand on one line in the tables.
# ruff: noqa: E501

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fencerun.engines.base import Blocked, Chain, EngineError, EngineOptions, Finished, Job
from fencerun.engines.worker import WorkerEngine
from fencerun.result import Outcome
from fencerun.worker import children

if TYPE_CHECKING:
    from .conftest import Bench

# (code, kind, summary, page line, output); the fence starts on page line 10.
DEATHS: dict[str, tuple[str, str, str, int | None, bytes]] = {
    "segfault": (
        "print('before')\nimport ctypes\nctypes.string_at(0)",
        "crash", "the process died of SIGSEGV (signal 11)", 12, b"before\n",
    ),
    "abort": (
        "import os\nprint('before')\nos.abort()",
        "crash", "the process died of SIGABRT (signal 6)", 12, b"before\n",
    ),
    "exit 0": (
        "import os\nprint('before')\nos._exit(0)",
        "crash", "the process ended with status 0: os._exit, or exec", 12, b"before\n",
    ),
    "exec": (
        "import os\nprint('before', flush=True)\nos.execvp('sh', ['sh', '-c', 'exit 4'])",
        "crash", "the process ended with status 4: os._exit, or exec", 12, b"before\n",
    ),
    "exit 3": ("import os\nos._exit(3)", "crash", "the process ended with status 3: os._exit, or exec", 11, b""),
    "kill": (
        "import os, signal\nprint('before')\nos.kill(os.getpid(), signal.SIGKILL)",
        "crash", "the process died of SIGKILL (signal 9)", None, b"before\n",
    ),
    "loop": ("print('before')\nwhile True:\n    pass", "timeout", "no end after 0.3 s", None, b"before\n"),
    "sleep": ("import time\ntime.sleep(1000)", "timeout", "no end after 0.3 s", 11, b""),
    "deadlock": (
        "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
        "timeout", "no end after 0.3 s", 13, b"",
    ),
    "regex that holds the interpreter": (
        "import re\ndef work():\n    re.match(r'(a+)+$', 'a' * 40 + 'b')\nwork()",
        "timeout", "no end after 0.3 s", 12, b"",
    ),
    "C call that holds the interpreter": (
        "import ctypes\nctypes.PyDLL(None).pause()\nctypes.PyDLL(None).sleep(1000)",
        "timeout", "no end after 0.3 s", 11, b"",
    ),
    "swallowed interrupt": (
        "import time\nwhile True:\n    try:\n        time.sleep(1000)\n    except BaseException:\n        pass",
        "timeout", "no end after 0.3 s", 13, b"",
    ),
    "interrupt taken for the end": (
        "import time\ntry:\n    time.sleep(1000)\nexcept KeyboardInterrupt:\n    print('stopped')",
        "timeout", "no end after 0.3 s", 12, b"stopped\n",
    ),
    "ignored interrupt": (
        "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntime.sleep(1000)",
        "timeout", "no end after 0.3 s", 12, b"",
    ),
    "value that does not end": (
        "import time", "timeout", "the value `time.sleep(1000)`: no end after 0.3 s", None, b"",
    ),
    "value that does not end and can't be interrupted": (
        "import re\ndef f():\n    re.match(r'(a+)+$', 'a' * 40 + 'b')",
        "timeout", "the value `f()`: no end after 0.3 s", 12, b"",
    ),
    "value that kills the process": (
        "import os\nprint('before')", "crash",
        "the value `os.abort()`: the process died of SIGABRT (signal 6)", None, b"before\n",
    ),
    "value that leaves the process": (
        "import os\ndef f():\n    os._exit(3)", "crash",
        "the value `f()`: the process ended with status 3: os._exit, or exec", None, b"",
    ),
    "end of the chain that does not end": (
        "import time\nclass Slow:\n    def __del__(self, sleep=time.sleep): sleep(1000)\nslow = Slow()",
        "timeout", "no end after 0.3 s", 12, b"",
    ),
    "all descriptors closed": (
        "import os\nos.closerange(0, 1024)",
        "crash", "the fence closed the file descriptors through which its worker answers", None, b"",
    ),
    "nonsense for an answer": (
        "import os\nfor n in range(200, 210):\n    try: os.write(n, b'{]\\n')\n    except OSError: pass",
        "crash", "the process sent something that is no answer (not a frame: b'{]')", None, b"",
    ),
}  # fmt: skip

#: Of these, faulthandler or a traceback says where; the exact line is the platform's affair.
SHELL_TIMEOUT = "echo before\nsleep 1000 & sleep 1000"


@pytest.mark.parametrize("name", DEATHS)
def test_a_death_is_blamed_on_its_fence(supervised: Bench, name: str) -> None:
    code, kind, summary, line, output = DEATHS[name]
    timeout = 0.3 if kind == "timeout" else 20.0
    value = summary.partition("`")[2].partition("`")[0]
    values = (("1", None), (value, None)) if name.startswith("value") else ()
    before, found, after = supervised.outcomes(
        supervised.chain("print('first')"),
        supervised.chain(code, timeout=timeout, values=values),
        supervised.chain("import os\nprint('last')"),
    )
    assert (before.output, before.failure) == (b"first\n", None)
    assert (after.output, after.failure, after.leaks) == (b"last\n", None, ())
    assert found.failure is not None
    assert (found.failure.kind, found.failure.summary) == (kind, summary)
    if line is not None:
        assert found.failure.line == line
    if name != "nonsense for an answer":
        assert found.output == output


def test_a_fence_that_breaks_the_worker_is_blamed(supervised: Bench) -> None:
    found, after = supervised.outcomes(
        supervised.chain("import time\ndel time.perf_counter"), supervised.chain("print(1)")
    )
    assert found.failure is not None
    assert found.failure.kind == "crash"
    assert "perf_counter" in found.failure.summary
    assert "Traceback" in found.failure.traceback
    assert after.output == b"1\n"


def test_a_death_blocks_the_rest_of_its_chain(supervised: Bench) -> None:
    ends = supervised.ends(
        supervised.chain("pass", "import os\nos._exit(0)", "print(1)"), supervised.chain("print(2)")
    )
    assert ends[2] == Blocked("lesson.md::3", "lesson.md::2")
    assert isinstance(ends[3], Outcome)
    assert ends[3].output == b"2\n"


def test_shell_that_does_not_end(supervised: Bench) -> None:
    found, after = supervised.outcomes(
        supervised.chain(SHELL_TIMEOUT, language="bash", timeout=0.3), supervised.chain("print(1)")
    )
    assert found.failure is not None
    assert (found.failure.kind, found.output, after.output) == ("timeout", b"before\n", b"1\n")


def test_flood_while_it_runs(supervised: Bench) -> None:
    found, after = supervised.outcomes(
        supervised.chain("while True:\n    print('x' * 1000)"), supervised.chain("print(1)")
    )
    assert found.failure is not None
    assert (found.failure.kind, found.failure.summary) == ("flood", "more than 1 MiB of output")
    assert len(found.output) == 1 << 20
    assert found.dropped > 0
    assert after.output == b"1\n"


def test_flood_that_is_over_at_once(supervised: Bench) -> None:
    found, after = supervised.outcomes(
        supervised.chain("print('x' * (1 << 20))"), supervised.chain("print(1)")
    )
    assert found.failure is not None
    assert (found.failure.summary, found.dropped) == ("more than 1 MiB of output", 1)
    assert after.output == b"1\n"


@pytest.mark.parametrize("daemon", [False, True])
def test_a_thread_left_behind_spoils_the_worker(supervised: Bench, daemon: bool) -> None:
    """A script would wait for it, if it is no daemon, for ever."""
    code = (
        "import threading, time, os\n"
        f"threading.Thread(target=time.sleep, args=(1000,), name='w', daemon={daemon}).start()\n"
        "print(os.getpid())"
    )
    found, after = supervised.outcomes(
        supervised.chain(code, timeout=20.0 if daemon else 0.5),
        supervised.chain("import os\nprint(os.getpid())"),
    )
    assert [(leak.what, leak.now, leak.undone) for leak in found.leaks] == [
        ("thread left running", "w", False)
    ]
    assert (found.failure and found.failure.summary) == (None if daemon else "no end after 0.5 s")
    assert found.replaced == "thread w is still running"
    assert after.output != found.output
    assert not Path(f"/proc/{int(found.output)}").exists()


def test_a_worker_is_kept_after_an_exception_or_an_interrupt(supervised: Bench) -> None:
    pid = "import os\nprint(os.getpid())"
    first, _, _, last = supervised.outcomes(
        supervised.chain(pid),
        supervised.chain("1 / 0"),
        supervised.chain("while True: pass", timeout=0.2),
        supervised.chain(pid),
    )
    assert first.output == last.output


def test_an_interrupt_that_comes_late_hits_nobody(supervised: Bench) -> None:
    """Fences that end at about their time limit: the next one is never interrupted."""
    close = [
        supervised.chain(f"import time\ntime.sleep({0.02 + 0.001 * n})", timeout=0.025)
        for n in range(10)
    ]
    plain = supervised.chain("for _ in range(200_000): pass\nprint('whole')")
    chains = [chain for one in close for chain in (one, plain)]
    ends = supervised.outcomes(*chains)
    assert [(end.output, end.failure) for end in ends[1::2]] == [(b"whole\n", None)] * len(close)
    assert {end.failure and end.failure.kind for end in ends[::2]} <= {None, "timeout"}


def test_isolated_chains_have_a_process_of_their_own(supervised: Bench) -> None:
    pid = "import os\nprint(os.getpid())"
    shared, alone, also_alone, again = supervised.outcomes(
        supervised.chain(pid),
        supervised.chain(pid, isolated=True),
        supervised.chain(pid, isolated=True),
        supervised.chain(pid),
    )
    assert shared.output == again.output
    assert len({shared.output, alone.output, also_alone.output}) == 3
    assert not Path(f"/proc/{int(alone.output)}").exists()


def test_children_of_a_dead_fence_are_ended(supervised: Bench) -> None:
    code = (
        "import os, subprocess\n"
        "one = subprocess.Popen(['sleep', '1000'])\n"
        "two = subprocess.Popen(['sh', '-c', 'sleep 1000 & echo $!; wait'], stdout=subprocess.PIPE)\n"
        "print(one.pid, two.pid, int(two.stdout.readline()), flush=True)\nos._exit(0)"
    )
    found, after = supervised.outcomes(supervised.chain(code), supervised.chain("print(1)"))
    assert after.output == b"1\n"
    assert_gone(map(int, found.output.split()))


def test_a_daemon_left_behind_is_found(supervised: Bench) -> None:
    """It forked twice and has a session of its own, so it is nobody's child but the reaper's."""
    code = (
        "import os, time\nr, w = os.pipe()\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        os.write(w, str(os.getpid()).encode())\n        time.sleep(1000)\n    os._exit(0)\n"
        "os.wait()\nprint(os.read(r, 99).decode())"
    )
    found = supervised.one(code + "\nos.close(r)\nos.close(w)")
    assert [leak.what for leak in found.leaks] == ["child process left running"]
    assert_gone([int(found.output)])


def assert_gone(pids: Any, seconds: float = 5.0) -> None:
    """Every process is gone, or goes within a few seconds."""
    until = time.monotonic() + seconds
    left = set(pids)
    while left and time.monotonic() < until:
        left = {pid for pid in left if children.command(pid)}
        time.sleep(0.01)
    assert not left


# The engine's own life.

PID = "import os\nprint(os.getpid(), os.getppid())"


def _chain(code: str, directory: Path, key: str = "a", **job: Any) -> Chain:
    return Chain("lesson.md", str(directory), (Job(key, 1, code, 1, **job),))


def _outcome(engine: WorkerEngine, chain: Chain) -> Outcome:
    (found,) = [event for event in engine.run([chain]) if isinstance(event, Finished)]
    return found.outcome


@pytest.fixture(params=[False, True], ids=["zygote", "plain"])
def own_engine(request: pytest.FixtureRequest) -> Iterator[WorkerEngine]:
    with WorkerEngine(EngineOptions(python=sys.executable), plain=request.param) as engine:
        yield engine


def test_close_leaves_no_process(own_engine: WorkerEngine, tmp_path: Path) -> None:
    found = _outcome(own_engine, _chain(PID, tmp_path))
    started = {int(pid) for pid in found.output.split()} - {os.getpid()}
    own_engine.close()
    own_engine.close()
    assert_gone(started, 0.5)


def test_an_abandoned_run_ends_what_it_was_doing(own_engine: WorkerEngine, tmp_path: Path) -> None:
    endless = _chain("import time\ntime.sleep(1000)", tmp_path)
    for _ in own_engine.run([endless, endless]):
        break
    assert _outcome(own_engine, _chain("print(1)", tmp_path)).output == b"1\n"


def test_an_engine_runs_again_after_it_was_closed(own_engine: WorkerEngine, tmp_path: Path) -> None:
    own_engine.close()
    assert _outcome(own_engine, _chain("print(1)", tmp_path)).output == b"1\n"


def test_a_dead_zygote_is_replaced(tmp_path: Path) -> None:
    with WorkerEngine(EngineOptions(python=sys.executable)) as engine:
        found = _outcome(engine, _chain(PID, tmp_path))
        worker, zygote = map(int, found.output.split())
        os.kill(zygote, signal.SIGKILL)
        assert_gone([worker])
        again = _outcome(engine, _chain(PID, tmp_path))
        assert again.failure is None
        assert again.output != found.output


def test_a_fence_that_kills_the_zygote_is_blamed(tmp_path: Path) -> None:
    with WorkerEngine(EngineOptions(python=sys.executable)) as engine:
        code = "import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(1000)"
        found = _outcome(engine, _chain(code, tmp_path))
        assert found.failure is not None
        assert found.failure.kind == "crash"
        assert _outcome(engine, _chain("print(1)", tmp_path)).output == b"1\n"


def test_a_worker_killed_between_fences_costs_nobody(tmp_path: Path) -> None:
    with WorkerEngine(EngineOptions(python=sys.executable)) as engine:
        found = _outcome(engine, _chain(PID, tmp_path))
        worker = int(found.output.split()[0])
        os.kill(worker, signal.SIGKILL)
        assert_gone([worker])
        again = _outcome(engine, _chain(PID, tmp_path))
        assert again.failure is None
        assert again.output != found.output


BAD_INTERPRETERS = {
    "missing": (None, "does not start: No such file or directory"),
    "silent": ("#!/bin/sh\nexit 3\n", "ended at once with status 3"),
    "talking": ("#!/bin/sh\necho no such module >&2\nexit 1\n", "no such module"),
}


@pytest.mark.parametrize("name", BAD_INTERPRETERS)
@pytest.mark.parametrize("plain", [False, True], ids=["zygote", "plain"])
def test_an_interpreter_that_does_not_run_fences(tmp_path: Path, name: str, plain: bool) -> None:
    script, message = BAD_INTERPRETERS[name]
    python = tmp_path / "python"
    if script is not None:
        python.write_text(script)
        python.chmod(0o755)
    engine = WorkerEngine(EngineOptions(python=str(python)), plain=plain)
    with pytest.raises(EngineError, match=message):
        _outcome(engine, _chain("print(1)", tmp_path))
    engine.close()


def test_missing_modules_to_load_are_no_error(tmp_path: Path) -> None:
    options = EngineOptions(python=sys.executable, preload=("no_such_module", "colorsys"))
    with WorkerEngine(options) as engine:
        assert "no_such_module" not in engine.describe()
        code = "import sys\nprint('colorsys' in sys.modules)"
        assert _outcome(engine, _chain(code, tmp_path)).output == b"True\n"


def test_what_loading_prints_is_no_fences_output(tmp_path: Path) -> None:
    options = EngineOptions(python=sys.executable, preload=("this",))
    with WorkerEngine(options) as engine:
        assert _outcome(engine, _chain("print(1)", tmp_path)).output == b"1\n"


def test_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("PYTHONOPTIMIZE", "1")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    code = (
        "import os, sys, time\nassert not __debug__ or True\n"
        "print(os.environ.get('FORCE_COLOR'), __debug__, time.tzname[0], os.environ['COLUMNS'],"
        " os.environ['MINE'], hash('a'), sys.stdout.encoding)"
    )
    outputs = set()
    for _ in range(2):
        options = EngineOptions(python=sys.executable, env={"MINE": "yes"}, width=99)
        with WorkerEngine(options) as engine:
            outputs.add(_outcome(engine, _chain(code, tmp_path)).output)
    (only,) = outputs
    assert only.startswith(b"None True UTC 99 yes ")
    assert only.endswith(b" utf-8\n")


def test_leaks_may_count_as_failures(tmp_path: Path) -> None:
    code = (
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(1000,), name='w', daemon=True).start()"
    )
    with WorkerEngine(EngineOptions(python=sys.executable, leaks_are_errors=True)) as engine:
        found = _outcome(engine, _chain(code, tmp_path))
        assert found.failure is not None
        assert (found.failure.kind, found.failure.summary) == (
            "leak", "left behind: thread left running (w)",
        )  # fmt: skip


ORPHANS = """
import sys, time
from fencerun.engines.base import *
from fencerun.engines.worker import WorkerEngine
engine = WorkerEngine(EngineOptions(python=sys.executable), plain={plain})
code = '''
import os, subprocess, time
child = subprocess.Popen(["sleep", "1000"])
open("pids", "w").write(f"{{os.getpid()}} {{os.getppid()}} {{child.pid}}")
os.rename("pids", "ready")
time.sleep(1000)
'''
list(engine.run([Chain("x.md", {directory!r}, (Job("a", 1, code, 1),))]))
"""


def test_nothing_outlives_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = ORPHANS.format(plain=False, directory=str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", script]) as parent:
        ready = tmp_path / "ready"
        until = time.monotonic() + 20
        while not ready.exists() and time.monotonic() < until:
            time.sleep(0.01)
        pids = [int(pid) for pid in ready.read_text().split()]
        assert all(children.command(pid) for pid in pids)
        parent.kill()
    assert_gone(pids)
