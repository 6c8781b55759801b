"""Tags with a meaning: the table of those a fence may carry, and what a page may set for all.

Knows nothing of carriers (``infostring`` splits those) or of what tags do to a run. A page's
front matter and the project's configuration use the same table for their defaults. What their
values are is ``tagvalues``'s, whose names are here as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any, Literal

from fencerun.frozen import dataclass
from fencerun.tagvalues import (
    EXAMPLES,
    NUMBER,
    VALUED,
    Match,
    Raises,
    TagError,
    Tolerance,
    read_file,
)
from fencerun.text import within_one_typo

__all__ = [
    "EXAMPLES",
    "FLAGS",
    "NAMES",
    "NUMBER",
    "PAGE_KEYS",
    "VALUED",
    "Match",
    "Raises",
    "TagError",
    "Tags",
    "Tolerance",
    "named",
    "near_miss",
    "nearest",
    "read",
    "read_default",
    "read_file",
]


@dataclass(frozen=True, slots=True)
class Tags:
    """The tags of one fence, or of one layer of defaults. None means: not said here."""

    continues: int | Literal["previous"] | None = None
    requires: tuple[str, ...] | None = None
    raises: Raises | None = None
    rtol: Tolerance | None = None
    atol: Tolerance | None = None
    ints: bool | None = None
    match: Match | None = None
    mask: tuple[str, ...] | None = None
    varies: tuple[str, ...] | None = None
    quiet: bool | None = None
    skip: str | None = None
    stderr: bool | None = None
    echo: bool | None = None
    timeout: float | None = None
    isolated: bool | None = None
    allows: tuple[str, ...] | None = None
    uses: tuple[str, ...] | None = None
    exit: int | None = None
    hidden: bool | None = None
    as_: Literal["markdown"] | None = None
    figure: str | None = None

    @property
    def region(self) -> bool:
        """Whether its output is recorded as Markdown between two comments."""
        return bool(self.as_ or self.figure)

    def over(self, base: Tags) -> Tags:
        """These tags, and where they say nothing, those of ``base``."""
        values = _values(self)
        if values == _NOTHING_SAID:
            return base
        said = {name: value for name, value in zip(_FIELDS, values) if value is not None}  # noqa: B905
        return replace(base, **said)


_FIELDS = tuple(field.name for field in fields(Tags))
_values, _NOTHING_SAID = attrgetter(*_FIELDS), (None,) * len(_FIELDS)

#: The field of Tags for a tag that is a word of Python's own.
_FIELD = {"as": "as_"}

#: Tags that stand alone.
FLAGS = ("ints", "quiet", "stderr", "echo", "isolated", "hidden")

#: Every name that is ours in an info string.
NAMES = ("fence", "output", "file", *VALUED, *FLAGS)

#: What a page or a project may set for all its fences.
PAGE_KEYS = (
    *("continues", "requires", "timeout", "rtol", "atol"),
    *("ints", "match", "mask", "varies", "echo"),
)


def read(name: str, value: str | None) -> dict[str, Any]:
    """The tag ``name`` with ``value`` as keyword arguments for Tags.

    Raises TagError when the value does not fit the tag.
    """
    if name in FLAGS:
        if value in (None, "yes", "true"):
            return {name: True}
        if value in ("no", "false"):
            return {name: False}
        raise TagError(f"`{name}` takes no value", f"write `{name}` alone")
    if not value:
        raise TagError(f"`{name}` needs a value", f"write `{name}:{EXAMPLES[name]}`, say")
    return {_FIELD.get(name, name): VALUED[name](value)}


def read_default(name: str, value: object) -> dict[str, Any]:
    """A page's or project's default as keyword arguments for Tags.

    Values come from YAML or TOML, or as text from a comment; YAML reads ``1e-3`` as a string.
    Raises TagError.
    """
    if name not in PAGE_KEYS:
        raise TagError(f"no page setting is called `{name}`", nearest(name, PAGE_KEYS))
    if name == "continues":
        if value != "previous":
            raise TagError("`continues` takes only `previous` here", "write `previous`")
        return {name: value}
    if isinstance(value, bool):
        return read(name, "yes" if value else "no")
    if isinstance(value, (list, tuple)):
        return read(name, ",".join(str(item) for item in value))
    return read(name, str(value))


def named(name: str, what: str) -> str:
    """``what`` is wrong with a tag or setting, with its name in front where it is not there yet."""
    return what if what.startswith(f"`{name}`") else f"`{name}`: {what}"


def near_miss(name: str, known: Iterable[str] = NAMES) -> str | None:
    """The known name that ``name`` is one typo or a capital away from, if there is one."""
    lowered = name.lower()
    if lowered in known:
        return lowered
    # Too many words are one letter away from one of two letters.
    longer = (other for other in known if len(other) > 2)
    return next((other for other in longer if within_one_typo(lowered, other)), None)


def nearest(name: str, known: Iterable[str]) -> str:
    """A remedy that names the closest known word, or all of them when none is close."""
    known = tuple(known)
    from difflib import get_close_matches  # few names are wrong

    close = near_miss(name, known) or next(iter(get_close_matches(name, known, 1, 0.6)), None)
    return f"did you mean `{close}`?" if close else "known are " + ", ".join(known)
