"""What the first ``torch.compile`` of a process changes, made the same for every chain.

It switches the validation of torch.distributions off for good (``Normal(0, -1)`` is accepted
from then on), once a process. The probe puts that back at each chain's end; this makes the first
compile of the next chain do it again, so that a chain behaves the same alone and after others.
"""

from __future__ import annotations

import sys

from fencerun.worker.guards.internals import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DYNAMO = "torch._dynamo.eval_frame"


class FirstCompile:
    """Wraps the function that Dynamo calls before each compilation to patch torch once."""

    def __init__(self) -> None:
        self._owner: Any = None
        self._original: Any = None
        self._done = False

    def begin(self) -> None:
        """A chain begins. Hooks Dynamo once it is loaded."""
        self._done = False
        if self._owner is None and _DYNAMO in sys.modules:
            self.install()

    def begin_late(self) -> None:
        """Dynamo may have been imported in the middle of a chain."""
        if self._owner is None and _DYNAMO in sys.modules:
            self.install()

    def install(self) -> None:
        """Hook a loaded Dynamo; the patch that ran in this chain already counts."""
        owner = table(_DYNAMO, "TorchPatcher", default=None)
        original: Any = getattr(owner, "patch", None)
        if owner is None or not hasattr(original, "cache_info"):
            return
        self._owner, self._original = owner, original
        self._done = original.cache_info().currsize > 0

        def patch() -> None:
            first_in_process = original.cache_info().currsize == 0
            original()
            if not self._done and not first_in_process:
                kind = table("torch.distributions", "Distribution", default=None)
                if kind is not None:
                    kind.set_default_validate_args(False)
            self._done = True

        owner.patch = staticmethod(patch)

    def remove(self) -> None:
        """Put Dynamo's own function back."""
        if self._owner is not None:
            self._owner.patch = staticmethod(self._original)
            self._owner = None
