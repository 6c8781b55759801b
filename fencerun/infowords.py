"""The words of an info string or a directive comment, split into names and values.

Says which of them are ours, and nothing of what they mean. Words that are not ours belong to other
tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from fencerun.frozen import dataclass
from fencerun.patterns import later
from fencerun.tags import NAMES, NUMBER, near_miss

Carrier = Literal["words", "attributes", "comment"]

# A word ends at a blank outside double quotes. The lone quote keeps the pattern total.
# A quote behind a backslash opens none: of those that nothing closes, only one is tried.
_WORD = later(r'(?:(?<!\\)"(?:[^"\\]|\\.)*"|[^ \t"]|(?<=\\)")+|"[^ \t]*')
#: What a name of a tag can look like.
NAME = r"[A-Za-z][A-Za-z0-9_-]*"
_IN_WORDS = later(rf'({NAME}):(?:"((?:[^"\\]|\\.)*)"|([^"]*))\Z', re.DOTALL)
_IN_BRACES = later(rf'({NAME})=(?:"((?:[^"\\]|\\.)*)"|([^"]*))\Z', re.DOTALL)
_ESCAPE = later(r'\\(["\\])')


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with an info string, and what to write instead."""

    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Word:
    """One word: a name with or without a value, in the spelling of its carrier."""

    raw: str
    name: str
    value: str | None
    spelt: Literal["right", "wrong", "bare"]


def in_words(text: str) -> tuple[Word, ...]:
    """The words of ``text``, of which tags have a colon."""
    return tuple(_words(text, _IN_WORDS, _IN_BRACES))


def in_braces(text: str) -> tuple[Word, ...]:
    """The words of ``text``, of which tags have an equals sign."""
    return tuple(_words(text, _IN_BRACES, _IN_WORDS))


def _words(text: str, right: re.Pattern[str], wrong: re.Pattern[str]) -> Iterator[Word]:
    for raw in _WORD.findall(text):
        match = right.match(raw)
        other = match or wrong.match(raw)
        if other is None:
            yield Word(raw, raw, None, "bare")
            continue
        value = other[3] if other[2] is None else _ESCAPE.sub(r"\1", other[2])
        yield Word(raw, other[1], value, "right" if match else "wrong")


def are_ours(words: tuple[Word, ...], carrier: Carrier) -> bool:
    """Whether any word is a tag of ours or a near miss of one that makes a block a fence.

    Real pages hold no ``word:value`` words at all (0 of 58,336 info strings of 28 repositories),
    so any of our names before a colon is meant for us; ``key=value`` in braces is shared with
    pandoc, Quarto and others, where only ``fence`` and a numbered ``output`` are ours.
    """
    return any(_claims(word, carrier) for word in words)


def _claims(word: Word, carrier: Carrier) -> bool:
    """Whether this word alone says that its block is ours."""
    if word.value is None:
        return False
    if word.name == "fence" or (word.name == "file" and word.spelt == "right"):
        return True
    shared = carrier == "attributes" or word.spelt == "wrong"
    if word.name == "output":
        return not shared or NUMBER.fullmatch(word.value) is not None
    if shared:
        return False
    close = near_miss(word.name)
    return word.name in NAMES or (close is not None and (close != "fence" or word.value.isdigit()))
