"""The project's configuration: ``[tool.fencerun]`` of the nearest ``pyproject.toml``.

Reads that one file. Page settings nest: a tag wins over the page's front matter, that over
``[tool.fencerun.pages."docs/*.md"]``, that over ``[tool.fencerun]``.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from dataclasses import field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fencerun import frontmatter
from fencerun.errors import UsageError
from fencerun.frontmatter import PageSettings
from fencerun.frozen import dataclass
from fencerun.tags import nearest

if TYPE_CHECKING:
    from fencerun.configvalues import Keys

#: The file that holds it, in the project's root.
FILE = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Project:
    """Everything that is configured once for all pages. The defaults are those of no file."""

    root: Path
    paths: tuple[str, ...] = (".",)
    exclude: tuple[str, ...] = ()
    threads: int = 1
    env: Mapping[str, str] = field(default_factory=dict)
    #: Bytes of output that a recording may hold.
    max_output: int = 64 << 10
    #: COLUMNS for every fence.
    width: int = 80
    #: Days after which a kept recording counts as too old, or None.
    max_kept_days: int | None = None
    #: Masks of the project's own: name to (pattern, replacement).
    masks: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    #: Capabilities of the project's own, as the table says them.
    capabilities: Mapping[str, object] = field(default_factory=dict)
    #: Fences known to fail or to differ: id to where that is tracked.
    known: Mapping[str, str] = field(default_factory=dict)
    untagged: str = "ignore"
    #: What publishes the pages: one of ``PUBLISHERS``, or None where that is to be found out.
    publishes: str | None = None
    defaults: PageSettings = field(default_factory=PageSettings)
    pages: tuple[tuple[str, PageSettings], ...] = ()

    def relative(self, page: str | os.PathLike[str]) -> str:
        """The path of ``page`` from the root, with ``/`` on every system."""
        return os.path.relpath(page, self.root).replace(os.sep, "/")

    def settings_for(self, page: str) -> PageSettings:
        """The defaults for ``page``, a path relative to the root, before its own front matter.

        Of several patterns that match, the later ones in the file win. A set-up file is named
        from the page's directory, as a page names its own.
        """
        settings = self.defaults
        for pattern, own in self.pages:
            if fnmatchcase(page, pattern):
                settings = own.over(settings)
        if settings.setup is None:
            return settings
        beside = posixpath.relpath(settings.setup, posixpath.dirname(page) or ".")
        return replace(settings, setup=beside)


def find_root(start: Path) -> Path:
    """The directory of the nearest ``pyproject.toml`` at or above ``start``, else ``start``."""
    for directory in (start, *start.parents):
        if (directory / FILE).is_file():
            return directory
    return start


def load(root: Path) -> Project:
    """The project rooted at ``root``.

    Raises UsageError on TOML that does not parse, an unknown key or a value of the wrong kind.
    """
    file = root / FILE
    if not file.is_file():
        return Project(root)
    text = file.read_bytes()
    if b"tool.fencerun" not in text and b"fencerun" not in text:
        return Project(root)
    tool = _parse(text, root).get("tool", {})
    table = tool.get("fencerun", {}) if isinstance(tool, dict) else None
    if not isinstance(table, dict):
        name = "tool" if table is None else "tool.fencerun"
        raise UsageError(f"{place(root)}: {name} is no table", "write it as a TOML table")
    from fencerun.configvalues import SettingError

    try:
        return from_table(table, root)
    except SettingError as error:
        raise UsageError(f"{place(root, *error.keys)}: {error.what}", error.remedy) from None


def _parse(text: bytes, root: Path) -> dict[str, Any]:
    from fencerun import tomltext

    try:
        return tomltext.parse(text)
    except ValueError as error:
        line, why = tomltext.fault(text, error)
        raise UsageError(f"{_called(root)}:{line}: {why}", "correct it there") from None


def _called(root: Path) -> str:
    """The file as it is called from the working directory, where that is in the project."""
    try:
        here = Path.cwd()
    except FileNotFoundError:
        return str(root / FILE)
    return os.path.relpath(root / FILE) if root in (here, *here.parents) else str(root / FILE)


def place(root: Path, *keys: str) -> str:
    """Where the configuration has ``keys`` below ``[tool.fencerun]``: `pyproject.toml:12`.

    Of what is not there it is the table that would hold it.
    """
    from fencerun import tomltext

    try:
        line = tomltext.line_of((root / FILE).read_bytes(), ("tool", "fencerun", *keys))
    except OSError:
        line = None
    return _called(root) if line is None else f"{_called(root)}:{line}"


def from_table(table: Mapping[str, Any], root: Path) -> Project:
    """The project that ``[tool.fencerun]`` describes. Raises SettingError."""
    from fencerun.configvalues import READERS, SettingError, mapping

    values: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for name, value in table.items():
        if name in frontmatter.NAMES:
            defaults[name] = value
        elif name == "pages":
            values["pages"] = tuple(
                (pattern, _settings(own, root, (name, pattern)))
                for pattern, own in mapping(value, (name,)).items()
            )
        elif name in READERS:
            values[name] = READERS[name](value, (name,))
        else:
            known = (*READERS, "pages", *frontmatter.NAMES)
            raise SettingError((name,), f"no setting is called `{name}`", nearest(name, known))
    return Project(root, defaults=_settings(defaults, root, ()), **values)


def _settings(value: object, root: Path, keys: Keys) -> PageSettings:
    from fencerun.configvalues import SettingError, mapping, name_of

    said = mapping(value, keys)
    settings, problems = frontmatter.from_mapping(said, "", 1)
    above = f"{name_of(keys)}: " if keys else ""
    if problems:
        wrong = (n for n, one in said.items() if frontmatter.from_mapping({n: one}, "", 1)[1])
        what = f"{above}{problems[0].what}"
        raise SettingError((*keys, next(wrong)), what, problems[0].remedy)
    if settings.setup is not None and not (root / settings.setup).is_file():
        what = f"{above}setup: {settings.setup} is not there"
        remedy = "name a file, relative to the project's root"
        raise SettingError((*keys, "setup"), what, remedy)
    return settings
