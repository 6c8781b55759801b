"""Pages on a real Ray cluster of several nodes: the verdicts, and the pages, of a serial run."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys
import threading
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fencerun import launch
from fencerun.distributed import engine
from fencerun.distributed.station import Contract
from fencerun.engines import choice
from fencerun.engines.base import EngineError, EngineOptions
from fencerun.errors import UsageError
from fencerun.events import Event, FenceDone, PageDone, RunDone, RunStarted
from fencerun.request import Request

if TYPE_CHECKING:
    from .conftest import Cluster

pytestmark = pytest.mark.xdist_group("ray")

PLAIN = """\
```python fence:1 uses:data/{n}.txt
import mine
print({n} * mine.FACTOR, open("data/{n}.txt").read())
```

```text output:1
{right}
```

```python fence:2 continues:1
print(mine.FACTOR)
```

```text file:sub/made.txt
made
```

```bash fence:3
cat sub/made.txt
```
"""

DEEDS = {
    "dies.md": "```python fence:1\nimport os; os._exit(3)\n```\n\n```python fence:2\n```\n",
    "fails.md": "```python fence:1\n1 / 0\n```\n\n```python fence:2 continues:1\n```\n",
    "slow.md": "```python fence:1 timeout:0.3\nwhile True: pass\n```\n",
    "broken.md": "```python fence:1\n```\n\n```python fence:1\n```\n",
    "gated.md": (
        "```python fence:1\nimport os; print(os.environ.get('CUDA_VISIBLE_DEVICES'))\n```\n\n"
        "```python fence:2 requires:cuda\nprint(2)\n```\n\n"
        "```python fence:3 requires:gpus>=2\nprint(3)\n```\n"
    ),
    "prose.md": "# Nothing to run\n",
}


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "here" / "course"
    (home / "data").mkdir(parents=True)
    (home / "mine.py").write_text("FACTOR = 3\n")
    (home / "pyproject.toml").write_text("[tool.fencerun]\n")
    for number in range(1, 4):
        (home / f"data/{number}.txt").write_text(str(number))
        right = f"{3 * number} {number}" if number != 2 else "wrong"
        (home / f"p{number}.md").write_text(PLAIN.format(n=number, right=right))
    for name, text in DEEDS.items():
        (home / name).write_text(text)
    monkeypatch.chdir(home)
    return home


def run(verb: str, address: str | None, *names: str) -> list[Event]:
    """The events of a run; on the cluster at ``address``, where there is one."""
    found: list[Event] = []
    chosen = choice.engine("ray", address=address) if address else choice.engine()
    with warnings.catch_warnings():
        session = launch.session(
            Request(verb, launch.targets(names), carry=True),  # type: ignore[arg-type]
            found.append,
            python=sys.executable,
            engine=chosen,
            root=Path.cwd(),
        )
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


def done(events: list[Event]) -> RunDone:
    assert isinstance(events[-1], RunDone)
    return events[-1]


def texts(home: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in home.glob("*.md")}


def test_verdicts_and_pages_are_those_of_a_serial_run(cluster: Cluster, course: Path) -> None:
    (course / "gated.md").unlink()
    other = course.parent / "serial"
    shutil.copytree(course, other)
    for verb in ("check", "record"):
        far = run(verb, cluster.address)
        os.chdir(other)
        near = run(verb, None)
        os.chdir(course)
        assert far == near
        assert texts(course) == texts(other)


def test_the_node_that_runs_a_page_says_what_may_run(cluster: Cluster, course: Path) -> None:
    found = {one.fence: one for one in done(run("record", cluster.address, "gated.md")).verdicts}
    assert found[1].kind == "recorded"
    assert "```text output:1\n0\n```" in Path("gated.md").read_text(), "it has the GPU to itself"
    assert found[2].kind == "missing"
    assert "no CUDA device" in found[2].what, "what the node says, not what the cluster has"
    assert found[3].kind == "missing"
    assert "no node" not in found[3].what
    assert "no accelerator" in found[3].what


def test_what_needs_no_gpu_sees_none(cluster: Cluster, course: Path) -> None:
    for number in range(4):
        text = (
            "```python fence:1\nimport os; print(repr(os.environ['CUDA_VISIBLE_DEVICES']))\n```\n"
        )
        Path(f"n{number}.md").write_text(text)
    run("record", cluster.address, *(f"n{number}.md" for number in range(4)))
    assert all("\n''\n" in Path(f"n{number}.md").read_text() for number in range(4))


def test_a_node_with_another_version_is_named(
    cluster: Cluster, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "Contract", partial(Contract, version="0.0"))
    with pytest.raises(UsageError, match=r"has fencerun .*, and this is 0\.0"):
        run("check", cluster.address, "p1.md")


def test_a_station_that_cannot_start_says_why(
    cluster: Cluster, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(options: EngineOptions, *rest: object) -> Contract:
        return Contract(options, {"mine": {"no such": 1}})

    monkeypatch.setattr(engine, "Contract", broken)
    with pytest.raises(EngineError, match=r"a station does not start on its node: .*TagError"):
        run("check", cluster.address, "p1.md")


def test_an_absent_cluster_is_said_in_one_line(course: Path) -> None:
    with pytest.raises(UsageError, match="a Ray Client cannot stream"):
        run("check", "ray://somewhere:10001")


def test_a_node_that_is_lost_costs_time_and_nothing_else(cluster: Cluster, course: Path) -> None:
    names = [f"t{number}.md" for number in range(4)]
    for name in names:
        text = (
            "```python fence:1\nprint(1)\n```\n\n"
            "```python fence:2\nimport time; time.sleep(1.5); print(2)\n```\n"
        )
        Path(name).write_text(text)
    begun = threading.Event()
    found: list[Event] = []
    session = launch.session(
        Request("record", launch.targets(names)),
        found.append,
        python=sys.executable,
        engine=choice.engine("ray", address=cluster.address),
        root=Path.cwd(),
    )
    ran: list[str] = []

    def ahead(event: Event) -> None:
        ran.append(type(event).__name__)
        if ran.count("FenceDone") + ran.count("FenceStarted") >= 6:
            begun.set()

    def pull() -> None:
        begun.wait(60)
        cluster.kill("doomed")

    session.ahead = ahead
    pulled = threading.Thread(target=pull)
    pulled.start()
    over = launch.run(session)
    pulled.join()
    assert over.exit_code == 0, over
    assert [one.kind for one in over.verdicts] == ["recorded"] * 8
    assert [one.page for one in found if isinstance(one, PageDone)] == names, "each once, in order"
    assert all("output:2" in Path(name).read_text() for name in names)
    assert any("ran again" in note and "was lost" in note for note in over.notes), over.notes
