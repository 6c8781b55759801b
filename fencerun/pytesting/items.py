"""What pytest collects: a file for each page, an item for each fence.

Collecting only parses. Fences never run in pytest's own process, but under ``--pdb``.
"""

from __future__ import annotations

import bdb
import os
from collections.abc import Iterator
from typing import Any

import pytest

from fencerun.errors import FencerunError
from fencerun.events import Problem, Verdict
from fencerun.members import Member
from fencerun.pytesting import markers
from fencerun.pytesting.course import Course, CoursePage, called
from fencerun.reporters.details import details, report
from fencerun.reporters.wording import (
    message,
    needs_attention,
    problem_also,
    problem_head,
    text,
)

#: The name of the item that fails for faults of a page.
PROBLEMS = "problems"

COURSE = pytest.StashKey[Course]()

#: Where a worker of xdist finds how the controller hands out items.
DISTRIBUTED = "fencerun_dist"

#: The ways of handing out, `--dist`, that keep the items of a file together.
WHOLE_FILES = frozenset({"loadfile", "loadscope", "each"})


class Fault(Exception):
    """A fence or page is not as it should be; the text says all about it."""


class DebuggedFault(Fault, bdb.BdbQuit):
    """A fault that was looked at already: pytest's own debugger would find no fence in it."""


class PageFile(pytest.File):
    """A page."""

    course_page: CoursePage

    def collect(self) -> Iterator[pytest.Item]:
        """Its fences, and what is wrong with it."""
        try:
            found = self.config.stash[COURSE].page(called(self.path))
        except FencerunError as error:
            raise self.CollectError(str(error)) from None
        self.course_page = found
        if found.problems or found.orphans:
            yield ProblemsItem.from_parent(self, name=PROBLEMS)
        for member in found.members:
            yield FenceItem.from_parent(self, name=str(member.fence.number), member=member)


class ProblemsItem(pytest.Item):
    """The faults of a page; there is one only where there are some."""

    parent: PageFile

    def runtest(self) -> None:
        """Fails."""
        page = self.parent.course_page
        lines = [line for problem in page.problems for line in _of_problem(problem)]
        lines += [line for verdict in page.orphans for line in _of_verdict(verdict)]
        raise Fault("\n".join(lines))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The faults alone."""
        return _shown(excinfo) or super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """The first faulty line."""
        page = self.parent.course_page
        lines = [problem.line for problem in page.problems] + [o.line for o in page.orphans]
        return self.path, lines[0] - 1, f"problems of {page.page.path}"


class FenceItem(pytest.Item):
    """A fence."""

    parent: PageFile

    def __init__(self, *, member: Member, **more: Any) -> None:
        super().__init__(**more)
        self.member = member
        self.number = member.fence.number
        self.verdict: Verdict | None = None
        self.add_marker("fence")
        for name in markers.of(member.requires):
            register(self.config, name, "fences that require it")
            self.add_marker(name)
        if self.config.pluginmanager.hasplugin("xdist"):
            self.add_marker(pytest.mark.xdist_group(self.parent.nodeid))

    def setup(self) -> None:
        """Start the engine, so that its time is nobody's."""
        self.config.stash[COURSE].start(lambda: _selected(self.session.items))

    def runtest(self) -> None:
        """Pass, skip or fail as the verdict says."""
        verdict = self.parent.course_page.verdict(self.number, self._wanted)
        self.verdict = verdict
        self.user_properties.append(("verdict", verdict.kind))
        if leaks := [text(line) for line in report(verdict) if verdict.leaks]:
            self.add_report_section("call", "leaks", "\n".join(leaks))
        if verdict.kind in ("kept", "skipped"):
            pytest.skip(f"{verdict.kind}: {verdict.what or verdict.reason}")
        if verdict.kind == "known":
            pytest.xfail(f"{verdict.reason}: {verdict.what}")
        if needs_attention(verdict):
            fault = DebuggedFault if self.config.getoption("usepdb", False) else Fault
            raise fault("\n".join(_of_verdict(verdict, self.config.get_verbosity())))

    def _wanted(self) -> set[int]:
        """The fences of its page that this process will be asked for, as far as it knows."""
        mine = {
            item.number
            for item in self.session.items
            if isinstance(item, FenceItem) and item.parent is self.parent
        }
        return mine if self._stays_together() else {self.number}

    def _stays_together(self) -> bool:
        """Whether all of its page is run here; else each process has every item and runs some."""
        worker = getattr(self.config, "workerinput", None)
        if worker is None or worker.get(DISTRIBUTED) in WHOLE_FILES:
            return True
        # In a group, the group's name stands behind the id.
        return self.nodeid.endswith(f"@{self.parent.nodeid}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What fencerun says of it: page lines, diff, values; never a frame of ours."""
        return _shown(excinfo) or super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Its place on the page."""
        # Not the end of the id: pytest would put `::` for the dots in it.
        name = f"fence {self.number} of {self.parent.course_page.page.path}"
        return self.path, self.member.fence.line - 1, name


def register(config: pytest.Config, name: str, what: str) -> None:
    """Make a marker known, once."""
    line = f"{name}: {what}"
    if line not in config.getini("markers"):
        config.addinivalue_line("markers", line)


def _selected(items: list[pytest.Item]) -> list[tuple[CoursePage, set[int]]]:
    """The fences among ``items``, by page."""
    found: dict[int, tuple[CoursePage, set[int]]] = {}
    for item in items:
        if isinstance(item, FenceItem):
            page = item.parent.course_page
            found.setdefault(id(page), (page, set()))[1].add(item.number)
    return list(found.values())


def _shown(excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    return str(excinfo.value) if isinstance(excinfo.value, (Fault, FencerunError)) else ""


def _of_verdict(verdict: Verdict, verbose: int = 0) -> list[str]:
    lines = [message(verdict), *(text(line) for line in details(verdict, max(0, verbose)))]
    return [line.rstrip() for line in lines]


def _of_problem(problem: Problem) -> list[str]:
    return [text(line).rstrip() for line in (problem_head(problem), *problem_also(problem))]
