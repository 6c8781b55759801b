"""Any page, run for real: checked, recorded, recorded again and checked."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fencerun import launch
from fencerun.engines.base import Engine, EngineOptions
from fencerun.engines.worker import WorkerEngine
from fencerun.events import RunDone
from fencerun.reader import parse
from fencerun.request import Request

from .pages import lessons, printed, wrecks
from .tagged import tagged


class Lasting(WorkerEngine):
    """An engine that outlives the run that it was made for."""

    def close(self) -> None:
        """Not yet."""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Lasting(EngineOptions(sys.executable))
    yield engine
    WorkerEngine.close(engine)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    patch = pytest.MonkeyPatch()
    directory = tmp_path_factory.mktemp("pages")
    patch.chdir(directory)
    patch.delenv("VIRTUAL_ENV", raising=False)
    yield directory / "p.md"
    patch.undo()


def run(verb: str, engine: Engine) -> RunDone:
    request = Request(verb, launch.targets(["p.md"]))  # type: ignore[arg-type]
    return launch.session(
        request, lambda _: None, engine=lambda _: engine, python=sys.executable
    ).run()


_PLAIN = re.compile(rb"^([ >\t]*)(?:x = 1|print\(x\))(?=\r?$)", re.MULTILINE)


def speaking(data: bytes, outputs: list[tuple[str, ...]]) -> bytes:
    """The page with some of its code printing what is hard to record."""
    for output in outputs:
        found = _PLAIN.search(data)
        if found:
            text = "\n".join(output)
            code = f"print({text!a})".encode()
            data = data[: found.end(1)] + code + data[found.end() :]
    return data


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(source=lessons() | wrecks(), outputs=st.lists(printed(), min_size=4, max_size=4))
def test_a_page_is_recorded_once_and_for_all(
    engine: Engine, page: Path, source: bytes, outputs: list[tuple[str, ...]]
) -> None:
    data = speaking(source, outputs)
    page.write_bytes(data)
    before = parse(data, "p.md")
    done = run("check", engine)
    assert done.exit_code != 6
    assert page.read_bytes() == data, "a check never writes a page"
    run("record", engine)
    made = page.read_bytes()
    if before.broken:
        assert made == data
        return
    assert {verdict.fence for verdict in done.verdicts} >= {f.number for f in before.fences}
    after = parse(made, "p.md")
    assert [p.code for p in after.problems] == [p.code for p in before.problems]
    own = [fence.code for fence in before.fences if fence.transcript is None]
    assert [fence.code for fence in after.fences if fence.transcript is None] == own
    run("record", engine)
    assert page.read_bytes() == made, "a second recording changes it"
    again = run("check", engine).verdicts
    assert not [v for v in again if v.kind in ("changed", "rounding", "unrecorded", "refused")]


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(text=tagged())
def test_any_tags_that_may_stand_together(engine: Engine, page: Path, text: str) -> None:
    page.write_text(text)
    page.with_name("beside.txt").write_text("text")
    found = parse(text.encode(), "p.md")
    done = run("check", engine)
    assert done.exit_code != 6
    assert page.read_text() == text, "a check never writes a page"
    if not found.broken:
        told = Counter(verdict.fence for verdict in done.verdicts)
        assert told == dict.fromkeys((fence.number for fence in found.fences), 1)
    first = run("record", engine)
    made = page.read_bytes()
    second = run("record", engine)
    assert page.read_bytes() == made, "a second recording changes it"
    refused = {v.id for v in (*first.verdicts, *second.verdicts) if v.kind == "refused"}
    open_ = [v for v in run("check", engine).verdicts if v.id not in refused]
    assert not [v for v in open_ if v.kind in ("changed", "rounding", "unrecorded")]
