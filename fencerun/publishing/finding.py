"""Which site generator publishes a page: its settings, looked for at and above the page.

Read for pages with fences only, and once until it changes. Costs a look for seventeen names in each
directory where there is none; all that knows what they mean is loaded when one is found.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cache
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
    found out. Where that one's settings are not here, it publishes every page as it comes.
    """

    only: str | None = None
    _near: dict[str, tuple[tuple[str, str, str], ...]] = field(default_factory=dict)
    _read: dict[str, tuple[int, Site | None]] = field(default_factory=dict)

    def site(self, path: str, text: str) -> Site | None:
        """What publishes the page at ``path`` with this text, or None where nothing seems to."""
        path = os.path.abspath(path)
        candidates = self._candidates(os.path.dirname(path))
        for generator, directory, file in candidates:
            found = self._settings(generator, directory, file)
            if found is not None and found.extent.holds(path.replace(os.sep, "/"), text):
                return found
        return None if self.only is None or candidates else _unset(self.only)

    def _settings(self, generator: str, directory: str, file: str) -> Site | None:
        """What a file says: an author may mend it while a live page is open."""
        changed = _changed(file)
        if file not in self._read or self._read[file][0] != changed:
            self._read[file] = changed, _read(generator, directory, file)
        return self._read[file][1]

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


@cache
def _unset(generator: str) -> Site | None:
    """A generator whose settings are not here, as it is without any, for every page."""
    from fencerun.publishing import generators
    from fencerun.publishing.site import Extent

    found = generators.Found("", "/", f'publishes = "{generator}"', lambda name: None)
    site = generators.READERS[generator](found)
    return None if site is None else replace(site, extent=Extent(("/",)))


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _text(path: str) -> str | None:
    try:
        if os.path.isdir(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError, ValueError):
        return None
