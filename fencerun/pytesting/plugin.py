"""The hooks of a pytest run with ``--fences``."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from fencerun import launch
from fencerun.capabilitynames import KNOWN
from fencerun.discovery import SUFFIXES, discover
from fencerun.engines import choice
from fencerun.errors import FencerunError
from fencerun.pytesting import markers
from fencerun.pytesting.course import Course
from fencerun.pytesting.items import COURSE, DISTRIBUTED, FenceItem, PageFile, register


class FencesPlugin:
    """Collects pages, and keeps what their fences share: one engine."""

    def __init__(self, config: pytest.Config) -> None:
        """Raises pytest.UsageError where the options or the configuration make no sense."""
        self._pages: frozenset[str] | None = None
        words = str(config.getoption("--fences-without"))
        try:
            self._project = launch.project()
            engine = choice.engine(debug=True) if config.getoption("usepdb", False) else None
        except FencerunError as error:
            raise pytest.UsageError(str(error)) from None
        config.stash[COURSE] = Course(
            "record" if config.getoption("--fences-record") else "check",
            python=config.getoption("--fences-python"),
            without=[word.strip() for word in words.split(",") if word.strip()],
            engine=engine,
        )
        register(config, "fence", "a fence of a Markdown page")
        for name in markers.of((*KNOWN, *self._project.capabilities)):
            register(config, name, "fences that require it")

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> PageFile | None:
        """A Markdown file that was named, or that `fencerun check` would find too."""
        if file_path.suffix.lower() not in SUFFIXES:
            return None
        if not parent.session.isinitpath(file_path) and not self._is_page(file_path):
            return None
        return PageFile.from_parent(parent, path=file_path)

    def _is_page(self, path: Path) -> bool:
        """Whether it is neither excluded nor ignored by git; beyond the project all is welcome."""
        root = self._project.root
        if self._pages is None:
            names = discover([os.fspath(root)], root=root, exclude=self._project.exclude)
            self._pages = frozenset(map(os.path.realpath, names))
        real = os.path.realpath(path)
        return real in self._pages or not Path(real).is_relative_to(os.path.realpath(root))

    def pytest_report_collectionfinish(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> str | None:
        """How many fences there are, and what will run them."""
        count = sum(isinstance(item, FenceItem) for item in items)
        python = config.stash[COURSE].python
        return f"fences: {count}, run by {python}" if python else None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """A fence took what its code took, and is skipped at its own line."""
        made = yield
        if isinstance(item, FenceItem) and made.when == "call":
            if item.verdict is not None and item.verdict.seconds is not None:
                made.duration = item.verdict.seconds
            if made.skipped and isinstance(made.longrepr, tuple):
                path, line, _ = item.reportinfo()
                made.longrepr = (os.fspath(path), (line or 0) + 1, made.longrepr[2])
        return made

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of xdist how items are handed out: its own options no longer say."""
        node.workerinput[DISTRIBUTED] = node.config.getoption("dist")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End the engine."""
        session.config.stash[COURSE].close()

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """End the engine of a session that never came to its end."""
        config.stash[COURSE].close()
