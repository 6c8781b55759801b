"""Pages side by side say what a serial run says, whatever fences do to their processes."""

from __future__ import annotations

import dataclasses
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun import launch
from fencerun.engines import choice
from fencerun.engines.base import EngineOptions
from fencerun.engines.pool import Pool
from fencerun.errors import UsageError
from fencerun.events import Event, FenceDone, FenceStarted, RunDone, RunStarted
from fencerun.request import Request
from fencerun.worker import children

#: What fences do, by name: their tags, and their code with ``{n}`` for something of their own.
DEEDS = {
    "prints": ("", "print({n})"),
    "raises": ("", "print('so far')\n1 / 0"),
    "exits": ("", "import sys; sys.exit(3)"),
    "dies": ("", "import os; os._exit(3)"),
    "is killed": ("", "import os; os.kill(os.getpid(), 9)"),
    "kills the zygote": ("", "import os; os.kill(os.getppid(), 9)\nimport time; time.sleep(9)"),
    "takes too long": (" timeout:0.3", "while True: pass"),
    "leaks a variable": ("", "import os; os.environ['A'] = 'b'; print(len(os.environ['A']))"),
    "leaks a file": ("", "open('left-{n}.txt', 'w').close()"),
    "leaves a thread": (
        "",
        "import threading as t; t.Thread(target=t.Event().wait, daemon=True).start()",
    ),
    "is apart": (" isolated", "print({n})"),
    "is skipped": (' skip:"why"', "print({n})"),
    "needs CUDA": (" requires:cuda", "print({n})"),
    "says nothing": (" quiet", "print({n})"),
    "does not compile": ("", "x = ("),
    "is unstable": (
        "",
        "print('x', file=open('count-{n}', 'a'))\nprint(len(open('count-{n}').read()))",
    ),
}


def block(number: int, deed: str, recorded: str, place: int) -> str:
    tags, code = DEEDS[deed]
    code = code.format(n=place)
    text = f"```python fence:{number}{tags}\n{code}\n```\n\n"
    if recorded:
        said = place if recorded == "right" else "another"
        text += f"```text output:{number}\n{said}\n```\n\n"
    return text


@st.composite
def courses(draw: Any) -> dict[str, str]:
    """Pages by name."""
    pages = {}
    for page in range(draw(st.integers(1, 6))):
        deeds = draw(st.lists(st.sampled_from([*DEEDS, "prints"]), max_size=4))
        text = "".join(
            block(number, deed, draw(st.sampled_from(["", "right", "wrong"])), 100 * page + number)
            for number, deed in enumerate(deeds, 1)
        )
        if draw(st.integers(0, 9)) == 0:
            text += "```python fence:1\nprint()\n```\n\n```python fence:1\nprint()\n```\n"
        if deeds and draw(st.booleans()):
            text += f"```python fence:9 continues:{len(deeds)}\nprint(9)\n```\n"
        pages[f"p{page}.md"] = text
    return pages


def events(verb: str, jobs: int, holds: str = "", **more: object) -> list[Event]:
    """A run of the working directory's pages, without what differs from one run to the next.

    ``holds`` is a requirement to take for granted.
    """
    found: list[Event] = []
    request = Request(verb, **more)  # type: ignore[arg-type]
    session = launch.session(
        request,
        found.append,
        python=sys.executable,
        engine=choice.engine(jobs=jobs),
        root=Path.cwd(),
    )
    session.gate.answers |= dict.fromkeys(holds.split())
    launch.run(session)
    return [_timeless(event) for event in found]


def _timeless(event: Event) -> Event:
    if isinstance(event, RunStarted):
        return dataclasses.replace(event, about="")
    if isinstance(event, FenceDone):
        return FenceDone(dataclasses.replace(event.verdict, seconds=None))
    if isinstance(event, RunDone):
        verdicts = tuple(dataclasses.replace(one, seconds=None) for one in event.verdicts)
        return dataclasses.replace(event, seconds=0.0, verdicts=verdicts)
    return event


def texts() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().glob("*.md")}


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    before = children.descendants(os.getpid())
    yield
    until = time.monotonic() + 5
    while (left := set(children.descendants(os.getpid())) - set(before)) and (
        time.monotonic() < until
    ):
        time.sleep(0.02)
    assert not left


@settings(max_examples=5)
@given(courses(), st.sampled_from(["check", "record"]), st.booleans())
def test_side_by_side_is_as_serial(pages: dict[str, str], verb: str, fail_fast: bool) -> None:
    runs = []
    home = Path.cwd()
    for jobs in (1, 2, 5):
        with tempfile.TemporaryDirectory() as work:
            for name, text in pages.items():
                Path(work, name).write_text(text)
            os.chdir(work)
            try:
                runs.append((events(verb, jobs, fail_fast=fail_fast), texts()))
            finally:
                os.chdir(home)
    if verb == "record" and fail_fast:
        # A page that was written before another went red is told of, and stays written.
        serial, *others = (_verdicts(told) for told, _ in runs)
        for found in others:
            assert {id: found.get(id) for id in serial} == serial
    else:
        assert runs[0] == runs[1] == runs[2]


def _verdicts(told: list[Event]) -> dict[str, FenceDone]:
    return {event.verdict.id: event for event in told if isinstance(event, FenceDone)}


def page(name: str, *codes: str, tags: str = "") -> None:
    text = "".join(
        f"```python fence:{number}{tags}\n{code}\n```\n\n" for number, code in enumerate(codes, 1)
    )
    Path(name).write_text(text)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("VIRTUAL_ENV", "FENCERUN_PAGE", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def fencerun(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fencerun", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


#: Waits until another page is running at the same time.
MEET = """\
import os, time
open("met-{own}.txt", "w").close()
until = time.monotonic() + 20
while not os.path.exists("met-" "{other}.txt") and time.monotonic() < until:
    time.sleep(0.01)
print(os.path.exists("met-" "{other}.txt"))"""


def meeting(own: str, other: str) -> str:
    return MEET.format(own=own, other=other)


def test_pages_run_at_the_same_time_and_their_files_are_their_own(here: Path) -> None:
    page("a.md", meeting("a", "b"))
    page("b.md", meeting("b", "a"))
    told = _verdicts(events("check", 2, show=True))
    assert [one.verdict.printed for one in told.values()] == [("True",), ("True",)]
    leaks = {id: [leak.now for leak in one.verdict.leaks] for id, one in told.items()}
    assert leaks == {"a.md::1": ["met-a.txt"], "b.md::1": ["met-b.txt"]}


def test_pages_that_need_an_accelerator_never_run_at_the_same_time(here: Path) -> None:
    code = "import time\nprint(time.monotonic()); time.sleep(0.2); print(time.monotonic())"
    for name in ("a.md", "b.md", "c.md"):
        page(name, code, tags=" requires:accelerator")
    told = _verdicts(events("check", 3, holds="accelerator", show=True))
    spans = [[float(line) for line in one.verdict.printed or ()] for one in told.values()]
    assert all(len(span) == 2 for span in spans), told
    spans.sort()
    assert spans[0][1] <= spans[1][0]
    assert spans[1][1] <= spans[2][0]


def test_a_new_recording_is_made_twice_on_its_own_lane(here: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        page(name, f"n = len(open('{name}').read()); print(n)", "import os; print(os.getpid())")
    told = _verdicts(events("record", 3))
    kinds = {id: one.verdict.kind for id, one in told.items()}
    assert kinds == {
        f"{name}.md::{number}": kind
        for name in "abc"
        for number, kind in ((1, "recorded"), (2, "refused"))
    }


def test_the_longest_page_of_the_last_run_comes_first(here: Path) -> None:
    page("a.md", "print(1)")
    page("b.md", "import time; time.sleep(0.1)\nprint(2)")
    events("check", 1)
    begun: list[str] = []
    session = launch.session(
        Request("check"), lambda _: None, engine=choice.engine(jobs=2), root=here
    )

    def one_lane(options: EngineOptions) -> Pool:
        return Pool(options, 1)

    session.engine = one_lane
    session.ahead = lambda e: begun.append(e.page) if isinstance(e, FenceStarted) else None
    told: list[Event] = []
    session.emit = told.append
    launch.run(session)
    assert begun == ["b.md", "a.md"]
    assert [e.page for e in told if isinstance(e, FenceStarted)] == ["a.md", "b.md"]


def test_what_dies_with_another_pages_zygote_runs_again(here: Path) -> None:
    page("a.md", meeting("a", "b") + "\ntime.sleep(3)")
    page("b.md", meeting("b", "a") + "\nos.kill(os.getppid(), 9); time.sleep(9)")
    page("c.md", "print(3)")
    told = _verdicts(events("check", 2, show=True))
    assert told["a.md::1"].verdict.printed == ("True",)
    failure = told["b.md::1"].verdict.failure
    assert failure is not None
    assert "forked from" in failure.summary
    assert told["c.md::1"].verdict.printed == ("3",)


@pytest.mark.parametrize("verb", ["check", "record"])
def test_ctrl_c_tells_of_what_was_done_and_leaves_no_process(here: Path, verb: str) -> None:
    page("a.md", "open('a-began', 'w').close(); import time; time.sleep(60)")
    page("b.md", "print(2)")
    page("c.md", "open('c-began', 'w').close(); import time; time.sleep(60)")
    command = [sys.executable, "-m", "fencerun", verb, "-j2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        until = time.monotonic() + 30
        while not all(Path(f"{one}-began").exists() for one in "ac") and time.monotonic() < until:
            time.sleep(0.02)
        below = children.descendants(run.pid)
        run.send_signal(signal.SIGINT)
        said, _ = run.communicate(timeout=30)
    assert run.returncode == 130
    assert below
    assert not [pid for pid in below if Path(f"/proc/{pid}").exists()]
    assert "interrupted" in said
    assert "fencerun " + verb + " a.md c.md" in said
    assert ("output:1" in Path("b.md").read_text()) is (verb == "record")


def test_the_first_one_stops_the_rest(here: Path) -> None:
    page("a.md", "print(1)")
    page("b.md", "1 / 0")
    for number in range(9):
        page(f"c{number}.md", f"open('ran-{number}', 'w').close(); import time; time.sleep(0.3)")
    run = fencerun("check", "-x", "-j2", "--allow-empty")
    assert run.returncode == 1, run.stdout
    assert len(list(Path().glob("ran-*"))) < 9


@pytest.mark.parametrize(
    ("arguments", "lanes"),
    [
        *[(["-j"], None), (["-j", "auto"], None), (["--engine", "pool"], None)],
        *[(["-j", "3"], 3), (["-j3"], 3), (["--engine", "pool", "-j4"], 4), (["-j1"], 1)],
        *[([], 1), (["-j", "a.md"], None)],
    ],
    ids=str,
)
def test_how_many_side_by_side(here: Path, arguments: list[str], lanes: int | None) -> None:
    page("a.md", "x = 1")
    run = fencerun("check", *arguments)
    assert run.returncode == 0, run.stderr
    count = choice.cores() if lanes is None else lanes
    assert (f"up to {count} pages side by side" in run.stdout) is (count > 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-j0"], "0 pages at once are none"),
        (["-j2", "--engine", "inprocess"], "-j: --engine inprocess runs fences in one process"),
        (["--address", "auto"], "--address is that of a Ray cluster"),
        (["-j", "absent.md"], "absent.md"),
    ],
    ids=["none", "in process", "address", "a page that is not there"],
)
def test_calls_that_make_no_sense(here: Path, arguments: list[str], message: str) -> None:
    page("a.md", "x = 1")
    run = fencerun("check", *arguments)
    assert run.returncode == 2
    assert message in run.stderr


def test_debugging_is_for_one_page_at_a_time() -> None:
    with pytest.raises(UsageError, match="-j: --pdb"):
        choice.engine(debug=True, jobs=2)


def test_threads_stay_as_configured(here: Path) -> None:
    Path("pyproject.toml").write_text("[tool.fencerun]\nthreads = 3\n")
    page("a.md", "import os; print(os.environ['OMP_NUM_THREADS'])")
    page("b.md", "import os; print(os.environ['OMP_NUM_THREADS'])")
    told = _verdicts(events("check", 2, show=True))
    assert [one.verdict.printed for one in told.values()] == [("3",), ("3",)]


def test_pytest_and_check_agree_however_many_run_at_once(here: Path) -> None:
    for number, deed in enumerate(["prints", "raises", "dies", "is skipped", "leaks a file"]):
        Path(f"p{number}.md").write_text(
            block(1, deed, "right", 1) + block(2, "prints", "right", 2)
        )
    serial = _verdicts(events("check", 1))
    Path("left-1.txt").unlink()
    both = _verdicts(events("check", 2))
    assert both == serial
    red = {id for id, one in serial.items() if one.verdict.kind not in ("passed", "skipped")}
    command = [sys.executable, "-m", "pytest", "--fences", "-n2", "--dist", "loadfile", "-rA"]
    run = subprocess.run(
        [*command, "-p", "no:cacheprovider", "."], capture_output=True, text=True, timeout=120
    )
    failed = set(re.findall(r"^FAILED (p\d\.md::\S+)", run.stdout, re.MULTILINE))
    passed = set(re.findall(r"^PASSED (p\d\.md::\S+)", run.stdout, re.MULTILINE))
    assert {_id(one) for one in failed} == red, run.stdout
    assert {_id(one) for one in passed} == {
        id for id, one in serial.items() if one.verdict.kind == "passed"
    }


def _id(item: str) -> str:
    """``p0.md::1`` of the item's name."""
    path, _, rest = item.partition("::")
    return f"{path}::{re.findall(r'[0-9]+', rest)[0]}"


def test_without_ray_it_says_what_to_install(here: Path) -> None:
    page("a.md", "print(1)")
    Path("ray.py").write_text("raise ImportError('as if it were not there')")
    command = [sys.executable, "-m", "fencerun", "check", "--engine", "ray"]
    run = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": "."}, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 2
    assert "pip install 'fencerun[ray]'" in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_ctrl_c_also_ends_what_runs_again(here: Path) -> None:
    page("a.md", meeting("a", "b") + "\nopen('a-again', 'a').write('x'); time.sleep(60)")
    page("b.md", meeting("b", "a") + "\ntime.sleep(0.3); os.kill(os.getppid(), 9); time.sleep(60)")
    command = [sys.executable, "-m", "fencerun", "check", "-j2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        until = time.monotonic() + 40
        while time.monotonic() < until:
            time.sleep(0.05)
            if Path("a-again").exists() and len(Path("a-again").read_text()) == 2:
                break
        run.send_signal(signal.SIGINT)
        said, _ = run.communicate(timeout=30)
    assert Path("a-again").read_text() == "xx"
    assert run.returncode == 130, said
