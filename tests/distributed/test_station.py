"""A station without a network: chains of another machine run where their files were laid out."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fencerun.distributed.luggage import Luggage
from fencerun.distributed.station import Contract, Station
from fencerun.engines.base import Blocked, Chain, EngineOptions, Finished, Job
from fencerun.errors import UsageError

LUGGAGE = Luggage(
    "lessons",
    {"lessons/p.md": b"page", "lessons/mine.py": b"VALUE = 42\n", "setup.py": b""},
    {"sub/made.txt": "made\n"},
    ("wmt", "dist:absent-distribution", "python>=3.8"),
)


def contract(**more: object) -> Contract:
    fields = {"python": sys.executable, "env": {}, **more}
    return Contract(EngineOptions(**fields), {"wmt": {"env": "WMT"}})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def station() -> Iterator[Station]:
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    made = Station(contract(), 0)
    yield made
    made.close()
    made.close()
    os.environ.pop("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = visible


def chain(*codes: str, scratch: bool = False, key: str = "0") -> Chain:
    jobs = tuple(Job(f"{key}.{place}", place, code, 2) for place, code in enumerate(codes))
    return Chain("lessons/p.md", "/not/here", jobs, scratch=scratch)


def outputs(station: Station, *chains: Chain) -> list[bytes | str]:
    found: list[bytes | str] = []
    for event in station.run(chains):
        if isinstance(event, Finished):
            found.append(event.outcome.output)
        elif isinstance(event, Blocked):
            found.append(f"blocked by {event.by}")
    return found


def test_a_page_finds_its_files_and_no_more(station: Station) -> None:
    station.open(LUGGAGE)
    found = outputs(station, chain("import os, mine; print(mine.VALUE, sorted(os.listdir()))"))
    assert found == [b"42 ['__pycache__', 'mine.py', 'p.md']\n"] or found == [
        b"42 ['mine.py', 'p.md']\n"
    ]


def test_a_chain_in_a_fresh_directory_has_the_pages_own_files(station: Station) -> None:
    station.open(LUGGAGE)
    where = (
        "import os; print(os.getcwd())\n"
        "for name in ('sub/made.txt', 'p.md'): print(open(name).read().strip())"
    )
    one, two = outputs(station, chain(where, scratch=True), chain(where, scratch=True, key="1"))
    assert isinstance(one, bytes)
    assert isinstance(two, bytes)
    assert one.split(b"\n")[1:] == two.split(b"\n")[1:] == [b"made", b"page", b""]
    assert one.split(b"\n")[0] != two.split(b"\n")[0]
    assert not any(Path(each.split(b"\n")[0].decode()).exists() for each in (one, two))


def test_deaths_cost_what_they_cost_anywhere(station: Station) -> None:
    station.open(LUGGAGE)
    found = outputs(
        station, chain("print(1)", "import os; os._exit(1)", "print(3)"), chain("print(4)", key="1")
    )
    assert found == [b"1\n", b"", "blocked by 0.1", b"4\n"]


def test_it_answers_for_its_machine(station: Station, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = station.open(LUGGAGE)
    assert answers.unmet["python>=3.8"] is None
    assert "absent-distribution" in str(answers.unmet["dist:absent-distribution"])
    assert "WMT" in str(answers.unmet["wmt"])
    assert answers.device == "cpu"
    assert answers.versions["python"] == platform.python_version()
    assert station.start() == platform.node()
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "", "what it did not ask for, it does not see"


def test_the_page_before_leaves_nothing(station: Station) -> None:
    station.open(LUGGAGE)
    (first,) = outputs(station, chain("import os; print(os.getcwd(), end='')"))
    station.open(LUGGAGE)
    assert isinstance(first, bytes)
    assert not Path(first.decode()).exists()


def test_a_python_and_caches_that_are_not_there_are_replaced(tmp_path: Path) -> None:
    options = {"python": "/not/here/python", "env": {"CACHE": "/not/here/.fencerun/c", "A": "b"}}
    made = Station(
        Contract(EngineOptions(**options), root="/not/here"),  # type: ignore[arg-type]
        0,
    )
    try:
        made.open(replace(LUGGAGE, requires=()))
        code = "import os, sys; print(sys.executable, os.environ.get('CACHE'), os.environ['A'])"
        assert outputs(made, chain(code)) == [f"{sys.executable} None b\n".encode()]
    finally:
        made.close()


def test_another_version_is_refused() -> None:
    with pytest.raises(UsageError, match=r"has fencerun .*, and this is 0.0"):
        Station(Contract(EngineOptions(sys.executable), version="0.0"), 1).start()
