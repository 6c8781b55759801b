"""Hooks on every Python way into torch's operator registries; they fill the ledger.

All of them (``custom_op``, ``triton_op``, ``Library``, the functional forms, raw
``_dispatch_library``) end in the same registrar class, so that is where the hooks sit. A hook
costs nothing until something is registered. What a native library registers while it is being
loaded passes by here unseen: see ``native``.
"""

from __future__ import annotations

import functools
import os
import sys
import weakref

from fencerun.worker.guards.internals import TorchTables, table
from fencerun.worker.guards.ledger import Ledger, PythonTables, Registration
from fencerun.worker.guards.origin import OWN, Origin, Origins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    from fencerun.worker.guards.policy import History

_TABLES = ("py_kernels", "functorch_table", "python_key_table")


class OperatorHooks:
    """The hooks in one loaded torch. ``ledger`` is the running chain's, or None between chains."""

    def __init__(self, torch: Any, origins: Origins, history: History) -> None:
        self.tables = TorchTables(torch)
        self.ledger: Ledger | None = None
        self._origins = origins
        self._history = history
        self._undo: list[tuple[Any, str, Any]] = []
        self._spaces: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
        self._make_registrar = torch._C._dispatch_library
        self._machinery = _machinery(torch)
        self._install(torch)

    def remove(self) -> None:
        """Put back everything that was hooked."""
        for owner, name, original in reversed(self._undo):
            setattr(owner, name, original)
        self._undo.clear()

    def _install(self, torch: Any) -> None:
        self._hook(torch._C, "_dispatch_library", self._dispatch_library)
        registrar = getattr(torch._C, "_DispatchModule", None)
        for name in ("define", "def_legacy", "def_schema_t_t", "def_name_t_t"):
            self._hook(registrar, name, self._define)
        for name in ("impl", "impl_t_t", "impl_with_aoti_compile"):
            self._hook(registrar, name, self._impl)
        for name in ("fallback", "fallback_fallthrough"):
            self._hook(registrar, name, self._fallback)
        self._hook(registrar, "register_ad_inplace_or_view_fallback", self._in_place_kernel)
        handle = table("torch._library.utils", "RegistrationHandle", default=None)
        self._hook(handle, "__init__", self._rule)
        operator = table("torch._ops", "OperatorBase", default=None)
        self._hook(operator, "py_impl", self._py_impl)
        higher = table("torch._ops", "HigherOrderOperator", default=None)
        self._hook(higher, "__init__", self._higher_order)
        for name in ("OpOverload", "OpOverloadPacket"):
            self._hook(table("torch._ops", name, default=None), "__init__", self._handle)
        self._hook(sys.modules.get("torch.jit._builtins"), "_register_builtin", self._builtin)

    def _hook(self, owner: Any, name: str, hook: Callable[..., Any]) -> None:
        original = getattr(owner, name, None)
        if original is None:
            return

        @functools.wraps(original)
        def hooked(*arguments: Any, **options: Any) -> Any:
            ledger = self.ledger
            if ledger is None:
                return original(*arguments, **options)
            return hook(ledger, original, *arguments, **options)

        self._undo.append((owner, name, original))
        setattr(owner, name, hooked)

    def _blame(self) -> Origin | None:
        return self._origins.blame(sys._getframe(2), self._machinery)

    def _dispatch_library(
        self, ledger: Ledger, original: Callable[..., Any], kind: str, space: str, *rest: Any
    ) -> Any:
        origin = self._blame()
        if origin is not None and kind == "DEF":
            self._note(ledger, "library", space, "", "", origin)
        registrar = original(kind, space, *rest)
        self._spaces[registrar] = space
        if origin is not None:
            library = _library(sys._getframe(1))
            if library is None:
                ledger.registrars.append(registrar)
            else:
                ledger.libraries.append(weakref.ref(library))
            ledger.owned.add(registrar)
        return registrar

    def _define(
        self, ledger: Ledger, original: Callable[..., Any], registrar: Any, schema: Any, *rest: Any
    ) -> Any:
        origin = self._blame()
        library = _library(sys._getframe(1))
        space, name = self._full_name(registrar, library, str(schema).split("(")[0])
        if origin is None:
            ledger.kept.append(f"{space}::{name}")
            return original(registrar, schema, *rest)
        operator = name.split(".")[0]
        registration = self._note(ledger, "operator", space, operator, "", origin)
        packet = self.tables.cached_packet(f"{space}::{operator}")
        if packet is not None:
            ledger.packets.setdefault(f"{space}::{operator}", packet)
        if registrar not in ledger.owned:
            registrar = self._divert(ledger, registrar, "FRAGMENT", space, origin)
            ledger.foreign.append((library, f"{space}::{name}"))
        try:
            result = original(registrar, schema, *rest)
        except Exception:
            if registration.earlier is None:
                ledger.registrations.remove(registration)
            raise
        ledger.defined.append(f"{space}::{name}")
        return result

    def _impl(
        self, ledger: Ledger, original: Callable[..., Any], registrar: Any, *rest: Any, **more: Any
    ) -> Any:
        origin = self._blame()
        if origin is None or len(rest) < 2:
            return original(registrar, *rest, **more)
        library = _library(sys._getframe(1))
        # impl_with_aoti_compile takes the namespace first.
        named = rest[1] if original.__name__ == "impl_with_aoti_compile" else rest[0]
        space, name = self._full_name(registrar, library, str(named))
        dispatch = str(rest[2] if named is rest[1] and len(rest) > 2 else rest[1])
        owned = f"{space}::{name}" in ledger.defined
        overrides = not owned and self.tables.has_kernel(f"{space}::{name}", dispatch)
        self._note(
            ledger, "kernel", space, name.split(".")[0], dispatch, origin, overrides=overrides
        )
        key = _implementation_key(sys._getframe(1), f"{space}/{name}/{dispatch}")
        if key in self.tables.impls and key not in ledger.own_keys:
            ledger.kept_keys.add(key)
        ledger.own_keys.add(key)
        if registrar not in ledger.owned:
            registrar = self._divert(ledger, registrar, "IMPL", space, origin)
            ledger.foreign.append((library, key))
        return original(registrar, *rest, **more)

    def _fallback(
        self, ledger: Ledger, original: Callable[..., Any], registrar: Any, *rest: Any, **more: Any
    ) -> Any:
        origin = self._blame()
        if origin is not None:
            key = str(rest[0]) if rest else ""
            self._note(ledger, "fallback", "_", key, key, origin)
            if registrar not in ledger.owned:
                registrar = self._divert(ledger, registrar, "IMPL", "_", origin)
        return original(registrar, *rest, **more)

    def _in_place_kernel(
        self, ledger: Ledger, original: Callable[..., Any], registrar: Any, name: str
    ) -> Any:
        """Despite its name, a kernel of the one operator ``name`` (torch 2.13's custom_op)."""
        origin = self._blame()
        if origin is not None:
            space, name = self._full_name(registrar, _library(sys._getframe(1)), name)
            self._note(ledger, "kernel", space, name, "ADInplaceOrView", origin)
            if registrar not in ledger.owned:
                registrar = self._divert(ledger, registrar, "IMPL", space, origin)
        return original(registrar, name)

    def _rule(
        self, ledger: Ledger, original: Callable[..., Any], handle: Any, on_destroy: Any
    ) -> None:
        original(handle, on_destroy)
        if self._blame() is None:
            return
        # Both the undo and a Library that dies later may destroy it, and torch allows one.
        handle._on_destroy = _once(on_destroy)
        ledger.rules.append(handle)

    def _py_impl(
        self, ledger: Ledger, original: Callable[..., Any], operator: Any, *rest: Any
    ) -> Any:
        origin = self._blame()
        if origin is not None:
            space, name = _operator_name(operator)
            overrides = space != "higher_order" and f"{space}::{name}" not in ledger.defined
            registered = overrides and bool(rest) and _has_python_kernel(operator, rest[0])
            self._note(
                ledger,
                "python kernel",
                space,
                name.split(".")[0],
                str(rest[0]) if rest else "",
                origin,
                overrides=registered,
            )
            ledger.python_tables.setdefault(id(operator), _python_tables(operator))
        return original(operator, *rest)

    def _higher_order(
        self, ledger: Ledger, original: Callable[..., Any], operator: Any, name: str, *rest: Any,
        **more: Any,
    ) -> None:  # fmt: skip
        before = self.tables.higher_order.get(name)
        original(operator, name, *rest, **more)
        origin = self._blame()
        if origin is not None:
            self._note(ledger, "higher-order operator", "higher_order", name, "", origin)
            ledger.higher_order.append((name, before))

    def _handle(
        self, ledger: Ledger, original: Callable[..., Any], handle: Any, *rest: Any, **more: Any
    ) -> None:
        original(handle, *rest, **more)
        ledger.handles.append(weakref.ref(handle))

    def _builtin(
        self, ledger: Ledger, original: Callable[..., Any], function: Any, operator: str
    ) -> None:
        original(function, operator)
        ledger.builtins.append((id(function), operator))

    def _note(
        self, ledger: Ledger, kind: str, space: str, name: str, key: str, origin: Origin, *,
        overrides: bool = False,
    ) -> Registration:  # fmt: skip
        made = Registration(kind, space, name, key, origin, ledger.fence, overrides)
        self._history.compare(made)
        ledger.registrations.append(made)
        return made

    def _full_name(self, registrar: Any, library: Any, name: str) -> tuple[str, str]:
        if "::" in name:
            space, _, name = name.partition("::")
            return space, name
        return self._spaces.get(registrar) or str(getattr(library, "ns", "?")), name

    def _divert(self, ledger: Ledger, registrar: Any, kind: str, space: str, origin: Origin) -> Any:
        """A registrar of ours in place of one that outlives the chain, so that it can be undone."""
        if space == "?":
            ledger.permanent.append(f"a registration at {origin} in a library of torch's own")
            return registrar
        line = origin.line
        private = self._make_registrar(kind, space, "", origin.file, line)
        self._spaces[private] = space
        ledger.registrars.append(private)
        ledger.owned.add(private)
        return private


def _machinery(torch: Any) -> tuple[str, ...]:
    home = os.path.dirname(torch.__file__)
    python = os.path.dirname(functools.__file__)
    extensions = getattr(sys.modules.get("typing_extensions"), "__file__", None)
    return (
        OWN,
        f"{home}/library.py",
        f"{home}/_library/",
        f"{home}/_ops.py",
        f"{home}/_custom_op/",
        f"{python}/functools.py",
        f"{python}/contextlib.py",
        *([extensions] if extensions else []),
    )


def _library(frame: FrameType) -> Any:
    """The Library whose method is the first frame above ours, or None for raw use."""
    above = frame.f_back
    if above is None or not above.f_code.co_filename.endswith("/torch/library.py"):
        return None
    return above.f_locals.get("self")


def _implementation_key(frame: FrameType, fallback: str) -> str:
    # Library.impl has the key of its bookkeeping in a local of that name.
    above = frame.f_back
    key = above.f_locals.get("key") if above is not None and _library(frame) is not None else None
    return key if isinstance(key, str) else fallback


def _once(function: Callable[[], None]) -> Callable[[], None]:
    pending = [function]

    def destroy() -> None:
        if pending:
            pending.pop()()

    return destroy


def _operator_name(operator: Any) -> tuple[str, str]:
    name = getattr(operator, "_name", None) or str(operator)
    space, separator, rest = str(name).partition("::")
    if separator:
        return space, rest
    return getattr(operator, "_ns", "higher_order"), str(name)


def _has_python_kernel(operator: Any, key: Any) -> bool:
    return any(key in getattr(operator, name, {}) for name in _TABLES)


def _python_tables(operator: Any) -> PythonTables:
    found = {name: dict(getattr(operator, name)) for name in _TABLES if hasattr(operator, name)}
    return PythonTables(operator, found, getattr(operator, "non_fallthrough_keys", None))
