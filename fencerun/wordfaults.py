"""What is wrong with words of an info string, and what to write instead.

Loaded when one is wrong, or is another tool's. Knows nothing of the block that they are on but
whether it is a fence or a recording.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from fencerun.infowords import NAME, Carrier, Fault, Word
from fencerun.patterns import later
from fencerun.tags import EXAMPLES, FLAGS, NAMES, NUMBER, VALUED, near_miss, nearest

_TORN = later(rf'({NAME})[:=][^"]*"')
_UNCLOSED = later(r'"(?:[^"\\]|\\.)*\\?\Z')


def number(name: str, value: str) -> Fault:
    """``value``, which is no number of a fence."""
    if not value:
        return Fault(f"`{name}:` has no number", f"write `{name}:1`, with no blank after the colon")
    digits = value.lstrip("0")
    if value.isascii() and NUMBER.fullmatch(digits):
        return Fault(f"`{name}:{value}` has a leading zero", f"write `{name}:{digits}`")
    hint = "write a number from 1 to 999999" + (", or `fence:none`" if name == "fence" else "")
    return Fault(f"`{name}:{value}` has no number", hint)


def _is_text(word: Word) -> bool:
    return word.spelt == "bare" and word.name not in FLAGS


def broken_value(word: Word, rest: Sequence[Word]) -> Fault | None:
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


def bare(word: str, carrier: Carrier, on_output: bool, on_fence: bool) -> Iterator[Fault]:
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


def misspelt(word: Word, carrier: Carrier, on_fence: bool) -> Iterator[Fault]:
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


def unknown(name: str, carrier: Carrier) -> Iterator[Fault]:
    """Among words any ``word:value`` is ours to know; in braces only near misses are."""
    close = near_miss(name)
    if carrier != "attributes" or close:
        remedy = f"did you mean `{close}`?" if close else nearest(name, NAMES)
        yield Fault(f"unknown tag `{name}`", remedy)
