"""Where a fence's code shows what it changed: names, attributes and strings, by page line.

Works on code objects, whose lines are page lines. Knows nothing of what changed.
"""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType


#: ``ast.PyCF_ALLOW_TOP_LEVEL_AWAIT``: importing ``ast`` costs milliseconds.
_TOP_LEVEL_AWAIT = 0x2000


class Evidence:
    """The code of one chain's fences, by number, as far as it was handed over."""

    def __init__(self) -> None:
        self._given: list[tuple[int, CodeType | str, int]] = []
        self._codes: dict[int, list[tuple[CodeType, int]]] = {}
        self._names: set[str] | None = None
        self._stores: set[str] | None = None

    def add(self, fence: int, code: CodeType | str, line: int = 1) -> None:
        """Another piece of the fence's code ran; ``line`` is the first page line of a source."""
        self._given.append((fence, code, line))

    def _read(self) -> dict[int, list[tuple[CodeType, int]]]:
        """Each fence's code with what has to be added to its lines; sources compiled by now."""
        given, self._given = self._given, []
        for fence, code, line in given:
            self._names = self._stores = None
            if isinstance(code, str):
                try:
                    code = compile(code, "<fence>", "exec", _TOP_LEVEL_AWAIT, dont_inherit=True)
                except (SyntaxError, ValueError, RecursionError, MemoryError):
                    continue
                self._codes.setdefault(fence, []).append((code, line - 1))
            else:
                self._codes.setdefault(fence, []).append((code, 0))
        return self._codes

    @property
    def names(self) -> set[str]:
        """Every name, attribute and string constant of the chain's code."""
        by_fence = self._read()
        if self._names is None:
            self._names = set()
            for codes in by_fence.values():
                for code, _ in codes:
                    for part in _parts(code):
                        self._names.update(part.co_names)
                        self._names.update(c for c in part.co_consts if isinstance(c, str))
        return self._names

    @property
    def stores(self) -> set[str]:
        """Every attribute that the chain's code assigns or deletes, and every string constant.

        Strings count because of ``setattr`` and ``patch``.
        """
        by_fence = self._read()
        if self._stores is None:
            self._stores = set()
            for codes in by_fence.values():
                for code, _ in codes:
                    for part in _parts(code):
                        self._stores.update(c for c in part.co_consts if isinstance(c, str))
                        self._stores.update(_stored(part))
        return self._stores

    def mentions(self, words: tuple[str, ...]) -> bool:
        """Whether the chain's code says one of ``words``."""
        return not self.names.isdisjoint(words)

    def line(self, fence: int, words: tuple[str, ...]) -> int | None:
        """The page line of the fence's last mention of ``words``; the first word that occurs wins.

        None when its code, or a word, is not there.
        """
        for word in words:
            lines = [
                line + shift
                for code, shift in self._read().get(fence, ())
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


def _stored(code: CodeType) -> Iterator[str]:
    import dis

    for instruction in dis.get_instructions(code):
        if instruction.opname in ("STORE_ATTR", "DELETE_ATTR"):
            yield instruction.argval
