"""Text as CommonMark sees it: lines, endings and offsets. Knows nothing of blocks or tags."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from operator import add, sub

from fencerun.frozen import dataclass
from fencerun.patterns import later

#: CommonMark 0.31 §2.1: a line ending is a line feed, a carriage return, or both in that order.
#: ``str.splitlines`` also splits at form feeds, U+0085, U+2028 and others, which Markdown does not.
_ENDING = later(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a text, numbered from 0 as markdown-it's ``Token.map`` numbers them.

    ``start[k]`` is the offset of line k, ``text_end[k]`` the end of its text and ``end[k]`` the
    end of its line ending; offsets count characters.
    """

    source: str
    start: tuple[int, ...]
    text_end: tuple[int, ...]
    end: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.start)

    def text(self, line: int) -> str:
        """Line ``line`` without its ending."""
        return self.source[self.start[line] : self.text_end[line]]

    def ending(self, line: int) -> str:
        """The ending of line ``line``: empty only on a last line that has none."""
        return self.source[self.text_end[line] : self.end[line]]

    def number_at(self, offset: int) -> int:
        """The line that holds the character at ``offset``."""
        return max(0, bisect_right(self.start, offset) - 1)


def split_lines(source: str) -> Lines:
    """The line table of ``source``."""
    if "\r" not in source:
        parts = source.split("\n")
        lengths = list(map(len, parts))
        text_ends = tuple(map(add, accumulate(lengths), range(len(parts))))
        starts = tuple(map(sub, text_ends, lengths))
        ends = (*starts[1:], len(source))
        if not parts[-1]:
            starts, text_ends, ends = starts[:-1], text_ends[:-1], ends[:-1]
        return Lines(source, starts, text_ends, ends)
    spans, position = [], 0
    for match in _ENDING.finditer(source):
        spans.append((position, match.start(), match.end()))
        position = match.end()
    if position < len(source):
        spans.append((position, len(source), len(source)))
    if not spans:
        return Lines(source, (), (), ())
    start, text_end, end = zip(*spans, strict=True)
    return Lines(source, start, text_end, end)


def within_one_typo(word: str, other: str) -> bool:
    """Whether one insertion, deletion, replacement or swap of neighbours makes them equal."""
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    common = 0
    for a, b in zip(word, other, strict=False):
        if a != b:
            break
        common += 1
    rest, other_rest = word[common:], other[common:]
    return (
        rest[1:] == other_rest[1:]
        or rest[1:] == other_rest
        or rest == other_rest[1:]
        or (rest[:2] == other_rest[:2][::-1] and rest[2:] == other_rest[2:])
    )
