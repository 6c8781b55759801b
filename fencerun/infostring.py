"""Info strings and directive comments: the three carriers of tags, split into names and values.

Knows nothing of blocks, pages or what tags mean beyond their table in ``tags``. Works on the raw
info string: CommonMark decodes ``fence&#58;1`` to ``fence:1`` when it renders, and that is not a
tag. Words that are not ours belong to other tools and pass; near misses of ours do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from typing import Literal

from fencerun.frozen import dataclass
from fencerun.lookalikes import lookalike
from fencerun.patterns import later
from fencerun.tags import (
    EXAMPLES,
    FLAGS,
    NAMES,
    NUMBER,
    VALUED,
    TagError,
    Tags,
    named,
    near_miss,
    nearest,
    read,
    read_file,
)

Carrier = Literal["words", "attributes", "comment"]

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

#: Names that only a recording carries.
PROVENANCE = ("key", "on")

# A word ends at a blank outside double quotes. The lone quote keeps the pattern total.
_WORD = later(r'(?:"(?:[^"\\]|\\.)*"|[^ \t"])+|"[^ \t]*')
_BRACES = later(r"\{([^{}]*)\}\Z")
_NAME = r"[A-Za-z][A-Za-z0-9_-]*"
_IN_WORDS = later(rf'({_NAME}):(?:"((?:[^"\\]|\\.)*)"|([^"]*))\Z', re.DOTALL)
_IN_BRACES = later(rf'({_NAME})=(?:"((?:[^"\\]|\\.)*)"|([^"]*))\Z', re.DOTALL)
# Two runs of blanks that may meet would take quadratic time.
_COMMENT = later(r"<!--[ \t]+(?![ \t])(.*[^ \t])[ \t]+-->[ \t]*\Z", re.DOTALL)
_OUR_COMMENT = later(
    r"<!--[ \t]*(?:fence(?![\w-])|output[ \t]*[:=][ \t]*[0-9]|file:(?![ \t/]))", re.IGNORECASE
)
_HIDDEN = later(r"<!--[ \t]+(?![ \t])([^\r\n]*[^ \t\r\n])[ \t]*[\r\n]")
_CLOSING = later(r"<!--[ \t]*/output:([1-9][0-9]{0,5})[ \t]*-->[ \t]*")
_TORN = later(rf'({_NAME})[:=][^"]*"')
_UNCLOSED = later(r'"(?:[^"\\]|\\.)*\\?\Z')
_ESCAPE = later(r'\\(["\\])')


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with an info string, and what to write instead."""

    what: str
    remedy: str


_NO_TAGS = Tags()


@dataclass(frozen=True, slots=True)
class InfoString:
    """What an info string or a directive comment says.

    ``number`` is the fence's number, 0 for ``fence:none`` and None where there is no ``fence``;
    ``output`` is the number of the fence whose recording this block is.
    """

    language: str = ""
    carrier: Carrier = "words"
    number: int | None = None
    output: int | None = None
    tags: Tags = _NO_TAGS
    provenance: tuple[tuple[str, str], ...] = ()
    faults: tuple[Fault, ...] = ()
    #: The file, of those that the page's fences find, whose text the block is.
    file: str | None = None

    @property
    def tagged(self) -> bool:
        """Whether the block is ours: a fence, a recording, a file, or a failed attempt at one."""
        ours = self.number is not None or self.output is not None or self.file is not None
        return ours or bool(self.faults)


@dataclass(frozen=True, slots=True)
class _Word:
    """One word: a name with or without a value, in the spelling of its carrier."""

    raw: str
    name: str
    value: str | None
    spelt: Literal["right", "wrong", "bare"]


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
        inner = tuple(_words(braces[1], _IN_BRACES, _IN_WORDS))
        rest = info[len(language) : braces.start()]
    else:
        inner = ()
    outer = tuple(_words(rest, _IN_WORDS, _IN_BRACES))
    if _is_ours(outer, "words"):
        found = _interpret(outer, "words")
        if any(word.name in NAMES and word.value for word in inner):
            fault = Fault("tags stand among the words and in braces", "use one form for all")
            return InfoString(language, "words", faults=(*found.faults, fault))
    elif _is_ours(inner, "attributes"):
        found = _interpret(inner, "attributes")
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
    words = tuple(_words(match[1], _IN_WORDS, _IN_BRACES))
    if not any(word.raw == "hidden" for word in words):
        return None
    return replace(_interpret(words, "comment"), language="python")


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
    words = tuple(_words(match[1], _IN_WORDS, _IN_BRACES))
    found = _interpret(words, "comment")
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


def _words(text: str, right: re.Pattern[str], wrong: re.Pattern[str]) -> Iterator[_Word]:
    for raw in _WORD.findall(text):
        match = right.match(raw)
        other = match or wrong.match(raw)
        if other is None:
            yield _Word(raw, raw, None, "bare")
            continue
        value = other[3] if other[2] is None else _ESCAPE.sub(r"\1", other[2])
        yield _Word(raw, other[1], value, "right" if match else "wrong")


def _is_ours(words: tuple[_Word, ...], carrier: Carrier) -> bool:
    """Whether any word is a tag of ours or a near miss of one that makes a block a fence.

    Real pages hold no ``word:value`` words at all (0 of 58,336 info strings of 28 repositories),
    so any of our names before a colon is meant for us; ``key=value`` in braces is shared with
    pandoc, Quarto and others, where only ``fence`` and a numbered ``output`` are ours.
    """
    return any(_claims(word, carrier) for word in words)


def _claims(word: _Word, carrier: Carrier) -> bool:
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


def _interpret(words: tuple[_Word, ...], carrier: Carrier) -> InfoString:
    numbers: dict[str, int] = {}
    tags: dict[str, object] = {}
    provenance: list[tuple[str, str]] = []
    faults: list[Fault] = []
    on_output = any(word.name == "output" and word.spelt == "right" for word in words)
    file: str | None = None
    on_fence = any(word.name == "fence" and word.value for word in words)
    for index, word in enumerate(words):
        name, value = word.name, word.value
        if word.spelt == "bare" and name not in FLAGS:
            faults.extend(_bare_fault(name, carrier, on_output, on_fence))
        elif word.spelt == "wrong":
            faults.extend(_misspelt_fault(word, carrier, on_fence))
        elif name in NAMES and (broken := _broken_value(word, words[index + 1 :])):
            faults.append(broken)
        elif name in numbers or any(key in tags for key in (name, f"{name}_")):
            faults.append(Fault(f"`{name}` stands twice", "keep one"))
        elif name in ("fence", "output"):
            try:
                numbers[name] = _number(name, value or "")
            except TagError as error:
                faults.append(Fault(error.args[0], error.args[1]))
        elif name == "file" and not on_output:
            if file is not None:
                faults.append(Fault("`file` stands twice", "keep one"))
            try:
                file = read_file(value or "")
            except TagError as error:
                faults.append(Fault(error.args[0], error.args[1]))
        elif name in PROVENANCE and (on_output or any(w.name == "fence" for w in words)):
            provenance.append((name, value or ""))
        elif name in NAMES and not on_output:
            try:
                tags.update(read(name, value))
            except TagError as error:
                faults.append(Fault(named(name, error.args[0]), error.args[1]))
        elif not on_output:
            faults.extend(_unknown_fault(name, carrier))
        elif name in VALUED and not on_fence:
            faults.append(Fault(f"`{name}` on a recording", "move it to the fence"))
    if file is not None and numbers:
        faults.append(Fault("a block cannot be a fence and a file", "keep one of the two"))
    if tags and not numbers and not faults:
        first = next(iter(tags))
        remedy = "add `fence:N` to it" if file is None else "delete it: a file takes none"
        faults.append(Fault(f"`{first}` on a block that is no fence", remedy))
    if len(numbers) > 1:
        faults.append(Fault("a block cannot be a fence and a recording", "keep one of the two"))
    return InfoString(
        "",
        carrier,
        numbers.get("fence"),
        numbers.get("output"),
        Tags(**tags),  # type: ignore[arg-type]
        tuple(provenance),
        tuple(faults),
        file,
    )


def _number(name: str, value: str) -> int:
    if name == "fence" and value == "none":
        return 0
    if NUMBER.fullmatch(value):
        return int(value)
    if not value:
        raise TagError(
            f"`{name}:` has no number", f"write `{name}:1`, with no blank after the colon"
        )
    digits = value.lstrip("0")
    if value.isascii() and NUMBER.fullmatch(digits):
        raise TagError(f"`{name}:{value}` has a leading zero", f"write `{name}:{digits}`")
    hint = "write a number from 1 to 999999" + (", or `fence:none`" if name == "fence" else "")
    raise TagError(f"`{name}:{value}` has no number", hint)


def _is_text(word: _Word) -> bool:
    return word.spelt == "bare" and word.name not in FLAGS


def _broken_value(word: _Word, rest: tuple[_Word, ...]) -> Fault | None:
    """A value whose blanks end it before its author meant it to."""
    if not word.value and rest and _UNCLOSED.match(rest[0].raw):
        opened = f"{word.raw}{rest[0].raw}"
        return Fault(f"the quote in `{opened}` is not closed", 'close it with another `"`')
    if word.name == "raises" and word.value and word.value.endswith(":") and '"' not in word.raw:
        text = " ".join(other.raw for other in takewhile(_is_text, rest))
        sign = word.raw[len(word.name)]
        right = f'raises{sign}"{word.value} {text or "text"}"'
        return Fault(f"what follows `{word.raw}` is not part of it", f"quote it: write `{right}`")
    return None


def _bare_fault(word: str, carrier: Carrier, on_output: bool, on_fence: bool) -> Iterator[Fault]:
    """A bare word is another tool's, unless it is one of our tags, or nearly one of our flags."""
    name = word.lower()
    sign = "=" if carrier == "attributes" else ":"
    if on_fence and name in VALUED:
        yield Fault(f"`{word}` needs a value", f"write `{name}{sign}{EXAMPLES[name]}`, say")
    elif on_fence and name in ("fence", "output"):
        yield Fault(f"`{word}` beside a fence's number", "delete it")
    elif on_fence and name == "file":
        remedy = f"write `file{sign}dir/name.h` instead of the number if it is a file, or delete it"
        yield Fault(f"`{word}` beside a fence's number", remedy)
    elif on_fence and (torn := _TORN.match(word)) and torn[1] in NAMES:
        yield Fault(f"the value in `{word}` is quoted in part", "put all of it in double quotes")
    elif not on_output and (close := near_miss(word, FLAGS)):
        yield Fault(f"unknown word `{word}`", f"did you mean `{close}`?")
    elif word.rstrip(":").lower() in ("fence", "output") and word.endswith(":"):
        yield Fault(f"`{word}` has no number", f"write `{word.lower()}1`, with no blank")


def _misspelt_fault(word: _Word, carrier: Carrier, on_fence: bool) -> Iterator[Fault]:
    """A tag of ours with the other carrier's sign; anything else is another tool's."""
    if word.name not in ("fence", "output", *NAMES):
        return
    sign = "=" if carrier == "attributes" else ":"
    right = f"{word.name}{sign}{word.raw[len(word.name) + 1 :]}"
    if word.name in FLAGS and carrier != "attributes":
        right = word.name
    ours = carrier == "attributes" or (on_fence and word.name != "file")
    if word.name in ("fence", "output") or ours:
        yield Fault(f"`{word.raw}` is not how a tag is written here", f"write `{right}`")


def _unknown_fault(name: str, carrier: Carrier) -> Iterator[Fault]:
    """Among words any ``word:value`` is ours to know; in braces only near misses are."""
    close = near_miss(name)
    if carrier != "attributes" or close:
        remedy = f"did you mean `{close}`?" if close else nearest(name, NAMES)
        yield Fault(f"unknown tag `{name}`", remedy)
