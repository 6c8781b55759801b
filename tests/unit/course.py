"""A directory of pages and a session over it, driven by a script instead of a process."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from engines.scripted import Script, ScriptedEngine

from fencerun.beside import beside
from fencerun.capabilities import Requirement
from fencerun.config import Project
from fencerun.discovery import discover
from fencerun.engines.base import EngineOptions
from fencerun.events import Event, FenceDone, RunDone, Verdict
from fencerun.gate import Gate
from fencerun.masks import Mask
from fencerun.selection import parse
from fencerun.session import Request, Session
from fencerun.unrun import Unrun

TODAY = datetime.date(2026, 11, 29)

E = TypeVar("E")


def fence(
    info: str = "fence:1",
    output: str | None = None,
    *,
    code: str = "x",
    said: str = "",
) -> str:
    """A tagged block of Python; with its recording, where ``output`` is given."""
    text = f"```python {info}\n{code}\n```\n"
    if output is None:
        return text
    number = info.split()[0].removeprefix("fence:")
    lines = f"{output}\n" if output else ""
    return f"{text}\n```text output:{number}{said}\n{lines}```\n"


class Machine:
    """Stands in for the prober: what is not there, and what the device is."""

    def __init__(self) -> None:
        self.missing: dict[str, str] = {}
        self.name = "nvidia-h200"
        self.asked: list[str] = []

    def unmet(self, requirement: Requirement) -> str | None:
        self.asked.append(requirement.text)
        return self.missing.get(requirement.text)

    def device(self) -> str:
        return self.name

    def versions(self) -> Mapping[str, str]:
        return {"python": "3.11.7", "torch": "2.13.0"}


@dataclass
class Run:
    """A run that is over."""

    events: list[Event]
    engines: list[ScriptedEngine]

    @property
    def done(self) -> RunDone:
        assert isinstance(self.events[-1], RunDone)
        return self.events[-1]

    @property
    def code(self) -> int:
        return self.done.exit_code

    @property
    def kinds(self) -> dict[str, str]:
        """Verdict kinds by id, without the page where it is ``p.md``."""
        told = [event.verdict for event in self.events if isinstance(event, FenceDone)]
        assert tuple(told) == self.done.verdicts
        assert len({verdict.id for verdict in told}) == len(told), "a fence was told of twice"
        return {verdict.id.removeprefix("p.md::"): verdict.kind for verdict in told}

    def verdict(self, id: str) -> Verdict:
        """The verdict of one fence; ``id`` may leave out ``p.md::``."""
        found = [v for v in self.done.verdicts if v.id in (id, f"p.md::{id}")]
        assert len(found) == 1, [v.id for v in self.done.verdicts]
        return found[0]

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def shape(self) -> list[str]:
        """The names of the events' types."""
        return [type(event).__name__ for event in self.events]

    @property
    def ran(self) -> list[str]:
        return [name for engine in self.engines for name in engine.ran]


@dataclass
class Course:
    """Pages in ``directory``, which is the working directory and the project's root."""

    directory: Path
    machine: Machine = field(default_factory=Machine)
    today: datetime.date = TODAY
    settings: dict[str, Any] = field(default_factory=dict)
    masks: tuple[Mask, ...] = ()
    untagged: str = "ignore"
    #: Called with each event, before anybody else sees it.
    watch: Callable[[Event], None] = lambda _: None

    def page(self, *blocks: str, name: str = "p.md", front: str = "") -> Path:
        """Write a page of these blocks."""
        path = self.directory / name
        path.write_bytes((front + "\n".join(blocks)).encode())
        return path

    def text(self, name: str = "p.md") -> str:
        return (self.directory / name).read_bytes().decode()

    def session(
        self, verb: str, targets: tuple[str, ...], script: Script, run: Run, **more: Any
    ) -> Session:
        def engine(options: EngineOptions) -> ScriptedEngine:
            run.engines.append(ScriptedEngine(options, script))
            return run.engines[-1]

        def emit(event: Event) -> None:
            run.events.append(event)
            self.watch(event)

        wanted = tuple(parse(target) for target in targets)
        project = Project(self.directory, **self.settings)
        gate = Gate(lambda: self.machine, (), self.untagged)  # type: ignore[arg-type, return-value]
        unrun = Unrun(
            gate, self.masks, beside, self.today, project.max_kept_days, more.get("renew", False)
        )
        names = discover([t.path for t in wanted] or ["."], root=self.directory)
        request = Request(verb, wanted, **more)  # type: ignore[arg-type]
        return Session(request, project, names, gate, self.masks, engine, "python3", emit, unrun)

    def run(self, verb: str, *targets: str, script: Script = lambda _: "", **more: Any) -> Run:
        run = Run([], [])
        self.session(verb, targets, script, run, **more).run()
        assert all(engine.closed for engine in run.engines)
        return run

    def check(self, *targets: str, script: Script = lambda _: "", **more: Any) -> Run:
        """`fencerun check`, which never changes a file."""
        before = self._files()
        run = self.run("check", *targets, script=script, **more)
        assert self._files() == before
        return run

    def record(self, *targets: str, script: Script = lambda _: "", **more: Any) -> Run:
        """`fencerun record`."""
        return self.run("record", *targets, script=script, **more)

    def _files(self) -> dict[str, tuple[bytes, int]]:
        return {
            str(path): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in self.directory.rglob("*")
            if path.is_file()
        }
