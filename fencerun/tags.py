"""Tags with a meaning: the table of those a fence may carry, and the values they take.

Knows nothing of carriers (``infostring`` splits those) or of what tags do to a run. A page's
front matter and the project's configuration use the same table for their defaults.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any, Literal, get_args

from fencerun.frozen import dataclass
from fencerun.patterns import later
from fencerun.text import within_one_typo

Match = Literal["exact", "ellipsis", "unordered", "any"]


class TagError(ValueError):
    """A tag's value cannot be read. The first argument says why, the second what to write."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """A tolerance on numbers: ``value`` as a fraction, or any number at all."""

    value: float = 0.0
    any: bool = False


@dataclass(frozen=True, slots=True)
class Raises:
    """The exception that a fence must end with: a class name, and text its message contains."""

    type: str
    text: str = ""


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


def _number(text: str, example: str = "1e-3") -> float:
    try:
        value = float(text)
    except ValueError:
        raise TagError(f"{text!r} is no number", f"write a number such as {example}") from None
    if not 0 <= value < float("inf"):
        what = f"{text!r} is not a finite number of at least 0"
        raise TagError(what, f"write {example}, say")
    return value


def _tolerance(text: str) -> Tolerance:
    if text == "any":
        return Tolerance(any=True)
    if text.endswith("%"):
        from decimal import Decimal  # 0.7 / 100 is less than 0.007

        return Tolerance(float(Decimal(repr(_number(text[:-1]))) / 100))
    return Tolerance(_number(text))


def _absolute(text: str) -> Tolerance:
    return Tolerance(_number(text))


def _seconds(text: str) -> float:
    value = _number(text.removesuffix("s"), "60")
    if value == 0:
        raise TagError("a fence that may take 0 seconds never passes", "write `timeout:60`, say")
    return value


def _continues(text: str) -> int:
    if not NUMBER.fullmatch(text):
        raise TagError(f"{text!r} is no fence number", "write the number of an earlier fence")
    return int(text)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise TagError(f"{text!r} holds an empty name", "separate names by single commas")
    return names


def _status(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,3}", text) or int(text) > 255:
        raise TagError(f"{text!r} is no exit status", "write a number from 0 to 255")
    return int(text)


def _paths(text: str) -> tuple[str, ...]:
    paths = _names(text)
    for path in paths:
        if path.startswith("/") or "\\" in path or ".." in path.split("/"):
            raise TagError(f"{path!r} leaves the page's directory", "write a path below it, with /")
    return paths


def _form(text: str) -> str:
    if text != "markdown":
        raise TagError(f"{text!r} is no form of output", "write `as:markdown`")
    return text


def _figure(text: str) -> str:
    if not _FIGURE.fullmatch(text):
        raise TagError(
            f"{text!r} is no name of a figure",
            "write `figure:NAME.svg`, with letters, digits, `-`, `_` and `.` in NAME",
        )
    return text


def _reason(text: str) -> str:
    if not text.strip():
        raise TagError("it does not say why", 'write `skip:"the reason"`')
    return text.strip()


def _match(text: str) -> str:
    if text not in get_args(Match):
        raise TagError(f"{text!r} is no way to compare", f"write {_one_of(get_args(Match))}")
    return text


def _raises(text: str) -> Raises:
    name, _, rest = text.partition(":")
    if not re.fullmatch(r"[A-Za-z_][\w.]*", name.strip()):
        raise TagError(f"{name!r} is no exception's name", 'write `raises:"ValueError: text"`')
    return Raises(name.strip(), rest.strip())


def _one_of(words: Iterable[str]) -> str:
    *first, last = words
    return ", ".join(first) + " or " + last


#: A fence number, as CommonMark's ASCII digits: ``\\d`` would take other scripts' digits too.
NUMBER = later(r"[1-9][0-9]{0,5}")

# No slash: figures lie in one directory. Nothing that Markdown or a shell would take for more.
_FIGURE = later(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\.svg")

#: Tags that take a value, and how the value is read.
VALUED: Mapping[str, Callable[[str], object]] = {
    "continues": _continues,
    "requires": _names,
    "raises": _raises,
    "rtol": _tolerance,
    "atol": _absolute,
    "match": _match,
    "mask": _names,
    "varies": _names,
    "skip": _reason,
    "timeout": _seconds,
    "allows": _names,
    "uses": _paths,
    "exit": _status,
    "as": _form,
    "figure": _figure,
}

#: A value for each, to show how it is written.
EXAMPLES: Mapping[str, str] = {
    "continues": "1",
    "requires": "cuda",
    "raises": '"ValueError: text"',
    "rtol": "1e-3",
    "atol": "1e-6",
    "match": "ellipsis",
    "mask": "address",
    "varies": "time",
    "skip": '"the reason"',
    "timeout": "60",
    "allows": "aten",
    "uses": "data.csv",
    "exit": "1",
    "as": "markdown",
    "figure": "loss.svg",
}

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


def read_file(value: str) -> str:
    """The path of a `file:` block, relative to the directory of the page's fences, with ``/``.

    Raises TagError for one that leaves that directory, or that is not written in one way only.
    """
    parts = value.split("/")
    if "\\" in value:
        raise TagError(f"`file:{value}` has a backslash", "write the path with /")
    if value.startswith("/") or ".." in parts or re.match(r"[A-Za-z]:", value):
        raise TagError(f"`file:{value}` leaves the directory of the page", "write a path below it")
    if not value or "" in parts or "." in parts or "\0" in value:
        raise TagError(f"`file:{value}` names no file", "write `file:dir/name.h`, say")
    return value


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
