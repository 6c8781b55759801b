"""The benchmarks' own machinery: rows, what makes a run fail, pages of every tool, switches."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import dialects, peers
from benchmarks.__main__ import judge, measured
from benchmarks.figures import Figure, as_json, as_markdown, figure, missing
from benchmarks.measure import Command, python, run
from fencerun import reader

BLOCKS = [("x = 1", None), ("print(x)", "1"), ("print('a'); print('b')", "a")]


@pytest.mark.parametrize(
    ("value", "at_least", "held"),
    [(1.9, False, True), (2.1, False, False), (2.1, True, True), (1.9, True, False)],
    ids=["below", "above", "reached", "not-reached"],
)
def test_a_bar_is_a_most_or_a_least(value: float, at_least: bool, held: bool) -> None:
    one = figure("it", "×", [value], 2.0, at_least=at_least)
    assert one.held is held
    row = as_markdown([one]).splitlines()[-1]
    assert ("**over**" in row) is (not held and not at_least)
    assert ("**below**" in row) is (not held and at_least)
    assert ("≥ 2.00 ×" if at_least else "≤ 2.00 ×") in row


def test_what_is_missing_says_why_and_is_valid_json() -> None:
    gap = missing("it", "no such tool")
    assert not gap.measured and gap.held
    assert (
        as_markdown([gap]).splitlines()[-1] == "| it | – | – |  | **not measured**: no such tool |"
    )
    (data,) = json.loads(json.dumps(as_json([gap]), allow_nan=False))
    assert data["value"] is None


def _breaks(work: Path, rounds: int) -> Iterator[Figure]:
    yield figure("first", "ms", [1.0])
    run(Command(python("-c", "raise SystemExit('it broke')"), work))
    yield figure("second", "ms", [1.0])


def test_a_benchmark_that_stops_keeps_what_it_has_and_fails_the_run_by_name() -> None:
    kept: list[int] = []
    figures = measured("it", _breaks, 1, lambda so_far: kept.append(len(so_far)))
    assert [one.what for one in figures] == ["first", "it"] and kept == [1]
    (trouble,) = judge("it", figures, strict=False)
    assert trouble.startswith("it: it: not measured: ") and trouble.endswith("it broke")


@pytest.mark.parametrize("strict", [False, True], ids=["plain", "strict"])
def test_a_missed_bar_fails_a_strict_run_alone(strict: bool) -> None:
    figures = [figure("fine", "ms", [1.0], 2.0), figure("slow", "ms", [3.0], 2.0)]
    troubles = list(judge("it", figures, strict=strict))
    assert troubles == (["it: slow: 3 ms is over its bar of 2.0"] if strict else [])


def test_our_page_has_every_block_and_recording() -> None:
    page = reader.parse(dialects.fencerun(BLOCKS).encode(), "page.md")
    assert [fence.number for fence in page.fences] == [1, 2, 3]
    assert len(page.recordings) == 2 and not page.problems


def test_the_floor_finds_every_block_of_a_plain_page() -> None:
    found = re.findall(r"^```python[^\n]*\n(.*?)^```", dialects.plain(BLOCKS), re.M | re.S)
    assert [code.strip() for code in found] == [code for code, _ in BLOCKS]


def test_doctest_runs_and_compares_its_page() -> None:
    runner = doctest.DocTestRunner(verbose=False)
    text = dialects.doctest(BLOCKS[:2]) + "\n    >>> print(2)\n    3\n"
    test = doctest.DocTestParser().get_doctest(text, {}, "page", None, 0)
    assert runner.run(test, out=lambda said: None) == (1, 3)


@pytest.mark.parametrize("peer", peers.PEERS, ids=lambda peer: peer.name)
def test_every_tool_gets_every_block(peer: peers.Peer) -> None:
    codes = [f"value_{n} = {n}" for n in range(7)]
    page = peer.dialect([(code, None) for code in codes])
    assert [code for code in codes if page.count(code) != 1] == []


def test_every_requirement_is_pinned_and_named_with_its_version() -> None:
    for peer in peers.PEERS:
        assert all("==" in one for one in peer.requirements)
        if peer.requirements:
            versions = [one.partition("==")[2] for one in peer.requirements]
            assert any(version in peer.name for version in versions)


def test_every_column_has_the_floor_and_us_and_every_tool_one_of_the_torch_pages() -> None:
    columns = list(peers.columns(9))
    assert all(column.is_for(peers.FLOOR) and column.is_for(peers.OURS) for column in columns)
    for peer in peers.PEERS[2:]:
        assert sum(column.is_for(peer) for column in columns if column.torch) == 1


def test_the_table_has_cells_gaps_and_what_is_missing() -> None:
    figures = [
        figure(f"{peers.OURS.name} · 1 `x`", "×", [2.0, 3.0, 4.0], note="0.1 s"),
        missing("Sybil 10.1.0 · 1 `x`", "no network"),
    ]
    rows = peers.table(figures).splitlines()
    assert len(rows) == 2 + len(peers.PEERS) + 2
    assert rows[3] == "| **fencerun** `check` | 3.00 × (2.50–3.50) 0.1 s |  |"
    assert rows[-1] == "- Sybil 10.1.0 · 1 `x`: **not measured**: no network"


_SWITCH = """
from benchmarks import switches
functions = [one for item in switches.ITEMS.values() for one in item]
before = [getattr(owner, name) for owner, name, _ in functions]
switches.install()
for (owner, name, _), function in zip(functions, before):
    assert getattr(owner, name).__wrapped__ is function, name
switches.OFF.update(switches.ITEMS)
for owner, name, nothing in functions:
    assert getattr(owner, name)(None) is nothing, name
"""


def test_every_switch_is_before_a_function_that_there_is() -> None:
    subprocess.run([sys.executable, "-c", _SWITCH], check=True, cwd=Path(__file__).parents[2])
