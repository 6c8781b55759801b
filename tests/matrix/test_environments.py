"""Environments that are kept, built, and built again. The installer is one that we play."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fencerun.errors import UsageError
from fencerun.matrix.environments import DIRECTORY, Builder, NotBuilt, builder_for, identity
from fencerun.matrix.wish import Wish, wishes

#: Plays uv: an environment is a link to our interpreter, a package a line in a file.
UV = f"""\
#!{sys.executable}
import os, pathlib, sys, time
words = sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    calls.write(" ".join(words) + "\\n")
if words[0] == "venv":
    directory = pathlib.Path(words[-1], "bin")
    directory.mkdir(parents=True)
    (directory / "python").symlink_to({sys.executable!r})
else:
    if "STARTED" in os.environ:
        import subprocess
        child = subprocess.Popen(["sleep", "60"])
        pathlib.Path(os.environ["STARTED"]).write_text(str(child.pid))
    time.sleep(float(os.environ.get("SLOW", "0")))
    for line in range(40):
        print("line", line, flush=True)
    if "broken" in words:
        print("no such package: broken\\x1b[31m", file=sys.stderr)
        sys.exit(7)
    home = pathlib.Path(words[words.index("--python") + 1]).parents[1]
    (home / "installed").write_text(" ".join(words[4:]))
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """What the installer was called with; in an empty directory."""
    uv = tmp_path / "tools/uv"
    uv.parent.mkdir()
    uv.write_text(UV)
    uv.chmod(0o755)
    log = tmp_path / "calls"
    monkeypatch.setenv("CALLS", str(log))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")

    def said() -> list[str]:
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return [line.split()[0] for line in lines]

    return said


@pytest.fixture
def builder(calls: Callable[[], list[str]], tmp_path: Path) -> Builder:
    uv = str(tmp_path / "tools/uv")
    return Builder(Path.cwd(), sys.executable, "one interpreter", uv)


def wish(spec: str = "tiny==1", *common: str) -> Wish:
    return wishes([spec], common)[0]


BUILD = ["venv", "pip"]


def test_it_is_built_once(builder: Builder, calls: Callable[[], list[str]]) -> None:
    for expected in (BUILD, []):
        with builder.environment(wish("tiny==1 b", "numpy")) as python:
            assert (python.parents[1] / "installed").read_text() == "tiny==1 b numpy"
            assert os.access(python, os.X_OK)
        assert calls() == expected
    assert (Path(DIRECTORY).parent / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda builder: (replace(builder, identity="another"), wish()),
        lambda builder: (replace(builder, arguments=("--pre",)), wish()),
        lambda builder: (replace(builder, afresh=True), wish()),
        lambda builder: (builder, wish("tiny==1", "numpy")),
        lambda builder: (builder, _spoil("fencerun.json", b"{")),
        lambda builder: (builder, _spoil("fencerun.json", None)),
        lambda builder: (builder, _spoil("bin/python", None)),
    ],
    ids=["python", "arguments", "rebuild", "with", "broken-note", "no-note", "no-python"],
)
def test_it_is_built_again_where_it_does_not_fit(
    builder: Builder,
    calls: Callable[[], list[str]],
    change: Callable[[Builder], tuple[Builder, Wish]],
) -> None:
    with builder.environment(wish()) as python:
        (python.parents[1] / "left over").touch()
    assert calls() == BUILD
    other, wanted = change(builder)
    with other.environment(wanted) as python:
        assert not (python.parents[1] / "left over").exists()
    assert calls() == BUILD


def _spoil(name: str, data: bytes | None) -> Wish:
    file = Path(DIRECTORY, wish().name, name)
    if data is None:
        file.unlink()
    else:
        file.write_bytes(data)
    return wish()


def test_another_spec_is_another_environment(
    builder: Builder, calls: Callable[[], list[str]]
) -> None:
    for spec in ("tiny==1", "tiny>=1", "tiny==1"):
        with builder.environment(wish(spec)):
            pass
    assert calls() == BUILD * 2


@pytest.mark.parametrize("spec", ["{}", "tiny@file://{}"])
def test_a_file_that_was_written_anew(
    spec: str, builder: Builder, calls: Callable[[], list[str]], tmp_path: Path
) -> None:
    wheel = tmp_path / "tiny.whl"
    for text in ("one", "another", "another"):
        if not wheel.exists() or wheel.read_text() != text:
            wheel.write_text(text)
        with builder.environment(wish(spec.format(wheel))):
            pass
    assert calls() == BUILD * 2


def test_one_that_cannot_be_built(builder: Builder, calls: Callable[[], list[str]]) -> None:
    with pytest.raises(NotBuilt) as caught, builder.environment(wish("broken")):
        pytest.fail("there is none")
    assert caught.value.exit_code == 2
    assert "broken: not built: uv ended with status 7" in str(caught.value)
    assert len(caught.value.last) == 15
    assert caught.value.last[-1].startswith("no such package: broken")
    name = wish("broken").name
    assert f"{DIRECTORY}/{name}.log" in str(caught.value)
    assert not Path(DIRECTORY, name).exists()
    assert len(Path(DIRECTORY, f"{name}.log").read_text().splitlines()) == 41


def test_an_interpreter_that_is_gone(builder: Builder) -> None:
    gone = replace(builder, python="/nowhere/python", uv=None)
    with pytest.raises(NotBuilt, match="/nowhere/python: No such file"), gone.environment(wish()):
        pytest.fail("there is none")


def test_a_build_that_is_interrupted_leaves_nothing(
    builder: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOW", "60")
    monkeypatch.setenv("STARTED", "started")
    waiting = subprocess.Popen.wait

    def interrupted(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        if "venv" in process.args or process.returncode is not None:  # type: ignore[operator]
            return waiting(process, timeout)
        monkeypatch.setattr(subprocess.Popen, "wait", waiting)
        while not Path("started").exists() or not Path("started").read_text():
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt), builder.environment(wish()):
        pytest.fail("there is none")
    assert not Path(DIRECTORY, wish().name).exists()
    # Nor does what the installer itself had started.
    deadline = time.monotonic() + 30
    while _alive(int(Path("started").read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_two_at_once_build_it_once(
    builder: Builder, calls: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOW", "0.3")
    both = threading.Barrier(2, timeout=60)
    said: list[str] = []

    def use() -> None:
        # Both have it at the same time, or the barrier breaks.
        with replace(builder, say=lambda _, words: said.append(words)).environment(wish()):
            both.wait()

    threads = [threading.Thread(target=use) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert calls() == BUILD
    assert sorted(word for word in said if "waiting" not in word) == ["is being built", "is there"]


def test_none_is_removed_while_it_is_used(builder: Builder, calls: Callable[[], list[str]]) -> None:
    said: list[str] = []
    other = replace(builder, identity="another", say=lambda _, words: said.append(words))
    held = threading.Event()

    def build_again() -> None:
        with other.environment(wish()):
            held.set()

    with builder.environment(wish()) as python:
        thread = threading.Thread(target=build_again)
        thread.start()
        while "is in use by another run: waiting for it" not in said:
            time.sleep(0.01)
        assert os.access(python, os.X_OK) and not held.is_set()
    assert held.wait(60)
    thread.join(60)
    assert calls() == BUILD * 2


def test_without_locks(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    with builder.environment(wish()) as python:
        assert os.access(python, os.X_OK)


def test_installers(
    calls: Callable[[], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def uv_of(installer: str) -> str | None:
        return builder_for(
            Path.cwd(), sys.executable, installer, (), False, lambda label, words: None
        ).uv

    monkeypatch.setenv("PATH", str(tmp_path / "tools"))
    assert uv_of("auto") == uv_of("uv") == str(tmp_path / "tools/uv")
    assert uv_of("pip") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert uv_of("auto") is None
    with pytest.raises(UsageError, match="--installer uv: there is none on PATH"):
        uv_of("uv")


def test_identity() -> None:
    assert identity(sys.executable).startswith(f"{sys.version.split()[0]} cpython ")
    with pytest.raises(UsageError, match="it does not run"):
        identity("false")
    with pytest.raises(UsageError, match="No such file"):
        identity("/nowhere/python")


def test_a_place_that_cannot_be_written(builder: Builder) -> None:
    Path(".fencerun").write_text("a file\n")
    with pytest.raises(UsageError, match="Environments lie there"), builder.environment(wish()):
        pytest.fail("there is none")
