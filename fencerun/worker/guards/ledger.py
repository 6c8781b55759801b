"""What a chain of fences registered with torch: data, written by the hooks, read by the undo.

Does not import or know torch: operators, libraries and handles are held as opaque objects.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field, replace
from typing import Any

from fencerun.worker.guards.origin import Origin


@dataclass(frozen=True, slots=True)
class Registration:
    """One thing that a fence registered.

    ``kind`` is ``library`` (it claimed the namespace), ``operator``, ``kernel``, ``fallback``,
    ``python kernel``, ``higher-order operator`` or ``rule`` (fake kernel, effect, …).
    ``overrides`` says that something not of this chain was there before.
    """

    kind: str
    namespace: str
    name: str
    key: str
    origin: Origin
    fence: int
    overrides: bool = False
    #: The registration of this chain that it collides with.
    earlier: Registration | None = None

    @property
    def operator(self) -> str:
        """The operator's full name without overload, or the namespace alone."""
        return f"{self.namespace}::{self.name}" if self.name else self.namespace


@dataclass(frozen=True, slots=True)
class PythonTables:
    """An operator's Python-side dispatch tables, as they were."""

    operator: Any
    tables: dict[str, dict[Any, Any]]
    keys: Any


@dataclass(slots=True)
class Ledger:
    """Everything one chain registered, in order."""

    fence: int = 0
    registrations: list[Registration] = field(default_factory=list)
    #: Libraries that fences made, oldest first; they may die before the chain ends.
    libraries: list[weakref.ref[Any]] = field(default_factory=list)
    #: Registrars without a Library: raw ones, and those that took a diverted registration.
    registrars: list[Any] = field(default_factory=list)
    #: Every registrar made by the chain, those of its libraries too.
    owned: weakref.WeakSet[Any] = field(default_factory=weakref.WeakSet)
    #: Full names with overload of the operators defined.
    defined: list[str] = field(default_factory=list)
    #: (foreign Library, the entry added to its sets) of diverted registrations.
    foreign: list[tuple[Any, str]] = field(default_factory=list)
    #: Keys of ``torch.library._impls`` that were there before this chain overrode them.
    kept_keys: set[str] = field(default_factory=set)
    own_keys: set[str] = field(default_factory=set)
    rules: list[Any] = field(default_factory=list)
    higher_order: list[tuple[str, Any]] = field(default_factory=list)
    python_tables: dict[int, PythonTables] = field(default_factory=dict)
    #: Handles (overloads, packets) that came into being during the chain.
    handles: list[weakref.ref[Any]] = field(default_factory=list)
    #: (id of a callable, operator) entries of TorchScript's table of builtins.
    builtins: list[tuple[int, str]] = field(default_factory=list)
    #: What was registered in a way that can't be undone.
    permanent: list[str] = field(default_factory=list)

    def collide(self, made: Registration) -> Registration:
        """``made``, with the registration of another fence that it collides with, if any."""
        if made.kind in ("kernel", "rule", "python kernel", "fallback"):
            return made
        for earlier in self.registrations:
            same = (earlier.kind, earlier.operator) == (made.kind, made.operator)
            if same and earlier.fence != made.fence:
                return replace(made, earlier=earlier)
        return made

    @property
    def empty(self) -> bool:
        """Whether there is nothing to undo."""
        return not (
            self.registrations or self.libraries or self.registrars or self.rules or self.defined
        )
