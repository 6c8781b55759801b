"""What can be completed: verbs, their options, and what those take, read from argparse's parsers.

Pure. Knows no shell.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Literal

from fencerun.capabilitynames import KNOWN
from fencerun.frozen import dataclass
from fencerun.reporters import NAMES as REPORTS
from fencerun.request import RECORDABLE

#: ``words``: one of some words. ``list``: several of them, with commas. ``page``: a page, a
#: directory or a fence. ``nothing``: what nobody can guess.
Kind = Literal["words", "list", "page", "file", "directory", "nothing"]


@dataclass(frozen=True, slots=True)
class Value:
    """What an option or an argument takes."""

    kind: Kind
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its spellings, what it does, what it takes (None: nothing), if it may repeat."""

    flags: tuple[str, ...]
    about: str
    value: Value | None
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb with its options, and what its arguments are (None: it has none)."""

    name: str
    about: str
    options: tuple[Option, ...]
    arguments: Value | None


_NOTHING = Value("nothing")

#: Reports that nobody wants on a terminal.
_TO_FILES = ("junit", "jsonl")

#: By what a help text calls it.
_METAVARS = {
    "ID": Value("page"),
    "PAGE": Value("page"),
    "PATH": Value("file"),
    "FILE": Value("file"),
    "RUN": Value("file"),
    "DIR": Value("directory"),
    "CAPS": Value("list", tuple(KNOWN)),
    "KINDS": Value("list", tuple(dict.fromkeys((*RECORDABLE, "stale", "orphan")))),
    "NAME[=FILE]": Value(
        "words", tuple(f"{name}=" if name in _TO_FILES else name for name in REPORTS)
    ),
    "jsonl=FILE": Value("words", ("jsonl=",)),
}


def verbs(parser: argparse.ArgumentParser) -> tuple[Verb, ...]:
    """The verbs of a parser that has them as its subparsers."""
    (below,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    about = {choice.dest: choice.help or "" for choice in below._choices_actions}
    return tuple(
        Verb(name, about.get(name, ""), tuple(_options(verb._actions)), _arguments(verb._actions))
        for name, verb in below.choices.items()
    )


def _options(actions: Sequence[argparse.Action]) -> Iterator[Option]:
    for action in actions:
        if action.option_strings and action.help != argparse.SUPPRESS:
            # What may be left out is not waited for: pages may follow.
            value = None if action.nargs in (0, "?") else _value(action)
            repeats = isinstance(action, (argparse._AppendAction, argparse._CountAction))
            about = " ".join((action.help or "").split()).replace("%%", "%")
            yield Option(tuple(action.option_strings), about, value, repeats)


def _arguments(actions: Sequence[argparse.Action]) -> Value | None:
    """What the last of the positional arguments is: it is the one that there may be many of."""
    found = [_value(action) for action in actions if not action.option_strings]
    return found[-1] if found else None


def _value(action: argparse.Action) -> Value:
    if action.choices is not None:
        return Value("words", tuple(map(str, action.choices)))
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    return _METAVARS.get(metavar, _NOTHING)
