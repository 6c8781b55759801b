"""The Python file that a page or project has run before its fences. Reads nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fencerun.events import Problem
from fencerun.frontmatter import PageSettings
from fencerun.kinds import PYTHONS
from fencerun.page import Page


def missing(
    page: Page, base: PageSettings, read: Callable[[str], bytes | None]
) -> Iterator[Problem]:
    """The problem of a page whose set-up file is not there; ``base`` are the project's settings."""
    setup = page.settings.setup or base.setup
    if setup is None or not any(fence.language in PYTHONS for fence in page.fences):
        return
    if read(setup) is None:
        what = f"the set-up file {setup} is not there"
        remedy = "name a file relative to the page" if page.settings.setup else "make it"
        yield Problem(page.path, 1, "setup", what, remedy)
