"""Info strings and directive comments: what the three carriers of tags say.

Knows nothing of blocks, pages or what tags mean beyond their table in ``tags``. Works on the raw
info string: CommonMark decodes ``fence&#58;1`` to ``fence:1`` when it renders, and that is not a
tag. Words that are not ours belong to other tools and pass; near misses of ours do not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from fencerun.infotags import PROVENANCE, InfoString, interpret
from fencerun.infowords import Carrier, Fault, are_ours, in_braces, in_words
from fencerun.lookalikes import lookalike
from fencerun.patterns import later
from fencerun.tags import NAMES

__all__ = [
    "LANGUAGES",
    "PROVENANCE",
    "Carrier",
    "Fault",
    "InfoString",
    "parse_closing",
    "parse_comment",
    "parse_hidden",
    "parse_info",
]

#: Languages whose fences run, by every spelling (compared without case).
LANGUAGES = {
    "python": "python",
    "py": "python",
    "python3": "python",
    "pycon": "pycon",
    "bash": "bash",
    "sh": "sh",
    "console": "console",
}

_BRACES = later(r"\{([^{}]*)\}\Z")
# Two runs of blanks that may meet would take quadratic time.
_COMMENT = later(r"<!--[ \t]+(?![ \t])(.*[^ \t])[ \t]+-->[ \t]*\Z", re.DOTALL)
_OUR_COMMENT = later(
    r"<!--[ \t]*(?:fence(?![\w-])|output[ \t]*[:=][ \t]*[0-9]|file:(?![ \t/]))", re.IGNORECASE
)
_HIDDEN = later(r"<!--[ \t]+(?![ \t])([^\r\n]*[^ \t\r\n])[ \t]*[\r\n]")
_CLOSING = later(r"<!--[ \t]*/output:([1-9][0-9]{0,5})[ \t]*-->[ \t]*")
#: Most info strings with a tag hold nothing else, and are read at a tenth of the price.
_PLAIN = later(r"([A-Za-z0-9_+-]+)[ \t]+(fence|output):([1-9][0-9]{0,5})")


@lru_cache(maxsize=1024)
def parse_info(info: str) -> InfoString:
    """What the info string of a fenced code block says."""
    if ":" not in info and "=" not in info:
        first = _first(info.strip(" \t"))
        return _untagged(info, first) if "ence" in info else InfoString(language=first)
    if plain := _PLAIN.fullmatch(info):
        number = int(plain[3])
        if plain[2] == "fence":
            return InfoString(plain[1], "words", number)
        return InfoString(plain[1], "words", None, number)
    info = info.strip(" \t")
    language = _first(info)
    if language.startswith("{"):
        return _untagged(info, language)
    braces = _BRACES.search(info)
    rest = info[len(language) :]
    if braces and braces.start() >= len(language):
        inner = in_braces(braces[1])
        rest = info[len(language) : braces.start()]
    else:
        inner = ()
    outer = in_words(rest)
    if are_ours(outer, "words"):
        found = interpret(outer, "words")
        if any(word.name in NAMES and word.value for word in inner):
            fault = Fault("tags stand among the words and in braces", "use one form for all")
            return InfoString(language, "words", faults=(*found.faults, fault))
    elif are_ours(inner, "attributes"):
        found = interpret(inner, "attributes")
    else:
        return _untagged(info, language)
    return InfoString(
        language,
        found.carrier,
        found.number,
        found.output,
        found.tags,
        found.provenance,
        found.faults,
        found.file,
    )


def _first(info: str) -> str:
    """The first word of a stripped info string. `str.split` ends words at form feeds as well."""
    return info.partition(" ")[0].partition("\t")[0]


def _untagged(info: str, language: str) -> InfoString:
    """An info string without a tag of ours; one that its author took for tagged has a fault."""
    alike = lookalike(info, LANGUAGES)
    faults = () if alike is None else (Fault(*alike),)
    return InfoString(language=language, faults=faults)


def parse_hidden(html: str) -> InfoString | None:
    """What the first line of a comment that holds code says; None when it is no such comment."""
    match = _HIDDEN.match(html)
    if match is None or "-->" in match[1] or not _OUR_COMMENT.match(html):
        return None
    words = in_words(match[1])
    if not any(word.raw == "hidden" for word in words):
        return None
    return replace(interpret(words, "comment"), language="python")


def parse_comment(html: str) -> InfoString | None:
    """What a directive comment says, or None when the HTML block is no such comment."""
    if not _OUR_COMMENT.match(html):
        return None
    match = _COMMENT.match(html)
    if match is None or "\n" in match[1] or "-->" in match[1]:
        fault = Fault(
            "a comment that begins like ours and does not parse",
            "write `<!-- fence:1 -->` on one line, or `<!-- fence:1 hidden` above code",
        )
        return InfoString(carrier="comment", faults=(fault,))
    words = in_words(match[1])
    found = interpret(words, "comment")
    if not found.tagged:
        fault = Fault(
            "a comment that begins like ours and has no number", "write `<!-- fence:1 -->`"
        )
        return InfoString(carrier="comment", faults=(fault,))
    return found


def parse_closing(html: str) -> int | None:
    """The number of the fence whose region ``html`` closes; None when it closes none."""
    match = _CLOSING.fullmatch(html)
    return int(match[1]) if match else None
