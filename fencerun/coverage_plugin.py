"""A plug-in for coverage.py: the fences of a page, measured by page line.

``[run] plugins = fencerun.coverage_plugin``; see ``docs/coverage.md``. The only importer of
coverage. Runs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from coverage.plugin import CoveragePlugin, FileReporter, FileTracer

from fencerun import config, files, reader
from fencerun.discovery import SUFFIXES, discover
from fencerun.kinds import PYTHONS
from fencerun.page import Fence, Page
from fencerun.statements import statements


def coverage_init(registry: Any, options: dict[str, str]) -> None:
    """Called by coverage.py."""
    registry.add_file_tracer(PagePlugin())


class PagePlugin(CoveragePlugin):
    """Says of which files fencerun knows what was run."""

    def file_tracer(self, filename: str) -> FileTracer | None:
        """A tracer of a page."""
        return PageTracer(filename) if filename.lower().endswith(SUFFIXES) else None

    def file_reporter(self, filename: str) -> FileReporter | str:
        """A reporter on a page."""
        return PageReporter(filename)

    def find_executable_files(self, src_dir: str) -> Iterable[str]:
        """The pages in a directory that have fences in Python, run or not."""
        root = config.find_root(Path(src_dir).absolute())
        for name in discover([src_dir], root=root, exclude=config.load(root).exclude):
            if PageReporter(name).lines():
                yield os.path.abspath(name)


class PageTracer(FileTracer):
    """Lines of fences are lines of their page already."""

    def __init__(self, filename: str) -> None:
        self._filename = filename

    def source_filename(self) -> str:
        """The page."""
        return self._filename


class PageReporter(FileReporter):
    """What there is to run on a page."""

    def source(self) -> str:
        """The page's text."""
        return self._page.text

    def lines(self) -> set[int]:
        """The page lines of all statements."""
        return set(self._heads.values()) - self.excluded_lines()

    def excluded_lines(self) -> set[int]:
        """Statements marked ``pragma: no cover``, and those of fences that say ``skip``."""
        return self._statements[1]

    def translate_lines(self, lines: Iterable[int]) -> set[int]:
        """The line of the statement for each line that ran."""
        return {self._heads.get(line, line) for line in lines}

    @property
    def _heads(self) -> dict[int, int]:
        return self._statements[0]

    @cached_property
    def _page(self) -> Page:
        root = config.find_root(Path(self.filename).absolute().parent)
        project = config.load(root)
        syntax = project.settings_for(project.relative(self.filename)).syntax
        return reader.parse(files.read(self.filename), self.filename, syntax)

    @cached_property
    def _statements(self) -> tuple[dict[int, int], set[int]]:
        heads: dict[int, int] = {}
        excluded: set[int] = set()
        for fence in self._page.fences:
            for code, line in _parts(fence) if fence.language in PYTHONS else ():
                found, left_out = statements(code, line)
                heads |= found
                excluded |= set(found.values()) if fence.tags.skip else left_out
        return heads, excluded


def _parts(fence: Fence) -> Iterable[tuple[str, int]]:
    """What of a fence is compiled at once, and the page line of each."""
    if fence.transcript is None:
        return [(fence.code, fence.code_line)]
    return [(turn.code, fence.code_line + turn.at) for turn in fence.transcript.turns]
