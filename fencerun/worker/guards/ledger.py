"""What a chain of fences registered with torch: data, written by the hooks, read by the undo.

Does not import or know torch: operators, libraries and handles are held as opaque objects.
"""

from __future__ import annotations

import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fencerun.worker.guards.origin import Origin


class Registration:
    """One thing that a fence registered.

    ``kind`` is ``library`` (it claimed the namespace), ``operator``, ``kernel``, ``fallback``,
    ``python kernel``, ``higher-order operator`` or ``native``. ``overrides`` says that something
    not of this chain was there before; ``earlier`` is the registration of another fence that this
    one collides with.
    """

    __slots__ = ("earlier", "fence", "key", "kind", "name", "namespace", "origin", "overrides")

    def __init__(
        self, kind: str, namespace: str, name: str, key: str, origin: Origin, fence: int,
        overrides: bool = False,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.namespace = namespace
        self.name = name
        self.key = key
        self.origin = origin
        self.fence = fence
        self.overrides = overrides
        self.earlier: Registration | None = None

    @property
    def operator(self) -> str:
        """The operator's full name without overload, or the namespace alone."""
        return f"{self.namespace}::{self.name}" if self.name else self.namespace


class PythonTables:
    """An operator's Python-side dispatch tables, as they were."""

    __slots__ = ("keys", "operator", "tables")

    def __init__(self, operator: Any, tables: dict[str, dict[Any, Any]], keys: Any) -> None:
        self.operator = operator
        self.tables = tables
        self.keys = keys


class Ledger:
    """Everything one chain registered, in order."""

    def __init__(self) -> None:
        #: The number of the fence that runs.
        self.fence = 0
        self.registrations: list[Registration] = []
        #: Libraries that fences made, oldest first; they may die before the chain ends.
        self.libraries: list[weakref.ref[Any]] = []
        #: Registrars without a Library: raw ones, and those that took a diverted registration.
        self.registrars: list[Any] = []
        #: Every registrar made by the chain, those of its libraries too.
        self.owned: weakref.WeakSet[Any] = weakref.WeakSet()
        #: Full names with overload of the operators defined.
        self.defined: list[str] = []
        #: Those that installed code defined meanwhile for itself; they stay.
        self.kept: list[str] = []
        #: The packets that ``torch.ops`` had for an operator before the chain added to it.
        self.packets: dict[str, Any] = {}
        #: (foreign Library, the entry added to its sets) of diverted registrations.
        self.foreign: list[tuple[Any, str]] = []
        #: Keys of ``torch.library._impls`` that were there before this chain overrode them.
        self.kept_keys: set[str] = set()
        self.own_keys: set[str] = set()
        #: Handles that take a fake kernel, an effect or the like back.
        self.rules: list[Any] = []
        self.higher_order: list[tuple[str, Any]] = []
        self.python_tables: dict[int, PythonTables] = {}
        #: Overloads and packets that came into being during the chain.
        self.handles: list[weakref.ref[Any]] = []
        #: (id of a callable, operator) entries of TorchScript's table of builtins.
        self.builtins: list[tuple[int, str]] = []
        #: What was registered in a way that can't be undone.
        self.permanent: list[str] = []

    @property
    def empty(self) -> bool:
        """Whether there is nothing to undo."""
        return not (
            self.registrations or self.libraries or self.registrars or self.rules or self.defined
        )

    @property
    def unused(self) -> bool:
        """Whether nothing was ever written here, by fences that had no torch to register with."""
        return self.empty and not self.permanent
