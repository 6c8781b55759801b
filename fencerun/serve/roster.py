"""What browsers call pages, how they list them, and which state of one they show."""

from __future__ import annotations

import os
from pathlib import Path

from fencerun.live import PageView
from fencerun.reporters.escape import one_line
from fencerun.serve import faces, pictures
from fencerun.serve.state import Line
from fencerun.serve.titles import Titles


class Roster:
    """Pages are called relative to ``base``, which holds them all."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self._titles = Titles()

    def name(self, path: str) -> str:
        """What browsers call the page that the live core calls ``path``.

        What is no text in a name, or no part of a line, is shown as an escape: an address is
        a line of text.
        """
        return one_line(os.path.relpath(os.path.abspath(path), self.base).replace(os.sep, "/"))

    def title(self, view: PageView) -> str:
        """What the lesson is called."""
        return self._titles.of(view.page)

    def line(self, view: PageView) -> Line:
        """The lesson in the list."""
        return faces.line(view, self.name(view.path), self.title(view))


def version(view: PageView) -> str:
    """Another one when the page's body, but for what is known of its fences, is another."""
    page = view.page
    facts = page.text, page.syntax, view.problems, pictures.stamps(page)
    return f"{hash(facts) & 0xFFFFFFFFFFFFFFFF:x}"
