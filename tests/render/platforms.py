"""Where pages are published, and what readers see there of each form of tags.

The renderers behind a platform answer in the tests. Where there is none in the package indexes,
the answer was found by hand, with the program named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .expected import expected
from .seen import Outcome

CARRIERS = ("words", "braces", "comment")

_FINE: Mapping[str, Outcome] = dict.fromkeys(CARRIERS, "fine")


@dataclass(frozen=True)
class Platform:
    """A place where pages are read. ``do`` is what its users should do."""

    name: str
    #: What it renders with, among the tested ones.
    renderer: str = ""
    #: What it was tried with by hand, and what became of each form.
    tried: str = ""
    by_hand: Mapping[str, Outcome] = field(default_factory=dict)
    do: str = "nothing"

    def outcome(self, carrier: str) -> Outcome:
        """What readers see of a block with its tags in this form."""
        if not self.renderer:
            return self.by_hand[carrier]
        found = {
            expected(self.renderer, form)
            for form in (carrier, f"{carrier}, output", f"{carrier}, file")
        }
        return next(one for one in ("shown", "plain", "fine") if one in found)

    def row(self) -> str:
        """The platform's row in `docs/publishing.md`."""
        shown = {"fine": "fine", "plain": "no colour", "shown": "**shown**"}
        cells = [shown[self.outcome(carrier)] for carrier in CARRIERS]
        known = f"{self.tried} (by hand)" if self.tried else self.renderer
        return "| " + " | ".join((self.name, *cells, self.do, known)) + " |"


_RELAXED = "set [`relaxed_headers`](#mkdocs-and-material-for-mkdocs), or use braces"

PLATFORMS = (
    Platform("GitHub", "cmark-gfm"),
    Platform("GitLab", tried="comrak", by_hand=_FINE),
    Platform("PyPI", "cmark-gfm"),
    Platform("Visual Studio Code's preview", "markdown-it"),
    Platform(
        "JupyterLab's preview",
        tried="marked",
        by_hand={"words": "plain", "braces": "plain", "comment": "fine"},
        do="use comments if colour matters",
    ),
    Platform("Sphinx with MyST, Jupyter Book 1", "Sphinx"),
    Platform("Jupyter Book 2", tried="mystmd", by_hand=_FINE),
    Platform("MkDocs, as it comes", "Python-Markdown", do="use superfences, or comments"),
    Platform("MkDocs or Material, with superfences", "superfences", do=_RELAXED),
    Platform("MkDocs or Material, with `relaxed_headers`", "superfences, relaxed"),
    Platform("mdBook", tried="mdBook 0.5.4", by_hand=_FINE),
    Platform("Hugo", tried="Hugo 0.168", by_hand=_FINE),
    Platform("Docusaurus", "MDX with comments"),
    Platform("MDX without comments", "MDX", do="use words or braces"),
    Platform("VitePress", "markdown-it"),
    Platform("Astro, Starlight", "remark"),
    Platform("Quarto", "pandoc 3", do="use braces"),
    Platform("pandoc 3", "pandoc 3", do="use braces, or `-f gfm`"),
    Platform("pandoc 2, as Debian 12 has it", "pandoc 2", do="use comments, or `-f gfm`"),
    Platform("pandoc with `-f gfm`", "pandoc, gfm"),
    Platform("Jekyll, GitHub Pages", "kramdown", do="use comments, or [CommonMark](#jekyll)"),
    Platform("Jekyll with `CommonMarkGhPages`", "cmark-gfm"),
)
