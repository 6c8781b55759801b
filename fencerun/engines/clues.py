"""Whose file it is that appeared in a directory while several pages ran there.

A worker sees only that a file is new, not who made it. Code that names a file is taken to be what
made it. Knows no processes.
"""

from __future__ import annotations

import os
from threading import Lock

from fencerun.engines.base import Chain
from fencerun.figures import DIRECTORY
from fencerun.result import Leak
from fencerun.worker import newfiles


class Clues:
    """All code that ran so far, by directory. Lanes share it."""

    def __init__(self) -> None:
        self._codes: dict[str, dict[str, str]] = {}
        self._lock = Lock()

    def add(self, chain: Chain) -> None:
        """A chain is about to run."""
        with self._lock:
            codes = self._codes.setdefault(chain.directory, {})
            codes[chain.page] = f"{codes.get(chain.page, '')}\n{_code(chain)}"

    def acquit(self, chain: Chain, leak: Leak) -> bool:
        """Whether a leak that was seen at the end of ``chain`` is none of that chain's."""
        name = leak.now
        if leak.what != newfiles.LEFT or name in _code(chain):
            return False
        if not os.path.lexists(os.path.join(chain.directory, name)):
            return True  # somebody else's, and gone again
        if name == DIRECTORY:
            return True  # where `record` writes what other pages drew
        with self._lock:
            codes = dict(self._codes.get(chain.directory, {}))
        return any(name in code for page, code in codes.items() if page != chain.page)


def _code(chain: Chain) -> str:
    return "\n".join((chain.setup[1] if chain.setup else "", *(job.code for job in chain.jobs)))
