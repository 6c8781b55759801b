"""Where a fence's code shows what it changed: names, attributes and strings, by page line.

Works on code objects, whose lines are page lines. Knows nothing of what changed.
"""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType


class Evidence:
    """The code of one chain's fences, by number, as far as it was handed over."""

    def __init__(self) -> None:
        self._codes: dict[int, list[CodeType]] = {}
        self._names: set[str] | None = None

    def add(self, fence: int, code: CodeType) -> None:
        """Another piece of the fence's code ran."""
        self._codes.setdefault(fence, []).append(code)
        self._names = None

    @property
    def names(self) -> set[str]:
        """Every name, attribute and string constant of the chain's code."""
        if self._names is None:
            self._names = set()
            for codes in self._codes.values():
                for code in codes:
                    for part in _parts(code):
                        self._names.update(part.co_names)
                        self._names.update(c for c in part.co_consts if isinstance(c, str))
        return self._names

    def mentions(self, words: tuple[str, ...]) -> bool:
        """Whether the chain's code says one of ``words``."""
        return not self.names.isdisjoint(words)

    def line(self, fence: int, words: tuple[str, ...]) -> int | None:
        """The page line of the fence's last mention of ``words``; the first word that occurs wins.

        None when its code, or a word, is not there.
        """
        for word in words:
            lines = [
                line
                for code in self._codes.get(fence, ())
                for part in _parts(code)
                for line in _mentions(part, word)
            ]
            if lines:
                return max(lines)
        return None


def _parts(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from _parts(constant)


def _mentions(code: CodeType, word: str) -> Iterator[int]:
    if word not in code.co_names and word not in code.co_consts:
        return
    import dis  # needed only when there is a leak to place

    starts = [(offset, line) for offset, line in dis.findlinestarts(code) if line is not None]
    offsets = [offset for offset, _ in starts]
    for instruction in dis.get_instructions(code):
        if instruction.argval == word and offsets:
            yield starts[max(0, bisect_right(offsets, instruction.offset) - 1)][1]
