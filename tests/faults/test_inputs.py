"""Each fault as a page: checked, recorded, recorded again, and checked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from fencerun import launch
from fencerun.engines.base import Engine, EngineOptions
from fencerun.engines.worker import WorkerEngine
from fencerun.reader import parse
from fencerun.reporters import make
from fencerun.request import Request
from fencerun.strip import strip

from .inputs import INPUTS, TORCH, Input
from .table import FAULTS


class Lasting(WorkerEngine):
    """An engine that outlives the run that it was made for."""

    def close(self) -> None:
        """Not yet."""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Lasting(EngineOptions(sys.executable))
    yield engine
    WorkerEngine.close(engine)


def run(verb: str, engine: Engine) -> tuple[int, str]:
    """The exit code and what the plain report says."""
    reporter = make("plain", stream := StringIO(), verbose=1)
    request = Request(verb, launch.targets(["p.md"]))  # type: ignore[arg-type]
    session = launch.session(
        request, reporter.handle, engine=lambda _: engine, python=sys.executable
    )
    done = session.run()
    reporter.close()
    return done.exit_code, stream.getvalue()


def recordings(data: bytes) -> dict[int, str]:
    return {r.number: "\n".join(r.text) for r in parse(data, "p.md").recordings}


@pytest.mark.parametrize("name", INPUTS)
def test_a_fault_as_a_page(
    name: str, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    hold(INPUTS[name], tmp_path, engine)


@pytest.fixture(scope="module")
def with_torch() -> Iterator[Engine]:
    pytest.importorskip("torch")
    engine = Lasting(EngineOptions(sys.executable, preload=("torch", "torch._dynamo")))
    yield engine
    WorkerEngine.close(engine)


@pytest.mark.parametrize("name", TORCH)
def test_a_fault_as_a_page_with_torch(
    name: str, with_torch: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    hold(TORCH[name], tmp_path, with_torch)


def hold(it: Input, directory: Path, engine: Engine) -> None:
    """Check, record, record again and check the page of an input."""
    page = directory / "p.md"
    page.write_bytes(it.data)
    for path, text in it.files.items():
        (directory / path).parent.mkdir(exist_ok=True)
        (directory / path).write_text(text)
    code, said = run("check", engine)
    assert [word for word in it.said if word not in said] == [], said
    assert code == it.code, said
    assert page.read_bytes() == it.data, "a check never writes a page"
    (directory / "n").unlink(missing_ok=True)
    _, said = run("record", engine)
    if it.recorded is None:
        assert page.read_bytes() == it.data, said
        return
    made = page.read_bytes()
    assert recordings(made) == it.recorded, said
    _assert_nothing_else(it, made)
    _, said = run("record", engine)
    assert page.read_bytes() == made, said
    if it.code != 4:
        code, said = run("check", engine)
        assert code == 0, said


def _assert_nothing_else(it: Input, made: bytes) -> None:
    """Every byte outside recordings is as it was."""
    if not recordings(it.data):
        assert strip(parse(made, "p.md")) == it.data
    else:
        assert strip(parse(made, "p.md")) == strip(parse(it.data, "p.md"))


def test_every_input_belongs_to_a_fault() -> None:
    assert {name.partition("-")[0] for name in {**INPUTS, **TORCH}} <= {
        fault.id for fault in FAULTS
    }
