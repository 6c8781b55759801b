"""Cost grows with the page and no faster: counted in calls of functions, not in seconds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fencerun import reader
from fencerun.compare import compare
from fencerun.reader import parse
from fencerun.rule import Rule
from fencerun.splice import NewRecording, splice

FEW, MANY = 100, 1_000

#: How many more calls ten times as much may take.
MOST = 10.5


def calls(work: Callable[[], object]) -> int:
    """How many Python functions ``work`` calls."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def page(count: int) -> bytes:
    return "\n".join(
        f"```python fence:{n}\nprint({n})\n```\n" for n in range(1, count + 1)
    ).encode()


def reading(count: int) -> Callable[[], object]:
    data = page(count)
    return lambda: parse(data)


def recording(count: int) -> Callable[[], object]:
    found = parse(page(count))
    new = {number: NewRecording((str(number),)) for number in range(1, count + 1)}
    return lambda: splice(found, new)


def comparing(count: int) -> Callable[[], object]:
    ours = [f"step {n} loss {n}.5" for n in range(count)]
    theirs = [f"step {n} loss {n}.50001" for n in range(count)]
    return lambda: compare(ours, theirs, Rule(rtol=1e-3))


@pytest.mark.parametrize("work", [reading, recording, comparing])
def test_ten_times_as_much_takes_ten_times_as_many_calls(
    work: Callable[[int], Callable[[], object]],
) -> None:
    work(FEW)()  # compiles patterns and fills caches
    assert calls(work(MANY)) <= MOST * calls(work(FEW))


def test_a_thousand_recordings_are_read_back_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = parse(page(MANY))
    new = {number: NewRecording(("x",)) for number in range(1, MANY + 1)}
    times = 0

    def counted(*arguments: object) -> object:
        nonlocal times
        times += 1
        return parse(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("fencerun.splice.parse", counted)
    assert len(reader.parse(splice(found, new)).recordings) == MANY
    assert times == 1


def test_the_width_of_the_terminal_is_no_part_of_a_result(tmp_path: Path) -> None:
    """C24: recorded in a terminal of 200 columns, checked in one of 40."""
    code = "import argparse, shutil, pprint\nprint(shutil.get_terminal_size())\n"
    code += "pprint.pprint(list(range(60)))\n"
    code += "argparse.ArgumentParser(prog='x', usage='y ' * 60).print_help()"
    found = tmp_path / "p.md"
    found.write_text(f"```python fence:1\n{code}\n```\n")
    for verb, columns in (("record", "200"), ("check", "40")):
        command = f"COLUMNS={columns} exec {sys.executable} -m fencerun {verb} p.md"
        done = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert "columns=80" in found.read_text()
