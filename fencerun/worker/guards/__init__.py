"""Guards that keep one shared process clean: what a chain of fences changed is named and undone.

The worker's loop brackets chains and fences with :class:`Guards`. Standard library only: torch
and its like are looked up in ``sys.modules``, never imported, so that a fence that doesn't use
them never pays for them. Knows nothing of pages, processes or output.
"""

from __future__ import annotations

from fencerun.worker.guards.internals import loaded
from fencerun.worker.guards.ledger import Ledger
from fencerun.worker.guards.operators import OperatorHooks
from fencerun.worker.guards.origin import Origins
from fencerun.worker.guards.policy import History, violations
from fencerun.worker.guards.undo import undo

TYPE_CHECKING = False
if TYPE_CHECKING:
    import contextvars
    import types
    from collections.abc import Callable
    from typing import Any

    from fencerun.worker.guards.policy import Violation


class Guards:
    """Watches one process: ``chain_begin``, then each fence in a bracket, then ``chain_end``."""

    def __init__(self, pages: Callable[[str], bool]) -> None:
        """``pages`` tells by ``co_filename`` whether code is a fence's."""
        self._origins = Origins(pages)
        self._history = History()
        self._operators: OperatorHooks | None = None
        self._ledger = Ledger()
        self._namespace: str | None = None
        self._allows: tuple[str, ...] = ()
        self._seen = 0

    def chain_begin(self, context: contextvars.Context | None = None) -> None:
        """Take stock before the first fence of a chain; its fences run in ``context``."""
        self._ledger = Ledger()
        self._seen = 0
        self._hook_torch()

    def fence_begin(self, number: int, op_namespace: str | None, allows: tuple[str, ...]) -> None:
        """A fence is about to run; it may register operators where these say."""
        self._ledger.fence = number
        self._namespace, self._allows = op_namespace, allows

    def fence_end(self, code: types.CodeType | None = None) -> list[Violation]:
        """What the fence registered where it may not: each one fails it."""
        new = self._ledger.registrations[self._seen :]
        self._seen += len(new)
        return violations(new, self._namespace, self._allows)

    def chain_end(self) -> tuple[list[dict[str, Any]], str | None]:
        """Undo what can be undone.

        Gives the leaks (keys of :class:`fencerun.result.Leak`) and, if the process is unfit for
        further fences, why. Dynamo has to be reset before.
        """
        if self._operators is not None:
            self._operators.ledger = None
            undo(self._ledger, self._operators.tables)
        return [], None

    def close(self) -> None:
        """Remove every hook from the process."""
        if self._operators is not None:
            self._operators.remove()
            self._operators = None

    def _hook_torch(self) -> None:
        if self._operators is None and (torch := loaded("torch")) is not None:
            self._operators = OperatorHooks(torch, self._origins, self._history)
        if self._operators is not None:
            self._operators.ledger = self._ledger
