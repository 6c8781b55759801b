"""What a call insists on: capabilities that are to be there, and words that are to mean something.

Loaded where a call has any of that.
"""

from __future__ import annotations

from collections.abc import Collection

from fencerun import selection
from fencerun.errors import UsageError
from fencerun.gate import Gate
from fencerun.request import MENDABLE, Request
from fencerun.tags import TagError, nearest


def insist(request: Request, gate: Gate, must_have: Collection[str]) -> None:
    """Raise UsageError where a capability in ``must_have`` is absent, or a word means nothing."""
    for word in must_have:
        try:
            why = gate.unmet(word)
        except TagError as error:
            raise UsageError(f"--must-have {word}: {error.args[0]}", error.args[1]) from None
        if why is not None:
            raise UsageError(f"--must-have {word}: {why}")
    for word in request.requires:
        try:
            selection.requiring([word], gate.own)
        except TagError as error:
            raise UsageError(f"--requires {word}: {error.args[0]}", error.args[1]) from None
    for word in request.only:
        if word not in MENDABLE:
            raise UsageError(f"--only {word}: no such verdict", nearest(word, MENDABLE))
