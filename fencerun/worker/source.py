"""The virtual file of a chain: the fences run so far, at their page lines. It runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Fence:
    """A fence as it was run: ``line`` is the page line of ``code``'s first line.

    ``flags`` are the compiler flags in force before it, from earlier ``__future__`` imports.
    """

    __slots__ = ("_lines", "code", "count", "flags", "line")

    def __init__(self, code: str, line: int, flags: int) -> None:
        self.code = code
        self.line = line
        self.flags = flags
        #: How many lines it has; none is one that is empty.
        self.count = code.count("\n") + (code[-1:] != "\n")
        self._lines: list[str] | None = None

    @property
    def lines(self) -> list[str]:
        """Its lines, each with its end: made when somebody asks, which is mostly never."""
        if self._lines is None:
            lines = [text + "\n" for text in self.code.split("\n")]
            self._lines = lines[: self.count]
        return self._lines


class PageLines(Sequence[str]):
    """A chain's file as ``linecache`` wants it: the fences' lines, and blanks between.

    Blanks, not the page's prose, because ``inspect`` parses the whole file to find a class. Lines
    are looked up on demand, so adding a fence costs the same wherever on its page it stands.
    """

    def __init__(self) -> None:
        self.fences: list[Fence] = []
        self._length = 0
        self._flat: list[str] | None = None

    def add(self, fence: Fence) -> None:
        """Put one more fence into the file."""
        self.fences.append(fence)
        self._length = max(self._length, fence.line - 1 + fence.count)
        self._flat = None

    def fence_at(self, line: int) -> Fence | None:
        """The fence whose code holds page line ``line``; the latest, if several do."""
        for fence in reversed(self.fences):
            if fence.line <= line < fence.line + fence.count:
                return fence
        return None

    def clear(self) -> None:
        """Forget every fence."""
        self.fences.clear()
        self._length = 0
        self._flat = None

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._all()[index]
        at = index + self._length if index < 0 else index
        if not 0 <= at < self._length:
            raise IndexError(index)
        fence = self.fence_at(at + 1)
        return "\n" if fence is None else fence.lines[at + 1 - fence.line]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def _all(self) -> list[str]:
        if self._flat is None:
            flat = ["\n"] * self._length
            for fence in self.fences:
                flat[fence.line - 1 : fence.line - 1 + fence.count] = fence.lines
            self._flat = flat
        return self._flat
