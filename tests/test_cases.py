"""Cases: a folder each, with a page, and what must become of it, byte for byte.

``record/NAME`` holds ``page.md`` and ``expected.md``, ``check/NAME`` holds ``page.md`` and
``expected.txt``: the exit code, then what is printed. A record case may have an ``expected.txt``
besides. Everything else in the folder lies beside the page. With ``FENCERUN_UPDATE_CASES=1`` in
the environment the expected files are written instead; read the diff before you commit it.
"""

from __future__ import annotations

import datetime
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import fields
from io import StringIO
from pathlib import Path

import pytest

from fencerun import launch
from fencerun.engines.base import Engine, EngineOptions
from fencerun.engines.worker import WorkerEngine
from fencerun.infostring import InfoString
from fencerun.reader import parse
from fencerun.reporters import make
from fencerun.session import Request
from fencerun.tags import NAMES

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(path.parent for path in CASES.glob("*/*/page.md"))
UPDATE = bool(os.environ.get("FENCERUN_UPDATE_CASES"))

#: What differs from one machine, Python or day to the next.
_VARIES = (
    (re.compile(r" in [0-9.]+ (?:ms|s)$", re.MULTILINE), " in TIME"),
    (re.compile(r"\A(fencerun \w+), .*"), r"\1, PYTHON"),
    (re.compile(r'(?<=File )"/[^"]*/([^/"]+)", line [0-9]+'), r'".../\1", line N'),
    # Python 3.11 began to mark the place in a traceback.
    (re.compile(r"^ *\|? *[~^]+\n", re.MULTILINE), ""),
    # Which fences are slow is the machine's doing; what else the line says is not.
    (re.compile(r"^slowest: [^;\n]*(?:\n|; )", re.MULTILINE), ""),
    (re.compile(r"^slowest fences:\n(?:  .*\n)*?(?=\S)", re.MULTILINE), ""),
    (re.compile(r"\bPython [0-9]\S*(?= runs)"), "Python X"),
    (re.compile(r"with (?:torch|python)-\S+, "), "with SOFTWARE, "),
    (re.compile(r"\b[0-9]+ days ago\b"), "N days ago"),
)


def steady(report: str) -> str:
    """``report`` without what has to differ."""
    for pattern, instead in _VARIES:
        report = pattern.sub(instead, report)
    return report


def undated(page: bytes) -> bytes:
    """``page`` without the versions and the day of recordings that were made today."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat().encode()
    return re.sub(rb"/[^\s/]+/" + today + rb"\b", b"/SOFTWARE/TODAY", page)


class Lasting(WorkerEngine):
    """An engine that outlives the run that it was made for."""

    def __init__(self, options: EngineOptions) -> None:
        super().__init__(options)
        self.options = options

    def close(self) -> None:
        """Not yet."""

    def end(self) -> None:
        super().close()


class Case:
    """A copy of a folder, and runs over its page."""

    def __init__(self, folder: Path, directory: Path) -> None:
        shutil.copytree(folder, directory, dirs_exist_ok=True)
        self.folder = folder
        self.page = directory / "page.md"
        self.engine: Lasting | None = None

    def run(self, verb: str) -> str:
        """The exit code, and below it what the plain report says."""
        stream = StringIO()
        reporter = make("plain", stream)
        request = Request(verb, launch.targets(["page.md"]))  # type: ignore[arg-type]
        done = launch.session(request, reporter.handle, engine=self._engine).run()
        reporter.close()
        return f"exit {done.exit_code}\n{steady(stream.getvalue())}"

    def _engine(self, options: EngineOptions) -> Engine:
        """One engine for all runs of the case, which therefore must not see one another."""
        if self.engine is None or self.engine.options != options:
            self.close()
            self.engine = Lasting(options)
        return self.engine

    def close(self) -> None:
        if self.engine is not None:
            self.engine.end()

    def expect(self, name: str, found: bytes) -> None:
        """Compare with a file of the folder, or write it."""
        file = self.folder / name
        if UPDATE:
            file.write_bytes(found)
        assert found.decode() == file.read_bytes().decode()


@pytest.fixture
def case(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Case]:
    monkeypatch.chdir(tmp_path)
    for name in ("VIRTUAL_ENV", "FENCERUN_PAGE", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    case = Case(request.param, tmp_path)
    yield case
    case.close()


def _of(verb: str) -> pytest.MarkDecorator:
    found = [folder for folder in FOLDERS if folder.parent.name == verb]
    return pytest.mark.parametrize("case", found, indirect=True, ids=[f.name for f in found])


@_of("check")
def test_check(case: Case) -> None:
    before = case.page.read_bytes()
    case.expect("expected.txt", case.run("check").encode())
    assert case.page.read_bytes() == before


@_of("record")
def test_record(case: Case) -> None:
    report = case.run("record")
    written = case.page.read_bytes()
    case.expect("expected.md", undated(written))
    if (case.folder / "expected.txt").exists():
        case.expect("expected.txt", report.encode())
    again = case.run("record")
    assert case.page.read_bytes() == written, f"a second recording changed it:\n{again}"
    if report.startswith("exit 0"):
        checked = case.run("check")
        assert checked.startswith("exit 0"), checked


def _tags(info: InfoString) -> Iterator[str]:
    for field in fields(info.tags):
        if getattr(info.tags, field.name) is not None:
            yield field.name.rstrip("_")


#: Tags that are read and do nothing yet. One that does is taken off this list, and gets a case.
NOT_YET: set[str] = set()


def test_every_tag_has_a_case() -> None:
    found: set[str] = set()
    for folder in FOLDERS:
        page = parse((folder / "page.md").read_bytes(), "page.md")
        if page.broken:
            continue
        found |= {"output"} if page.recordings else set()
        found |= {"file"} if page.files else set()
        for fence in page.fences:
            found |= {"fence", *_tags(fence.block.info)}
    assert set(NAMES) - found == NOT_YET


def test_there_are_cases_of_all_kinds() -> None:
    """So that a folder that was moved does not take its tests away unnoticed."""
    assert len([folder for folder in FOLDERS if folder.parent.name == "check"]) >= 30
    assert len([folder for folder in FOLDERS if folder.parent.name == "record"]) >= 30
    assert {folder.parent.name for folder in FOLDERS} == {"check", "record"}
