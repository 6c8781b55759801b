"""The project's configuration: ``[tool.fencerun]`` of the nearest ``pyproject.toml``.

Reads that one file. Page settings nest: a tag wins over the page's front matter, that over
``[tool.fencerun.pages."docs/*.md"]``, that over ``[tool.fencerun]``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from fencerun import frontmatter
from fencerun.errors import UsageError
from fencerun.frontmatter import PageSettings
from fencerun.frozen import dataclass
from fencerun.tags import nearest

#: What runnable code blocks without a tag may be.
UNTAGGED = ("ignore", "warn", "error")

#: The site generators whose settings are looked for, and ``none`` of them.
PUBLISHERS = ("mkdocs", "quarto", "jekyll", "hugo", "docusaurus", "vitepress", "none")


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
        if (directory / "pyproject.toml").is_file():
            return directory
    return start


def load(root: Path) -> Project:
    """The project rooted at ``root``.

    Raises UsageError on TOML that does not parse, an unknown key or a value of the wrong kind.
    """
    file = root / "pyproject.toml"
    if not file.is_file():
        return Project(root)
    text = file.read_bytes()
    if b"tool.fencerun" not in text and b"fencerun" not in text:
        return Project(root)
    tool = _mapping(_parse(text, file).get("tool", {}), f"{file}: tool")
    table = _mapping(tool.get("fencerun", {}), f"{file}: tool.fencerun")
    return from_table(table, root, str(file))


def _parse(text: bytes, file: Path) -> dict[str, Any]:
    from fencerun import tomltext

    try:
        return tomltext.parse(text)
    except ValueError as error:
        raise UsageError(f"{file}: {error}") from None


def from_table(table: Mapping[str, Any], root: Path, where: str) -> Project:
    """The project that ``[tool.fencerun]`` describes; ``where`` is what errors call it."""
    values: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for name, value in table.items():
        if name in frontmatter.NAMES:
            defaults[name] = value
        elif name == "pages":
            values["pages"] = tuple(
                (pattern, _settings(own, root, f"{where}: pages.{pattern}"))
                for pattern, own in _mapping(value, f"{where}: {name}").items()
            )
        elif name in _KEYS:
            values[name] = _KEYS[name](value, f"{where}: {name}")
        else:
            known = (*_KEYS, "pages", *frontmatter.NAMES)
            raise UsageError(f"{where}: no setting is called `{name}`", nearest(name, known))
    return Project(root, defaults=_settings(defaults, root, where), **values)


def _settings(mapping: object, root: Path, where: str) -> PageSettings:
    settings, problems = frontmatter.from_mapping(_mapping(mapping, where), where, 1)
    if problems:
        raise UsageError(f"{where}: {problems[0].what}", problems[0].remedy)
    if settings.setup is not None and not (root / settings.setup).is_file():
        what = f"{where}: setup: {settings.setup} is not there"
        raise UsageError(what, "name a file, relative to the project's root")
    return settings


def _mapping(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{where} is no table", "write it as a TOML table")
    return value


def _strings(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"{where} is no list of strings", 'write ["a", "b"]')
    return tuple(value)


def _string_map(value: object, where: str) -> dict[str, str]:
    for name, item in _mapping(value, where).items():
        if not isinstance(item, (str, int, float)) or isinstance(item, bool):
            raise UsageError(f"{where}.{name} is no string", f'write {name} = "…"')
    return {name: str(item) for name, item in _mapping(value, where).items()}


def _known(value: object, where: str) -> dict[str, str]:
    entries = _string_map(value, where)
    for entry in entries:
        if not re.fullmatch(r".+::[1-9][0-9]*", entry):
            raise UsageError(f"{where}: {entry!r} is no fence", 'write "page.md::3" = "…"')
    return entries


def _env(value: object, where: str) -> dict[str, str]:
    env = _string_map(value, where)
    for name, item in env.items():
        if not name or "=" in name or "\0" in name:
            raise UsageError(f"{where}: {name!r} is no variable's name", 'write NAME = "value"')
        if "\0" in item:
            raise UsageError(f"{where}.{name} holds a null character", "leave it out")
    return env


def _count(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise UsageError(
            f"{where} is no whole number of at least 1", "write 1 or more, without quotes"
        )
    return value


def _limit(value: object, where: str) -> int:
    from fencerun.canonical import MIN_LIMIT

    limit = _count(value, where)
    if limit < MIN_LIMIT:
        raise UsageError(f"{where} is {limit}", f"write {MIN_LIMIT} bytes at least")
    return limit


def _masks(value: object, where: str) -> dict[str, tuple[str, str]]:
    masks = {}
    for name, item in _mapping(value, where).items():
        said = {"pattern": item} if isinstance(item, str) else _mapping(item, f"{where}.{name}")
        for key, text in said.items():
            if key not in ("pattern", "replacement"):
                remedy = nearest(key, ("pattern", "replacement"))
                raise UsageError(f"{where}.{name}: no key is called `{key}`", remedy)
            if not isinstance(text, str):
                raise UsageError(f"{where}.{name}.{key} is no string", 'write "…"')
        pattern = said.get("pattern", "")
        try:
            re.compile(pattern)
        except re.error as error:
            remedy = "write a regular expression of Python's `re`, in single quotes"
            raise UsageError(f"{where}.{name}: {error}", remedy) from None
        masks[name] = (pattern, said.get("replacement", f"<{name}>"))
    return masks


def _untagged(value: object, where: str) -> str:
    if value not in UNTAGGED:
        raise UsageError(f"{where} is {value!r}", "write ignore, warn or error")
    return str(value)


def _publishes(value: object, where: str) -> str:
    if value not in PUBLISHERS:
        *first, last = PUBLISHERS
        raise UsageError(f"{where} is {value!r}", f"write {', '.join(first)} or {last}")
    return str(value)


_KEYS: Mapping[str, Callable[[object, str], object]] = {
    "paths": _strings,
    "exclude": _strings,
    "threads": _count,
    "env": _env,
    "max_output": _limit,
    "width": _count,
    "max_kept_days": _count,
    "masks": _masks,
    "capabilities": _mapping,
    "known": _known,
    "untagged": _untagged,
    "publishes": _publishes,
}

#: What a project may set besides ``pages`` and the settings of pages.
KEYS = tuple(_KEYS)
