"""Masks: named patterns for text that differs from run to run.

A mask knows how to replace what it matches, in one line at a time. Whether that happens in the
page or only when comparing is for others to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from types import MappingProxyType

from fencerun.frozen import dataclass

#: Masks of a project may undo each other for ever.
_PASSES = 8

#: What a mask may be called, as tags name it: commas are between names.
NAME = r"[^\s,\"\\]+(?: +[^\s,\"\\]+)*"


class UnknownMaskError(LookupError):
    """A mask was asked for that neither fencerun nor the project defines."""


class MaskError(ValueError):
    """A mask that cannot be. The first argument says why, the second what to write."""

    @property
    def what(self) -> str:
        """Why."""
        return str(self.args[0])

    @property
    def remedy(self) -> str:
        """What to write instead."""
        return str(self.args[1])


@dataclass(frozen=True, slots=True)
class Mask:
    """``pattern`` (a regular expression) is replaced by ``replacement`` (literal text).

    A replacement that is not empty must stand on both sides, so a mask hides nothing that only
    one side has. An empty one says that the text may as well be missing.

    Raises MaskError when no tag can name it, or the pattern does not compile, matches the empty
    string, or matches its own replacement in a way that would change it again.
    """

    name: str
    pattern: str
    replacement: str
    compiled: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(NAME, self.name):
            what = f"{self.name!r} is no name that a tag can have"
            raise MaskError(what, "write a word without commas, quotes and backslashes")
        if not self.pattern:
            remedy = f"write {self.name} = 'a regular expression'"
            raise MaskError("it has no pattern", remedy)
        try:
            compiled = re.compile(self.pattern)
        except (re.error, OverflowError, RecursionError) as error:
            remedy = "write a regular expression of Python's `re`, in single quotes"
            raise MaskError(str(error), remedy) from None
        if compiled.search(""):
            what = "its pattern matches the empty string"
            raise MaskError(what, "let it match one character at least, with `+` for `*`, say")
        if "\n" in self.replacement or "\r" in self.replacement:
            raise MaskError("its replacement is more than one line", "write one line")
        object.__setattr__(self, "compiled", compiled)
        if self.apply(self.replacement) != self.replacement:
            what = f"its pattern matches {self.replacement!r}, which replaces it"
            remedy = "write {pattern = '…', replacement = '…'}, with other text"
            raise MaskError(what, remedy)

    @property
    def optional(self) -> bool:
        """Whether the text may stand on one side only."""
        return not self.replacement

    def apply(self, line: str, replacement: str | None = None) -> str:
        """``line`` with each match replaced, by ``replacement`` where that is given."""
        text = self.replacement if replacement is None else replacement
        return self.compiled.sub(lambda _: text, line)


def apply(line: str, masks: Sequence[Mask]) -> str:
    """``line`` with every mask applied, in order; applying them again changes nothing."""
    # What one mask writes can be the word boundary that another waited for.
    for _ in range(_PASSES):
        before = line
        for mask in masks:
            line = mask.apply(line)
        if line == before:
            break
    return line


_NUMBER = r"(?:[0-9]+(?:[,_][0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
#: A number that starts a word, so that a long run of digits is tried once and not at each digit.
_COUNT = rf"(?<![\w.])(?<![0-9],)[-+]?{_NUMBER}"
_DURATION = (
    r"(?:ns|nsecs?|nanoseconds?|us|µs|μs|usecs?|microseconds?|ms|msecs?|milliseconds?"
    r"|s|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?)"
)
#: What may stand before the last unit of a duration: `1min 3s`, `1h2m3s`.
_LARGER = r"[0-9]+ ?(?:d|days?|h|hrs?|hours?|m|mins?|minutes?),? ?"
_CLOCK = r"[0-9]{1,3}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_ZONE = r"(?: ?(?:Z|UTC|GMT|[-+][0-9]{2}:?[0-9]{2}))?(?!\w)"
_ACCELERATOR = r"(?:cpu|(?:cuda|mps|xpu|hpu|npu)(?::[0-9]+)?)"

#: Applied in this order, whichever order a tag names them in: a date holds a time of day.
_SPECS = (
    # <object at 0x7f3c2a1b4d60>; shorter hexadecimal numbers are values.
    ("address", r"(?<!\w)0[xX][0-9a-fA-F]{7,16}(?!\w)", "0x…"),
    # Anything in the system's temporary directories, up to a blank, quote or bracket.
    (
        "path",
        r"(?<![\w./])(?:/private)?/(?:tmp|var/tmp|var/folders|dev/shm)/[^\s'\"`<>|:;,()\[\]{}]+"
        r"|(?<!\w)[A-Za-z]:[\\/]+Users[\\/]+[^\s\\/]+[\\/]+AppData[\\/]+Local[\\/]+Temp"
        r"[^\s'\"`<>|:;,()\[\]{}]*",
        "<path>",
    ),
    # 2026-11-29, with a time of day or without; 29 Nov 2026; Nov 29, 2026; Sun Nov 29 22:08:13 2026
    (
        "date",
        rf"(?<![\w.-])[0-9]{{4}}[-/][0-9]{{2}}[-/][0-9]{{2}}(?:[T ]{_CLOCK}{_ZONE})?(?![\w-])"
        rf"|(?<!\w)(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{{0,6}},? )?"
        rf"(?:{_MONTH} {{1,2}}[0-9]{{1,2}},?|[0-9]{{1,2}} {_MONTH})"
        rf"(?: {_CLOCK}{_ZONE})? [0-9]{{4}}(?: {_CLOCK}{_ZONE})?(?!\w)",
        "<date>",
    ),
    # 1.23 s, 12 ms, 4.5e-05 seconds, 1min 3s, 0:00:03.25, 00:02, 12.5it/s, 0.2 s/it
    (
        "time",
        rf"{_COUNT} ?(?:it/s|s/it)(?!\w)"
        rf"|(?<![\w.])(?<![0-9],)(?:{_LARGER}){{1,3}}{_NUMBER} ?{_DURATION}(?!\w)"
        rf"|{_COUNT} ?{_DURATION}(?!\w)"
        rf"|(?<![\w.:]){_CLOCK}(?![\w:])",
        "<time>",
    ),
    # 12.3 MiB, 512 KB, 1,024 bytes
    ("memory", rf"{_COUNT} ?(?:[kKMGTPE]i?)?(?:B|[bB]ytes?)(?!\w)", "<memory>"),
    ("percent", rf"{_COUNT} ?%", "<percent>"),
    # 2.13.0, 2.13.0+cu130, v1.2, 3.14.0rc1
    (
        "version",
        r"(?<![\w.])(?:v[0-9]+(?:\.[0-9]+)+|[0-9]+(?:\.[0-9]+){2,})"
        r"(?:[-.]?(?:a|b|rc|alpha|beta|dev|post)\.?[0-9]*)*(?:\+[0-9A-Za-z.]*[0-9A-Za-z])?(?!\w)",
        "<version>",
    ),
    ("grad_fn", r"grad_fn=<[^<>]*>", "grad_fn=<…>"),
    # A tensor on the CPU does not say so: `, device='cuda:0'` may be missing on one side.
    ("device", rf",\s+device='{_ACCELERATOR}'", ""),
    (
        "device",
        rf"(?<!\w)device\(type='[a-z]+'(?:, index=[0-9]+)?\)|(?<![\w+.-]){_ACCELERATOR}(?![\w-])",
        "<device>",
    ),
)


def _by_name(masks: Iterable[Mask]) -> Mapping[str, tuple[Mask, ...]]:
    table: dict[str, tuple[Mask, ...]] = {}
    for mask in masks:
        table[mask.name] = (*table.get(mask.name, ()), mask)
    return MappingProxyType(table)


@cache
def _table() -> tuple[Mask, ...]:
    # Compiled when a fence first asks for one.
    return tuple(Mask(*spec) for spec in _SPECS)


#: The names of the masks that every project has.
NAMED = tuple(dict.fromkeys(name for name, _, _ in _SPECS))


def lookup(names: Iterable[str], own: Iterable[Mask] = ()) -> tuple[Mask, ...]:
    """The masks that ``names`` ask for: the project's ``own`` first, then the named ones.

    A project's mask replaces a named one of the same name. Raises UnknownMaskError.
    """
    asked = dict.fromkeys(names)
    if not asked:
        return ()
    theirs = _by_name(own)
    for name in asked:
        if name not in theirs and name not in NAMED:
            raise UnknownMaskError(name)
    special = [mask for name in asked for mask in theirs.get(name, ())]
    common = [mask for mask in _table() if mask.name in asked and mask.name not in theirs]
    return (*special, *common)
