"""What happens side by side, told one page after another: in any order in, in page order out.

Pure. The page whose turn it is is told as it happens; those that are ahead of it wait.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Generic, TypeVar

T = TypeVar("T")


class InOrder(Generic[T]):
    """Hands what is added of each page to ``tell``, pages by their place.

    What is added of a page in ``held`` waits for its end, also when it is its turn.
    """

    def __init__(self, tell: Callable[[T], None], held: Container[int] = ()) -> None:
        self._tell = tell
        self._held = held
        self._turn = 0
        self._waiting: dict[int, list[T]] = {}
        self._ended: set[int] = set()

    def add(self, place: int, item: T) -> None:
        """Something of the page at ``place`` happened."""
        if place == self._turn and place not in self._held:
            self._tell(item)
        else:
            self._waiting.setdefault(place, []).append(item)

    def end(self, place: int) -> None:
        """Nothing more comes of that page."""
        self._ended.add(place)
        while self._turn in self._ended:
            self._say(self._turn)
            self._ended.discard(self._turn)
            self._turn += 1
        if self._turn not in self._held:
            self._say(self._turn)

    def drop(self, place: int) -> None:
        """What was added of that page, and is held, did not happen."""
        self._waiting.pop(place, None)

    def finish(self, *, begun: bool = False) -> None:
        """Tell of pages that ended, and whose turn never came; of what has ``begun``, too."""
        for place in sorted(self._waiting):
            if place in self._ended or (begun and place not in self._held):
                self._say(place)

    def _say(self, place: int) -> None:
        for item in self._waiting.pop(place, ()):
            self._tell(item)
