"""Places of the page itself in what its fences print: ``lessons/x.md:41: UserWarning``. Pure.

Such a line moves with every edit above it, a recording included, and the path depends on where
the run was started. Neither is news about the fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from fencerun.masks import Mask


def places(page: str, lines: Iterable[str]) -> tuple[Mask, ...]:
    """A mask of places in ``page``, or none where no line names it."""
    name = page.rpartition("/")[2]
    return (_mask(name),) if any(name in line for line in lines) else ()


@lru_cache(maxsize=256)
def _mask(name: str) -> Mask:
    # As warnings and loggers write a place, and as tracebacks do.
    pattern = rf'(?<![\w.-])(?:[^\s":]{{1,200}}/)?{re.escape(name)}(?::|", line )[0-9]+'
    return Mask("place in the page", pattern, f"{name}:…")
