"""The values that keys of ``[tool.fencerun]`` take, but for ``pages`` and the settings of pages.

Loaded where there is such a table. Knows nothing of files and lines: of a setting that cannot be,
it says which keys lead to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from fencerun.errors import UsageError
from fencerun.tags import nearest

#: What leads to a setting from ``[tool.fencerun]``.
Keys = tuple[str, ...]

#: What runnable code blocks without a tag may be.
UNTAGGED = ("ignore", "warn", "error")

#: The site generators whose settings are looked for, and ``none`` of them.
PUBLISHERS = ("mkdocs", "quarto", "jekyll", "hugo", "docusaurus", "vitepress", "none")


class SettingError(UsageError):
    """A setting that cannot be: ``keys`` lead to it from ``[tool.fencerun]``."""

    def __init__(self, keys: Keys, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.keys = keys


def name_of(keys: Keys) -> str:
    """What messages call the setting."""
    return ".".join(keys)


def mapping(value: object, keys: Keys) -> dict[str, Any]:
    """``value``, which has to be a table. Raises SettingError."""
    if not isinstance(value, dict):
        raise SettingError(keys, f"{name_of(keys)} is no table", "write it as a TOML table")
    return value


def _strings(value: object, keys: Keys) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise SettingError(keys, f"{name_of(keys)} is no list of strings", 'write ["a", "b"]')
    return tuple(value)


def _string_map(value: object, keys: Keys) -> dict[str, str]:
    for name, item in mapping(value, keys).items():
        if not isinstance(item, (str, int, float)) or isinstance(item, bool):
            own = (*keys, name)
            raise SettingError(own, f"{name_of(own)} is no string", f'write {name} = "…"')
    return {name: str(item) for name, item in mapping(value, keys).items()}


def _known(value: object, keys: Keys) -> dict[str, str]:
    entries = _string_map(value, keys)
    for entry in entries:
        if not re.fullmatch(r".+::[1-9][0-9]*", entry):
            what = f"{name_of(keys)}: {entry!r} is no fence"
            raise SettingError((*keys, entry), what, 'write "page.md::3" = "…"')
    return entries


def _env(value: object, keys: Keys) -> dict[str, str]:
    env = _string_map(value, keys)
    for name, item in env.items():
        own = (*keys, name)
        if not name or "=" in name or "\0" in name:
            what = f"{name_of(keys)}: {name!r} is no variable's name"
            raise SettingError(own, what, 'write NAME = "value"')
        if "\0" in item:
            raise SettingError(own, f"{name_of(own)} holds a null character", "leave it out")
    return env


def _count(value: object, keys: Keys) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        what = f"{name_of(keys)} is no whole number of at least 1"
        raise SettingError(keys, what, "write 1 or more, without quotes")
    return value


def _limit(value: object, keys: Keys) -> int:
    from fencerun.canonical import MIN_LIMIT

    limit = _count(value, keys)
    if limit < MIN_LIMIT:
        what = f"{name_of(keys)} is {limit}"
        raise SettingError(keys, what, f"write {MIN_LIMIT} bytes at least")
    return limit


def _masks(value: object, keys: Keys) -> dict[str, tuple[str, str]]:
    from fencerun.masks import Mask, MaskError

    masks = {}
    for name, item in mapping(value, keys).items():
        own = (*keys, name)
        said = {"pattern": item} if isinstance(item, str) else item
        if not isinstance(said, dict):
            what = f"{name_of(own)} is no pattern"
            raise SettingError(own, what, f"write {name} = 'a regular expression'")
        for key, text in said.items():
            if key not in ("pattern", "replacement"):
                remedy = nearest(key, ("pattern", "replacement"))
                raise SettingError((*own, key), f"{name_of(own)}: no key is called `{key}`", remedy)
            if not isinstance(text, str):
                raise SettingError((*own, key), f"{name_of(own)}.{key} is no string", 'write "…"')
        spec = said.get("pattern", ""), said.get("replacement", f"<{name}>")
        try:
            Mask(name, *spec)
        except MaskError as error:
            raise SettingError(own, f"{name_of(own)}: {error.what}", error.remedy) from None
        masks[name] = spec
    return masks


def _one_of(words: tuple[str, ...]) -> Callable[[object, Keys], str]:
    def read(value: object, keys: Keys) -> str:
        if value not in words:
            *first, last = words
            what = f"{name_of(keys)} is {value!r}"
            raise SettingError(keys, what, f"write {', '.join(first)} or {last}")
        return str(value)

    return read


#: How the value of each key is read, besides ``pages`` and the settings of pages.
READERS: Mapping[str, Callable[[object, Keys], object]] = {
    "paths": _strings,
    "exclude": _strings,
    "threads": _count,
    "env": _env,
    "max_output": _limit,
    "width": _count,
    "max_kept_days": _count,
    "masks": _masks,
    "capabilities": mapping,
    "known": _known,
    "untagged": _one_of(UNTAGGED),
    "publishes": _one_of(PUBLISHERS),
}
