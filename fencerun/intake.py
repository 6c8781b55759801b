"""The pages of a run, read: bytes in, pages out with every problem that they have.

Looks at what lies beside a page where that can be a problem of it. Selects nothing, runs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from fencerun import files, known, reader, setupfile
from fencerun.config import Project, place
from fencerun.errors import FencerunError
from fencerun.events import Problem
from fencerun.figures import DIRECTORY
from fencerun.frontmatter import PageSettings
from fencerun.frozen import dataclass
from fencerun.gate import Gate
from fencerun.localmodules import Read
from fencerun.masks import NAMED, Mask
from fencerun.page import Page
from fencerun.parsed import Parsed

if TYPE_CHECKING:
    from fencerun.publishing.finding import Sites
    from fencerun.publishing.site import Site


def unreadable(path: str, error: files.NoSuchPath) -> Page:
    """A page that is there and cannot be read: a problem of it, and of no other."""
    problem = Problem(path, 1, "unreadable", f"it cannot be read: {error.why}", error.remedy)
    return Page(path, "", problems=(problem,))


@dataclass(slots=True)
class Intake:
    """Reads pages of a project. ``beside`` gives, for a page, a reader of the files beside it."""

    project: Project
    gate: Gate
    #: The project's own masks.
    masks: Sequence[Mask]
    beside: Callable[[str], Read]
    _relative: dict[str, str] = field(default_factory=dict)
    _sites: Sites | None = None

    def pages(self, names: Sequence[str], *, recording: bool = False) -> Iterator[Page]:
        """The pages called ``names``. Raises UsageError for one that is not there.

        While they are being recorded, what templates make of their output is not said yet.
        """
        kept = None if recording else Parsed(self.project.root)
        for name in names:
            try:
                data = files.read(name)
            except files.NoSuchPath as error:
                if not os.path.isfile(name):
                    raise
                yield unreadable(name, error)
                continue
            yield self.page(name, data, recording=recording, kept=kept)

    def page(
        self, name: str, data: bytes, *, recording: bool = False, kept: reader.Kept | None = None
    ) -> Page:
        """The page called ``name`` that ``data`` holds.

        With ``kept`` it is not to be written: its tokens may be no more than checking needs.
        """
        masks = tuple(dict.fromkeys((*NAMED, *(mask.name for mask in self.masks))))
        base = self.project.settings_for(self.relative(name))
        page = self.gate.checked(reader.parse(data, name, base.syntax, kept), masks)
        if page.settings.setup or base.setup:
            absent = setupfile.missing(page, base, self.beside(name))
            page = replace(page, problems=(*page.problems, *absent))
        if os.path.isdir(os.path.join(os.path.dirname(name), DIRECTORY)) and page.fences:
            from fencerun import figurefiles

            page = replace(page, problems=(*page.problems, *figurefiles.problems(page)))
        if self.project.known and not page.broken:
            page = replace(page, problems=(*page.problems, *self._unknown(page)))
        if page.fences and self.project.publishes != "none":
            page = replace(page, problems=(*page.problems, *self._published(page, recording)))
        return page

    def _unknown(self, page: Page) -> Iterator[Problem]:
        """A warning for each entry of `known` that excuses a fence which the page does not have."""
        numbers = {fence.number for fence in page.fences}
        own, root = self.relative(page.path), self.project.root
        for entry in known.unmatched(own, numbers, self.project.known):
            named = known.page_of(entry)
            if named != own and (root / named).is_file():
                continue  # it is about that page
            what = f"`known` in {place(root, 'known', entry)} lists {entry}, no fence of this page"
            remedy = "delete the entry, or correct its number"
            yield Problem(page.path, 1, "known", what, remedy, "warning")

    def _published(self, page: Page, recording: bool) -> Iterator[Problem]:
        """Warnings of what the site that publishes the page would make of it."""
        site = self._site(page)
        if site is None:
            return
        from fencerun.publishing import advice, templates

        yield from advice.problems(page, site)
        if not recording:
            yield from templates.problems(page, site)

    def _site(self, page: Page) -> Site | None:
        from fencerun.publishing.finding import Sites

        if self._sites is None:
            self._sites = Sites(self.project.publishes)
        return self._sites.site(page.path, page.text)

    def recorded(self, page: Page) -> tuple[Problem, ...]:
        """Warnings of what templates of its site make of a page that has just been recorded."""
        if not page.fences or self.project.publishes == "none":
            return ()
        site = self._site(page)
        if site is None or not site.engines:
            return ()
        from fencerun.publishing import templates

        syntax = self.defaults(page).syntax
        try:
            now = reader.parse(files.read(page.path), page.path, syntax)
        except FencerunError:  # gone meanwhile, and its verdicts say so
            return ()
        return tuple(templates.problems(now, site))

    def defaults(self, page: Page) -> PageSettings:
        """The project's settings for ``page``."""
        return self.project.settings_for(self.relative(page.path))

    def relative(self, path: str) -> str:
        """A page's path from the project's root, with ``/``."""
        found = self._relative.get(path)
        if found is None:
            found = self.project.relative(path)
            self._relative[path] = found
        return found
