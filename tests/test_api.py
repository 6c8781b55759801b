"""The Python API, and what it leaves alone in the process that calls it."""

from __future__ import annotations

import dataclasses
import inspect
import io
import json
import os
import re
import subprocess
import sys
import threading
import typing
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import fencerun
import fencerun.api
from fencerun import Run
from fencerun.engines import choice
from fencerun.errors import FencerunError, UsageError

PAGE = """\
```python fence:1
print("one")
```

```python fence:2 requires:slow
print("two")
```
"""


@pytest.fixture(autouse=True)
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("VIRTUAL_ENV", "FENCERUN_PAGE"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "p.md"
    path.write_text(PAGE)
    return path


def kinds(run: Run) -> dict[str, str]:
    return {verdict.id: verdict.kind for verdict in run.verdicts}


def test_check_then_record_then_check(page: Path) -> None:
    first: Run = fencerun.check("p.md")
    assert (first.exit_code, kinds(first)) == (
        1,
        dict.fromkeys(("p.md::1", "p.md::2"), "unrecorded"),
    )
    assert page.read_text() == PAGE
    recorded: Run = fencerun.record(["p.md::1"], once=True)
    assert (recorded.exit_code, kinds(recorded)) == (0, {"p.md::1": "recorded"})
    assert "```text output:1\none\n```" in page.read_text()
    assert kinds(fencerun.check(Path("p.md"), select="one")) == {"p.md::1": "passed"}
    assert kinds(fencerun.check(requires=["slow"])) == {"p.md::2": "unrecorded"}
    without = fencerun.check("p.md", without=["slow"])
    assert without.exit_code == 5
    assert kinds(without)["p.md::2"] == "missing"


def test_a_run_is_frozen_and_tells_of_problems(page: Path) -> None:
    page.write_text(PAGE.replace("fence:2", "fence:1"))
    run = fencerun.check()
    assert run.exit_code == 3
    assert [problem.code for problem in run.problems] == ["number-twice"]
    assert run.seconds > 0
    with pytest.raises(FrozenInstanceError):
        run.exit_code = 0  # type: ignore[misc]


def test_a_run_says_why_it_is_not_green() -> None:
    assert "no fence was selected" in fencerun.check(select="nowhere").notes[0]
    assert fencerun.check(select="nowhere", allow_empty=True).exit_code == 0


def test_a_dry_run_writes_nothing(page: Path) -> None:
    assert fencerun.record(dry_run=True).exit_code == 1
    assert page.read_text() == PAGE


def test_another_root_and_another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = tmp_path / "course"
    (lab / "lessons").mkdir(parents=True)
    (lab / "pyproject.toml").write_text(
        "[tool.fencerun]\npaths = ['lessons']\n[tool.fencerun.capabilities]\nlab = {env = 'LAB'}\n"
    )
    (lab / "lessons/x.md").write_text("```python fence:1 requires:lab\nprint(1)\n```\n")
    with pytest.raises(UsageError, match="--must-have lab"):
        fencerun.check(root=lab, must_have=["lab"])
    monkeypatch.setenv("LAB", "1")
    ran = fencerun.check(root=lab, reports={"jsonl": "run/lab.jsonl"})
    assert kinds(ran) == {"course/lessons/x.md::1": "unrecorded"}
    monkeypatch.delenv("LAB")
    taken = fencerun.record(root=lab, told=[Path("run/lab.jsonl")])
    assert kinds(taken) == {"course/lessons/x.md::1": "recorded"}
    assert (lab / ".fencerun").is_dir()
    assert not (tmp_path / ".fencerun").exists()


def test_what_a_run_from_the_root_tells_is_taken_in_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.fencerun]\n")
    (tmp_path / "lessons").mkdir()
    fails = "\n```python fence:3\n1 / 0\n```\n"
    (tmp_path / "lessons/x.md").write_text(PAGE + fails)
    fencerun.check("lessons", reports={"jsonl": "run.jsonl"})
    monkeypatch.chdir("lessons")
    taken = fencerun.record("x.md", told=["../run.jsonl"])
    recorded = dict.fromkeys(("x.md::1", "x.md::2"), "recorded")
    assert kinds(taken) == {**recorded, "x.md::3": "failed"}
    assert "lessons" not in taken.verdicts[2].page + taken.verdicts[2].remedy


# Reports.


def test_nothing_is_printed_unless_asked(capfd: pytest.CaptureFixture[str]) -> None:
    fencerun.check()
    fencerun.record()
    assert capfd.readouterr() == ("", "")
    fencerun.check(reports={"plain": sys.stdout})
    assert "2 passed" in capfd.readouterr().out


def test_reports_go_to_streams_and_files() -> None:
    stream = io.StringIO()
    fencerun.check(reports={"plain": stream, "jsonl": "out/run.jsonl", "junit": Path("out/j.xml")})
    assert "2 unrecorded" in stream.getvalue(), "and it is still open"
    events = [json.loads(line) for line in Path("out/run.jsonl").read_text().splitlines()]
    assert events[-1]["event"] == "run_done"
    assert all(e["verdict"]["key"] for e in events if e["event"] == "fence_done")
    assert Path("out/j.xml").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    "arguments",
    [
        {"reports": {"nowhere": "x"}},
        {"reports": {"plain": "p.md/x"}},
        {"paths": "missing.md"},
        {"paths": "p.md::9"},
        {"python": "missing-python"},
        {"without": "slow"},
        {"requires": "slow"},
        {"must_have": ["cudo"]},
        *({"jobs": jobs} for jobs in (0, -1, True, "2", "all", 1.0, None)),
        *({"only": only} for only in ("changed", ["orphans"])),
        *({"told": told} for told in ("run.jsonl", Path("run.jsonl"))),
    ],
    ids=str,
)
def test_a_call_that_makes_no_sense(arguments: dict[str, object]) -> None:
    verb = fencerun.record if arguments.keys() & {"only", "told"} else fencerun.check
    with pytest.raises(UsageError):
        verb(**arguments)  # type: ignore[arg-type]
    assert issubclass(UsageError, FencerunError)


# The signatures.


def test_record_takes_what_check_takes_and_more() -> None:
    checked, recorded = map(inspect.signature, (fencerun.check, fencerun.record))
    shared = list(checked.parameters.values())
    assert list(recorded.parameters.values())[: len(shared)] == shared
    assert [*recorded.parameters][len(shared) :] == ["only", "dry_run", "once", "renew", "told"]
    kinds = [one.kind for one in recorded.parameters.values()]
    assert kinds[0] is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert set(kinds[1:]) == {inspect.Parameter.KEYWORD_ONLY}
    assert checked.parameters["jobs"].default == 1


@pytest.mark.parametrize("name", ["check", "record"])
def test_a_verb_is_a_function_that_can_be_asked_about(name: str) -> None:
    verb = getattr(fencerun, name)
    assert verb is getattr(fencerun.api, name)
    assert (verb.__name__, verb.__qualname__, verb.__module__) == (name, name, "fencerun.api")
    assert inspect.getdoc(verb)
    assert inspect.signature(verb).parameters.keys() | {"return"} == verb.__annotations__.keys()
    hints = typing.get_type_hints(verb)
    assert hints["return"] is Run
    assert hints["jobs"] == int | typing.Literal["auto"]


def test_an_argument_that_there_is_not() -> None:
    # What mypy says of each is awaited by the comments.
    with pytest.raises(TypeError, match="dry_run"):
        fencerun.check(dry_run=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        fencerun.record("p.md", "word")  # type: ignore[call-arg]
    with pytest.raises(UsageError):
        fencerun.record("p.md", jobs="all")  # type: ignore[arg-type]


# Pages side by side.

#: A page of each kind: one with nothing to say, one red, one that dies, one with a problem.
COURSE = {
    "a.md": PAGE,
    "b.md": "```python fence:1\nimport time; time.sleep(0.2)\nprint(2)\n```\n",
    "c.md": "```python fence:1\nprint('so far')\n1 / 0\n```\n\n"
    + PAGE.replace("fence:1", "fence:3"),
    "d.md": "```python fence:1\nimport os; os._exit(3)\n```\n",
    "e.md": "```python fence:1\n```\n\n```python fence:1\n```\n",
    "f.md": "Prose.\n",
}


#: What a report of events says of time, and of the engine.
VARIES = r'"seconds":[^,}]*|"about":"[^"]*"'


def told(verb: str, jobs: int, home: Path) -> tuple[object, ...]:
    """All that a run of the course says and writes, without what differs from run to run."""
    for name, text in COURSE.items():
        (home / name).write_text(text)
    stream = io.StringIO()
    run: Run = getattr(fencerun, verb)(home, root=home, jobs=jobs, reports={"jsonl": stream})
    said = [re.sub(VARIES, "", line) for line in stream.getvalue().splitlines()]
    verdicts = [dataclasses.replace(one, seconds=None) for one in run.verdicts]
    texts = {name: (home / name).read_text() for name in COURSE}
    return said, verdicts, run.problems, run.notes, run.exit_code, texts


@pytest.mark.parametrize("verb", ["check", "record"])
def test_side_by_side_as_one_after_another(verb: str, tmp_path: Path) -> None:
    home = tmp_path / "course"
    home.mkdir()
    serial = told(verb, 1, home)
    assert serial[4] == 3
    assert "ZeroDivisionError" in str(serial[1])
    assert told(verb, 3, home) == serial


def test_as_many_pages_as_there_are_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "cores", lambda: 5)
    stream = io.StringIO()
    assert fencerun.check(jobs="auto", reports={"plain": stream}).exit_code == 1
    assert "up to 5 pages side by side" in stream.getvalue()


# The calling process.

CALLER = """
import ctypes, os, signal, sys, threading
import fencerun
loaded = [name for name in sys.modules if name.startswith("fencerun.")]
assert not loaded, loaded
def state():
    flag = ctypes.c_int(-1)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(37, ctypes.byref(flag), 0, 0, 0)  # PR_GET_CHILD_SUBREAPER
    descriptors = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return (os.getcwd(), dict(os.environ), flag.value, descriptors, handlers, streams,
            threading.active_count(), sys.argv, list(sys.path), signal.set_wakeup_fd(-1))
import fencerun.api, fencerun.engines.pool
before = state()
fencerun.check("p.md", reports={"jsonl": os.devnull})
fencerun.record("p.md")
fencerun.check(["p.md", "q.md"], jobs=2)
after = state()
assert before == after, [pair for pair in zip(before, after) if pair[0] != pair[1]]
assert before[2] in (0, -1), "a subreaper"
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("no child is left")
"""


def test_the_caller_stays_as_it_is() -> None:
    Path("q.md").write_text(PAGE)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CALLER], capture_output=True, text=True, timeout=120
    )
    assert (done.stdout, done.stderr) == ("no child is left\n", "")


def test_the_functions_are_not_hidden_by_modules() -> None:
    """A module of that name would take the function's place once something imports it."""
    package = Path(fencerun.__file__).parent
    modules = {path.stem for path in package.iterdir()}
    assert not modules & set(fencerun.__all__)
    assert set(fencerun.__all__) <= set(dir(fencerun))
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        fencerun.chekc  # type: ignore[attr-defined]  # noqa: B018


def test_calls_from_threads_do_not_meet(page: Path) -> None:
    Path("q.md").write_text(PAGE)
    found: dict[str, Run] = {}

    def call(name: str) -> None:
        found[name] = fencerun.record(name)

    threads = [threading.Thread(target=call, args=(name,)) for name in ("p.md", "q.md")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: run.exit_code for name, run in found.items()} == {"p.md": 0, "q.md": 0}
    assert page.read_text() == Path("q.md").read_text()


def test_an_interrupted_run_raises_when_all_is_cleaned_up() -> None:
    code = """
import os, signal, threading, fencerun
threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    fencerun.check("p.md")
except KeyboardInterrupt:
    print("interrupted")
"""
    Path("p.md").write_text("```python fence:1\nimport time; time.sleep(50)\n```\n")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=os.environ
    )
    assert done.stdout == "interrupted\n", done.stderr
