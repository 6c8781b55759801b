"""How a fence's recording and its output are compared: what its tags say, as data."""

from __future__ import annotations

import math
from typing import Literal

from fencerun.frozen import dataclass
from fencerun.masks import Mask

Match = Literal["exact", "ellipsis", "unordered", "any"]


@dataclass(frozen=True, slots=True)
class Rule:
    """``rtol`` and ``atol`` let numbers with a fraction or exponent move; ``any_number`` (the tag
    ``rtol:any``) frees them altogether, as long as they stay finite. ``ints`` lets whole numbers
    move in the same way, which on its own it does not. ``masks`` are replaced on both sides;
    ``varies`` are compared as equal where they stand, and the recorded text stays.

    Raises ValueError when a tolerance is negative or not finite.
    """

    match: Match = "exact"
    rtol: float | None = None
    atol: float | None = None
    any_number: bool = False
    ints: bool = False
    masks: tuple[Mask, ...] = ()
    varies: tuple[Mask, ...] = ()
    #: Whether the text is Markdown, whose tables are compared by their cells.
    tables: bool = False

    def __post_init__(self) -> None:
        for tolerance in (self.rtol, self.atol):
            if tolerance is not None and not 0 <= tolerance < math.inf:
                raise ValueError(f"a tolerance of {tolerance}")

    @property
    def tolerant(self) -> bool:
        """Whether numbers may move at all."""
        return self.any_number or self.rtol is not None or self.atol is not None
