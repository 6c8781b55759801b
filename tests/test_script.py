"""A chain of fences prints what one script of the same code prints."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fencerun.engines.base import Chain, EngineOptions, Finished, Job
from fencerun.engines.worker import WorkerEngine

NAMES = ("a", "b", "c")

name = st.sampled_from(NAMES)
number = st.integers(-3, 12).map(str)
value = number | name | st.builds("{} + {}".format, name, number) | st.just("len(log)")

#: One statement each; all of them may fail, as those of a script may.
statement = st.one_of(
    st.builds("{} = {}".format, name, value),
    st.builds("{} = {} = {}".format, name, name, value),
    st.builds("{} += {}".format, name, value),
    st.builds("print({!r}, {})".format, name, name),
    st.builds("log.append({})".format, value),
    st.builds("print(log)".format),
    st.builds("del {}".format, name),
    st.builds("for {0} in range({1} % 4):\n    print({0})".format, name, value),
    st.builds("if {0} > {1}:\n    {2} = {0}\nelse:\n    print('no')".format, name, value, name),
    st.builds(
        "def f_{0}(x={1}):\n    global {2}\n    {2} = x\n    return {0}".format, name, value, name
    ),
    st.builds("print(f_{}({}))".format, name, value),
    st.builds("{} = [lambda: {} for _ in '1'][0]()".format, name, name),
    st.builds(
        "class C_{0}:\n    x = {1}\n    def m(self):\n        return {0}".format, name, value
    ),
    st.builds("print(C_{0}().x, C_{0}().m(), C_{0}.__module__, C_{0}.__qualname__)".format, name),
    st.builds(
        "try:\n    {} = 1 // {}\nexcept ZeroDivisionError as e:\n    print(e)".format, name, value
    ),
    st.builds("import random\nprint(random.Random({}).random())".format, value),
    st.builds("import os as {0}\nprint({0}.path.basename('x/y'))".format, name),
    st.builds("print(sorted(n for n in globals() if n in 'abc'), __name__)".format),
    st.builds("print(*(v for v in (1, {}) if v))".format, value),
    st.builds(
        "match {}:\n    case 0:\n        print('zero')\n    case _:\n        print('some')".format,
        value,
    ),
    st.builds("{}: int = {}\nprint(list(__annotations__))".format, name, value),
    st.builds("if __name__ == '__main__':\n    print({})".format, value),
    st.builds("assert {0} >= {1}, ({0}, 'x')".format, name, value),
    st.builds("print(f'{{{}!r:>4}}', end='|')".format, name),
)
START = "log = []\na, b, c = 1, 2, 0\n"


@pytest.fixture(scope="module")
def engine() -> Iterator[WorkerEngine]:
    with WorkerEngine(EngineOptions(sys.executable)) as engine:
        yield engine


def _script(code: str, directory: Path) -> tuple[str, int]:
    """What the code prints as a script of its own, and how it ends."""
    file = directory / "p.py"
    file.write_text(code)
    command = [sys.executable, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=directory)
    return done.stdout, done.returncode


def _chain(engine: WorkerEngine, fences: list[str], directory: Path) -> tuple[str, bool]:
    """What the code prints as a chain, and whether one of its fences failed."""
    jobs, line = [], 2
    for place, code in enumerate(fences, 1):
        jobs.append(Job(str(place), place, code, line))
        line += code.count("\n") + 5
    ends = list(engine.run([Chain("p.md", str(directory), tuple(jobs))]))
    outcomes = [end.outcome for end in ends if isinstance(end, Finished)]
    text = b"".join(outcome.output for outcome in outcomes).decode()
    return text, any(outcome.failure for outcome in outcomes)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.lists(statement, min_size=1, max_size=4), min_size=1, max_size=5))
def test_a_chain_is_one_script(
    engine: WorkerEngine, tmp_path: Path, groups: list[list[str]]
) -> None:
    fences = ["\n".join(group) + "\n" for group in groups]
    fences[0] = START + fences[0]
    printed, status = _script("".join(fences), tmp_path)
    assert _chain(engine, fences, tmp_path) == (printed, status != 0)


EXITS: dict[str, tuple[str, ...]] = {
    "last registered, first called": (
        "import atexit\nfor n in range(3):\n    atexit.register(print, n, end='|')\n",
        "atexit.register(print, 'later')\nprint('over')\n",
    ),
    "after a failure": (
        "import atexit\n@atexit.register\ndef bye():\n    print('bye', sorted(n))\n",
        "n = {2, 1}\n1 / 0\n",
        "print('never')\n",
    ),
    "after an exit": ("import atexit, sys\natexit.register(print, 'bye')\nsys.exit(3)\n",),
    "unregistered": (
        "import atexit\natexit.register(print, 1)\natexit.register(print, 2)\n",
        "atexit.register(len, 'x')\natexit.unregister(print)\n",
    ),
    "an exception stops no other": (
        "import atexit\natexit.register(print, 'still called')\n",
        "atexit.register(int, 'x')\n@atexit.register\ndef bye():\n    raise SystemExit(3)\n",
    ),
    "registered and unregistered by handlers": (
        "import atexit\ndef no():\n    print('never')\natexit.register(no)\n"
        "def bye():\n    atexit.register(print, 'too late')\n    atexit.unregister(no)\n"
        "    print('bye')\n",
        "atexit.register(bye)\n",
    ),
    "before objects die": (
        "import atexit\nclass Noisy:\n    def __del__(self):\n        print('dies')\n",
        "noisy = Noisy()\natexit.register(lambda: print('bye', type(noisy).__name__))\n",
    ),
    "in a fork": (
        "import atexit, os\natexit.register(lambda: print('bye', os.getpid() == me))\n",
        "me = os.getpid()\nif os.fork():\n    os.wait()\n    print('parent')\n",
    ),
    "from a module beside the page": (
        "from pathlib import Path\n"
        "Path('beside.py').write_text('import atexit; atexit.register(print, __name__)')\n",
        "import beside\nprint('imported')\n",
    ),
    "a hook for what goes wrong": (
        "import atexit, sys\nsys.unraisablehook = lambda said: print(said.exc_type, said.object)\n",
        "atexit.register(int, 'x')\n",
    ),
    "standard error": (
        "import atexit, sys\n",
        "atexit.register(lambda: print('bye', file=sys.stderr))\nprint('over')\n",
    ),
}


@pytest.mark.parametrize("fences", EXITS.values(), ids=list(EXITS))
def test_exit_handlers_run_at_the_end_of_the_chain(
    engine: WorkerEngine, tmp_path: Path, fences: tuple[str, ...]
) -> None:
    printed, status = _script("".join(fences), tmp_path)
    assert _chain(engine, list(fences), tmp_path) == (printed, status not in (0, None))
    # They are the chain's: the next one has none, and none of them is a leak.
    assert _chain(engine, ["print('next')\n"], tmp_path) == ("next\n", False)


def test_output_of_exit_handlers_is_the_last_fences(engine: WorkerEngine, tmp_path: Path) -> None:
    first = (
        "import atexit\natexit.register(print, 'bye')\n\n@atexit.register\ndef f():\n    1 / 0\n"
    )
    jobs = (Job("1", 1, first, 10), Job("2", 2, "print('over')\n", 30, stderr=True))
    ends = list(engine.run([Chain("p.md", str(tmp_path), jobs)]))
    one, two = (end.outcome for end in ends if isinstance(end, Finished))
    assert (one.output, one.leaks, one.failure) == (b"", (), None)
    said, _, traceback = two.output.decode().partition(" <function f at ")
    assert said.removesuffix(":") == "over\nException ignored in atexit callback"
    assert 'Traceback (most recent call last):\n  File "p.md", line 15, in f\n' in traceback
    assert traceback.endswith("ZeroDivisionError: division by zero\nbye\n")
    assert (two.leaks, two.failure, two.replaced) == ((), None, None)


def test_an_exit_handler_has_its_fences_time(engine: WorkerEngine, tmp_path: Path) -> None:
    code = "import atexit\n@atexit.register\ndef f():\n    while True:\n        pass\n"
    chain = Chain("p.md", str(tmp_path), (Job("1", 1, code, 10, timeout=1.0),))
    _, end = engine.run([chain])
    assert isinstance(end, Finished)
    assert end.outcome.failure is not None
    assert end.outcome.failure.kind == "timeout"
    assert end.outcome.failure.line in (13, 14)
    assert _chain(engine, ["print('next')\n"], tmp_path) == ("next\n", False)
