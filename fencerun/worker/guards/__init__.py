"""Guards that keep one shared process clean: what a chain of fences changed is named and undone.

The worker's loop brackets chains and fences with :class:`Guards`. Standard library only: torch
and its like are looked up in ``sys.modules``, never imported, so that a fence that doesn't use
them never pays for them. Knows nothing of pages, processes or output.
"""

from __future__ import annotations

from fencerun.worker.guards.configs import Contexts
from fencerun.worker.guards.dynamo import FirstCompile
from fencerun.worker.guards.evidence import Evidence
from fencerun.worker.guards.exits import ExitHandlers
from fencerun.worker.guards.imports import ImportBracket
from fencerun.worker.guards.internals import library_counter, library_names, loaded
from fencerun.worker.guards.ledger import Ledger, Registration
from fencerun.worker.guards.leftovers import DescriptorsWatch, ModulesWatch
from fencerun.worker.guards.native import WORDS, Loaded, NativeWatch
from fencerun.worker.guards.onceonly import OnceOnly
from fencerun.worker.guards.operators import OperatorHooks
from fencerun.worker.guards.origin import Origin, Origins
from fencerun.worker.guards.policy import History, violations
from fencerun.worker.guards.state import Change, State
from fencerun.worker.guards.undo import undo

TYPE_CHECKING = False
if TYPE_CHECKING:
    import contextvars
    import types
    from collections.abc import Callable, Iterator
    from typing import Any

    from fencerun.worker.guards.policy import Violation


class Guards:
    """Watches one process: ``chain_begin``, then each fence in a bracket, then ``chain_end``."""

    def __init__(self, pages: Callable[[str], bool]) -> None:
        """``pages`` tells by ``co_filename`` whether code is a fence's.

        Make it before anything of a page is on ``sys.path``, in the thread that runs the fences.
        """
        self._origins = Origins(pages)
        self._history = History()
        self._operators: OperatorHooks | None = None
        self._ledger = Ledger()
        self._evidence = Evidence()
        self._state = State(self._origins)
        self._contexts = Contexts()
        self._modules = ModulesWatch(self._origins)
        self._descriptors = DescriptorsWatch()
        self.exits = ExitHandlers(self._origins)
        self._first_compile = FirstCompile()
        self._once = OnceOnly()
        self._native = NativeWatch(library_counter(), library_names, self._origins.is_installed)
        self._loaded: list[Loaded] = []
        self._bracket = ImportBracket(self._before_import, self._after_import)
        self._installed = self._running = False
        #: Whether the last chain changed nothing, nor anybody since.
        self.undisturbed = False
        self._fence: int | None = None
        self._namespace: str | None = None
        self._allows: tuple[str, ...] = ()
        self._policed = 0

    # The chain.

    def chain_begin(
        self, context: contextvars.Context | None = None, page: str = "", place: object = None
    ) -> None:
        """Take stock before the first fence of a chain of ``page``; it runs in ``context``.

        ``place`` is equal for two chains whose beginnings make the process the same.
        """
        if not self._installed:
            self.exits.install()
            self._bracket.install()
            self._installed = True
        if self._operators is not None or not self._ledger.unused:
            self._ledger = Ledger()
        self._evidence = Evidence()
        self._policed, self._fence = 0, None
        self._history.begin(page)
        self._hook_torch()
        self._once.begin(loaded("torch"))
        self._first_compile.begin()
        left_alone, self.undisturbed = self.undisturbed and place is not None, False
        self._contexts.begin(context, left_alone)
        self._native.begin(self._tables, undisturbed=place is not None)
        self._state.begin(place, left_alone)
        self._descriptors.begin()
        self._modules.begin()
        self.exits.active = self._running = True

    def fence_begin(
        self,
        number: int,
        op_namespace: str | None,
        allows: tuple[str, ...],
        code: types.CodeType | str | None = None,
        line: int = 1,
    ) -> None:
        """A fence is about to run; it may register operators where these say.

        ``code`` (or its source text, whose first line is page line ``line``) is where lines of
        leaks are looked for; ``fence_end`` takes it as well.
        """
        if self._fence is not None:
            self._state.observe(self._fence)
        self._fence = self._ledger.fence = number
        self._namespace, self._allows = op_namespace, allows
        self._policed = len(self._ledger.registrations)
        if code is not None:
            self._evidence.add(number, code, line)

    def fence_end(self, code: types.CodeType | str | None = None, line: int = 1) -> list[Violation]:
        """What the fence registered where it may not: each one fails it."""
        if code is not None:
            self._evidence.add(self._number, code, line)
        self._police_native()
        new = self._ledger.registrations[self._policed :]
        self._policed += len(new)
        return violations(new, self._namespace, self._allows) if new else []

    def put_main(self, module: types.ModuleType | None) -> None:
        """Make ``module`` the main one, or none: what the loop does is no fence's doing."""
        self._modules.put_main(module)

    def mend(self) -> None:
        """The fences are over: put back the modules that what follows may need."""
        self._modules.mend()

    def left_alone(self) -> bool:
        """End a chain of harmless code, if nothing shows that something was changed after all.

        If that is False, nothing is ended, and ``chain_end`` has to be called.
        """
        if not (self._modules.is_unchanged() and self._state.left_alone()):
            return False
        self.exits.active = self._running = False
        self.undisturbed = True
        return True

    def chain_end(self) -> tuple[list[dict[str, Any]], str | None]:
        """Undo what can be undone.

        Gives the leaks (keys of :class:`fencerun.result.Leak`) and, if the process is unfit for
        further fences, why. Dynamo has to be reset before; the fences' namespace may still be
        there or not.
        """
        self.exits.active = self._running = False
        self.exits.forget()
        self._police_native()  # a fence that failed may not have been ended
        if self._operators is not None:
            self._operators.ledger = None
            undo(self._ledger, self._operators.tables)
        leaks = [self._leak(change) for change in self._changes()]
        stuck = [leak["what"] for leak in leaks if not leak["undone"]]
        return leaks, "; ".join(f"{what} can't be undone" for what in stuck) or None

    def close(self) -> None:
        """Remove every hook from the process."""
        if self._operators is not None:
            self._operators.remove()
            self._operators = None
        self._first_compile.remove()
        self._once.remove()
        self._bracket.remove()
        self.exits.remove()
        self._descriptors.close()
        self._installed = False

    def _changes(self) -> Iterator[Change]:
        yield from self._state.settle(self._evidence)
        for what, was, now, words in self._contexts.changes():
            yield Change(what, was, now, words)
        for found in self._modules.settle(self._evidence.mentions):
            yield Change(*found)
        for found in self._descriptors.settle(self._evidence.mentions):
            yield Change(*found)
        for what in self._ledger.permanent:
            yield Change(what, "", "", WORDS, undone=False)

    def _leak(self, change: Change) -> dict[str, Any]:
        fence = self._number if change.fence is None else change.fence
        return {
            "what": change.what,
            "was": change.was,
            "now": change.now,
            "undone": change.undone,
            "fence": fence or None,
            "line": self._evidence.line(fence, change.words),
        }

    # Torch, and imports in the middle of a chain.

    @property
    def _number(self) -> int:
        return self._fence or 0

    @property
    def _tables(self) -> Any:
        return None if self._operators is None else self._operators.tables

    def _hook_torch(self) -> None:
        if self._operators is None and (torch := loaded("torch")) is not None:
            self._operators = OperatorHooks(torch, self._origins, self._history)
        if self._operators is not None:
            self._operators.ledger = self._ledger

    def _before_import(self, name: str) -> Any | None:
        if not self._running or not self._origins.is_installed_module(name):
            return None
        self._look_for_libraries()  # those loaded before this import are the fence's
        return self._state.before_import(), self._descriptors.opened()

    def _after_import(self, name: str, token: Any) -> None:
        before, opened = token
        if self._operators is None:
            self._hook_torch()
            if (torch := loaded("torch")) is not None:
                self._once.hook(torch)
        self._first_compile.begin_late()
        self._state.after_import(before)
        self._descriptors.adopt(opened)
        self._modules.adopt()
        self._native.adopt(self._tables)

    # Native libraries.

    def _look_for_libraries(self) -> None:
        made = {*self._ledger.defined, *self._ledger.kept}
        self._loaded += self._native.settle(self._tables, made)

    def _police_native(self) -> None:
        self._look_for_libraries()
        found, self._loaded = self._loaded, []
        for one in found:
            line = self._evidence.line(self._number, WORDS)
            origin = Origin(one.library, 0, line)
            self._ledger.registrations.append(
                Registration(
                    "native", one.namespace, one.name, one.key, origin, self._number, bool(one.key)
                )
            )
        for library in dict.fromkeys(one.library for one in found):
            self._ledger.permanent.append(f"operators registered by {library}")
