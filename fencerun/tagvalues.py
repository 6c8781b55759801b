"""The values that tags take: their types, how they are read, and an example of each.

Knows nothing of carriers, nor of what tags do to a run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, get_args

from fencerun.frozen import dataclass
from fencerun.patterns import later

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
