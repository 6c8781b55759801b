"""The settings of a site generator, as far as they can be read without running it. Pure.

A file that does not parse is the generator's to complain of: here it says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any


def mapping(text: str) -> dict[str, Any] | None:
    """The YAML mapping in ``text``, or None where it is none.

    What a tag of the generator's own stands for (``!!python/name:…``, ``!ENV``) is left out.
    """
    import yaml

    try:
        loaded = yaml.load(text, Loader=_loader())  # a SafeLoader: it builds no objects
    except (yaml.YAMLError, RecursionError, ValueError, TypeError, OverflowError):
        return None
    return {} if loaded is None else loaded if isinstance(loaded, dict) else None


@cache
def _loader() -> Any:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Tolerant(base):  # type: ignore[misc]
        """Reads any tag that it does not know as nothing."""

    Tolerant.add_constructor(None, lambda loader, node: None)
    return Tolerant


def options(section: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """The names in a list of names, or of names with options, or in a mapping of them."""
    if isinstance(section, dict):
        section = [section]
    for item in section if isinstance(section, list) else ():
        if isinstance(item, str):
            yield item, {}
        elif isinstance(item, dict):
            for name, own in item.items():
                yield str(name), own if isinstance(own, dict) else {}


def texts(section: object) -> tuple[str, ...]:
    """The strings in a list, or the string."""
    if isinstance(section, str):
        return (section,)
    found = section if isinstance(section, list) else ()
    return tuple(item for item in found if isinstance(item, str))
