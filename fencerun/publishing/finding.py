"""Which site generator publishes a page: its settings, looked for at and above the page.

Read once a run, and only for pages with fences. Costs a look for seventeen names in each
directory where there is none; all that knows what they mean is loaded when one is found.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

from fencerun.frozen import dataclass

if TYPE_CHECKING:
    from fencerun.publishing.site import Site

#: Where each generator has its settings, from the directory of its site.
FILES: Mapping[str, tuple[str, ...]] = {
    "mkdocs": ("mkdocs.yml", "mkdocs.yaml"),
    "quarto": ("_quarto.yml", "_quarto.yaml"),
    "jekyll": ("_config.yml", "_config.yaml"),
    "hugo": (
        *("hugo.toml", "hugo.yaml", "hugo.yml"),
        *("config.toml", "config.yaml", "config.yml"),
    ),
    "docusaurus": tuple(f"docusaurus.config.{kind}" for kind in ("js", "ts", "mjs", "cjs")),
    "vitepress": (".vitepress",),
}

#: Settings that are a directory, and what they are called in it.
_WITHIN = {".vitepress": tuple(f"config.{k}" for k in ("mts", "ts", "js", "mjs", "cts", "cjs"))}


@dataclass(slots=True)
class Sites:
    """The generators around a project's pages.

    ``only`` is the generator that the project says it is published with, or None: then it is
    found out.
    """

    only: str | None = None
    _near: dict[str, tuple[tuple[str, str, str], ...]] = field(default_factory=dict)
    _read: dict[str, Site | None] = field(default_factory=dict)

    def site(self, path: str, text: str) -> Site | None:
        """What publishes the page at ``path`` with this text, or None where nothing seems to."""
        path = os.path.abspath(path)
        for generator, directory, file in self._candidates(os.path.dirname(path)):
            if file not in self._read:
                self._read[file] = _read(generator, directory, file)
            found = self._read[file]
            if found is not None and found.extent.holds(path.replace(os.sep, "/"), text):
                return found
        if self.only is None:
            return None
        if self.only not in self._read:
            self._read[self.only] = _unset(self.only)
        return self._read[self.only]

    def _candidates(self, directory: str) -> tuple[tuple[str, str, str], ...]:
        """The settings that may hold for pages of a directory, the nearest first."""
        found = self._near.get(directory)
        if found is None:
            above = os.path.dirname(directory)
            found = tuple(self._here(directory))
            if above != directory and not self._is_top(directory):
                found += self._candidates(above)
            self._near[directory] = found
        return found

    def _here(self, directory: str) -> Iterator[tuple[str, str, str]]:
        for generator in FILES if self.only is None else (self.only,):
            for name in FILES[generator]:
                file = os.path.join(directory, name)
                if os.path.exists(file):
                    yield generator, directory, file

    def _is_top(self, directory: str) -> bool:
        """Whether a project ends here: settings above it are those of something else."""
        return os.path.exists(os.path.join(directory, ".git"))


def _read(generator: str, directory: str, file: str) -> Site | None:
    from fencerun.publishing import generators

    for name in _WITHIN.get(os.path.basename(file), ()):
        if os.path.exists(os.path.join(file, name)):
            file = os.path.join(file, name)
            break
    text = _text(file)
    if text is None:
        return None
    found = generators.Found(
        text,
        directory.replace(os.sep, "/"),
        os.path.relpath(file),
        lambda name: _text(os.path.join(directory, name)),
    )
    try:
        return generators.READERS[generator](found)
    except RecursionError:  # aliases of YAML that hold themselves
        return None


def _unset(generator: str) -> Site | None:
    """A generator whose settings are not here, as it is without any, for every page."""
    from fencerun.publishing import generators
    from fencerun.publishing.site import Extent

    found = generators.Found("", "/", f'publishes = "{generator}"', lambda name: None)
    site = generators.READERS[generator](found)
    return None if site is None else replace(site, extent=Extent(("/",)))


def _text(path: str) -> str | None:
    try:
        if os.path.isdir(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError, ValueError):
        return None
