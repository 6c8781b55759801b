"""Undoes what a chain registered with torch, so that the next chain finds torch as it was.

Order matters: handles are poisoned before their operator goes (calling a stale one is a
segmentation fault otherwise, pytorch#98537), newest library first, caches by name last. The
caller resets Dynamo before, since compiled code holds operators too.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from fencerun.worker.guards.internals import TorchTables
    from fencerun.worker.guards.ledger import Ledger


def undo(ledger: Ledger, tables: TorchTables) -> None:
    """Take back every registration of ``ledger`` and empty it."""
    if ledger.empty:
        return
    defined = set(ledger.defined)
    packets = _poison(ledger, defined, tables)
    _destroy(ledger, tables)
    _restore_packets(packets, tables)
    _forget_builtins(ledger, tables)
    _forget_names(defined, tables)
    _restore_namespaces({name.partition("::")[0] for name in defined}, tables)
    _restore_higher_order(ledger, tables)
    _restore_python_tables(ledger)
    tables.clear_fake_cache()


def _raiser(operator: str) -> Callable[..., NoReturn]:
    def gone(*arguments: Any, **options: Any) -> NoReturn:
        raise RuntimeError(
            f"operator {operator} no longer exists: fencerun unregistered it when the chain of "
            "fences that registered it ended"
        )

    return gone


class _GoneHandle:
    """Stands in for the dispatcher's handle of an operator that is gone."""

    def __init__(self, gone: Callable[..., NoReturn]) -> None:
        self._gone = gone

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        return self._gone


def _poison(ledger: Ledger, defined: set[str], tables: TorchTables) -> dict[str, list[Any]]:
    """Make each handle of a defined operator raise; the packets concerned, by operator."""
    operators = {full.partition(".")[0] for full in defined}
    handles: list[Any] = [
        handle for reference in ledger.handles if (handle := reference()) is not None
    ]
    for full in defined:
        name, _, overload = full.partition(".")
        packet = tables.cached_packet(name) or ledger.packets.get(name)
        if packet is not None:
            handles.append(packet)
            handles.append(vars(packet).get(overload or "default"))
    packets: dict[str, list[Any]] = {name: [packet] for name, packet in ledger.packets.items()}
    for handle in handles:
        packet_name = getattr(handle, "_qualified_op_name", None)
        if packet_name in operators:
            packets.setdefault(packet_name, []).append(handle)
        elif packet_name is None and getattr(handle, "_name", None) in defined:
            _poison_overload(handle)
    return packets


def _poison_overload(overload: Any) -> None:
    gone = _raiser(overload._name)
    overload._op = overload._op_dk = gone
    vars(overload)["_handle"] = _GoneHandle(gone)
    for name in ("_dispatch_cache", "py_kernels", "functorch_table", "python_key_table"):
        getattr(overload, name, {}).clear()
    packet = getattr(overload, "_overloadpacket", None)
    name = getattr(overload, "_overloadname", "default")
    if packet is not None and vars(packet).get(name) is overload:
        del vars(packet)[name]
        if name in packet._dir:
            packet._dir.remove(name)


def _destroy(ledger: Ledger, tables: TorchTables) -> None:
    own_libraries: set[int] = set()
    for reference in reversed(ledger.libraries):
        library = reference()
        if library is None:
            continue
        own_libraries.add(id(library))
        tables.defs.difference_update(library._op_defs)
        if library.m is not None:
            library._destroy()
        # A finalizer shares these sets and would clear torch.ops again, at some later time.
        library._op_defs.clear()
        library._op_impls.clear()
    for rule in reversed(ledger.rules):
        rule.destroy()
    for registrar in reversed(ledger.registrars):
        registrar.reset()
    tables.defs.difference_update(ledger.defined)
    tables.impls.difference_update(ledger.own_keys)
    tables.impls.update(ledger.kept_keys)
    for library, entry in ledger.foreign:
        if library is not None:
            library._op_defs.discard(entry)
            if entry not in ledger.kept_keys:
                library._op_impls.discard(entry)
    tables.keep_alive[:] = [kept for kept in tables.keep_alive if id(kept) not in own_libraries]
    for name, library in list(tables.definition_libraries.items()):
        if library.m is None:
            del tables.definition_libraries[name]


def _restore_packets(packets: dict[str, list[Any]], tables: TorchTables) -> None:
    """Kill the packets of operators that are gone; give surviving ones their place back.

    Destroying a library drops the packet of every operator it touched from ``torch.ops``. Where
    the operator survives (a fence only added an overload), the *same* packet object has to come
    back: tables of torch are keyed by its overloads.
    """
    for name, found in packets.items():
        space, _, operator = name.partition("::")
        if not tables.exists(name):
            for packet in found:
                packet._op = _raiser(name)
            continue
        packet = found[0]  # the one from before the chain, if there was one
        namespace = getattr(tables.torch.ops, space)
        vars(namespace)[operator] = packet
        if operator not in namespace._dir:
            namespace._dir.append(operator)
        tables.torch._ops._refresh_packet(packet)


def _forget_builtins(ledger: Ledger, tables: TorchTables) -> None:
    # The table is keyed by id(): a later, unrelated callable that got the id of a dead one would
    # be taken for the operator.
    table = tables.script_builtins
    for identity, operator in ledger.builtins:
        if table.get(identity) != operator:
            continue
        packet = tables.cached_packet(operator)
        if packet is None or id(packet._op) != identity:
            del table[identity]


def _forget_names(defined: set[str], tables: TorchTables) -> None:
    for full in defined:
        name, _, overload = full.partition(".")
        tables.signatures.pop((name, overload), None)
        for alias in (full, name + ".default", name):
            if alias == full or not tables.exists(name):
                tables.rules.pop(alias, None)
                tables.definitions.pop(alias, None)
                tables.triton_kernels.pop(alias, None)


def _restore_namespaces(spaces: set[str], tables: TorchTables) -> None:
    for space in spaces - {"aten", "prim", "prims", "higher_order"}:
        namespace = vars(tables.torch.ops).get(space)
        if namespace is None:
            continue
        alive = [name for name in namespace._dir if tables.exists(f"{space}::{name}")]
        for name in set(namespace._dir) - set(alive):
            vars(namespace).pop(name, None)
        namespace._dir[:] = alive
        if not alive:
            vars(tables.torch.ops).pop(space, None)
            if space in tables.torch.ops._dir:
                tables.torch.ops._dir.remove(space)


def _restore_higher_order(ledger: Ledger, tables: TorchTables) -> None:
    for name, before in reversed(ledger.higher_order):
        namespace = tables.torch.ops.higher_order
        if before is None:
            tables.higher_order.pop(name, None)
        else:
            tables.higher_order[name] = before
        vars(namespace).pop(name, None)
        if name in namespace._dir:
            namespace._dir.remove(name)


def _restore_python_tables(ledger: Ledger) -> None:
    for saved in reversed(ledger.python_tables.values()):
        for name, entries in saved.tables.items():
            table = getattr(saved.operator, name)
            table.clear()
            table.update(entries)
        saved.operator._dispatch_cache.clear()
        if saved.keys is not None:
            saved.operator.non_fallthrough_keys = saved.keys
