"""Internals of torch that the guards need, looked up in one place, each with a fallback.

Everything here may move between versions of torch. A table that isn't there is replaced by an
empty one, so that a guard loses that item and nothing else. Never imports torch: it is handed
the loaded module.
"""

from __future__ import annotations

import sys
from typing import Any


def loaded(name: str) -> Any:
    """The module ``name`` if it is loaded and its import is over, else None."""
    module = sys.modules.get(name)
    if module is None or getattr(getattr(module, "__spec__", None), "_initializing", False):
        return None
    return module


def table(module: str, *path: str, default: Any) -> Any:
    """The object at ``path`` in a loaded module, or ``default`` when any part is missing."""
    found = loaded(module)
    for name in path:
        found = getattr(found, name, None)
    return default if found is None else found


class TorchTables:
    """The Python-side registries of operators of one loaded torch."""

    def __init__(self, torch: Any) -> None:
        library = "torch.library"
        self.torch = torch
        self.c = torch._C
        self.defs: set[str] = table(library, "_defs", default=set())
        self.impls: set[str] = table(library, "_impls", default=set())
        self.keep_alive: list[Any] = table(library, "_keep_alive", default=[])
        custom = "torch._library.custom_ops"
        self.definition_libraries: dict[str, Any] = table(custom, "OPDEF_TO_LIB", default={})
        self.definitions: Any = table(custom, "OPDEFS", default={})
        registry = "torch._library.simple_registry"
        self.rules: dict[str, Any] = table(registry, "singleton", "_data", default={})
        self.higher_order: dict[str, Any] = table("torch._ops", "_higher_order_ops", default={})

    @property
    def signatures(self) -> dict[Any, Any]:
        """The cache of operator signatures that fx keeps."""
        found: dict[Any, Any] = table(
            "torch.fx.operator_schemas", "_SCHEMA_TO_SIGNATURE_CACHE", default={}
        )
        return found

    @property
    def triton_kernels(self) -> dict[str, Any]:
        """Which Triton kernels an operator made by ``triton_op`` calls."""
        found: dict[str, Any] = table("torch._library.triton", "triton_ops_to_kernels", default={})
        return found

    @property
    def script_builtins(self) -> dict[int, str]:
        """TorchScript's table of builtins, keyed by the id of a callable."""
        found: dict[int, str] = table("torch.jit._builtins", "_builtin_table", default={})
        return found

    def has_kernel(self, operator: str, key: str) -> bool:
        """Whether the dispatcher has a kernel of ``operator`` for ``key``."""
        try:
            return bool(self.c._dispatch_has_kernel_for_dispatch_key(operator, key))
        except (RuntimeError, AttributeError, TypeError):
            return False

    def exists(self, operator: str) -> bool:
        """Whether an operator of that full name (without overload) is registered."""
        try:
            return self.c._jit_get_operation(operator)[0] is not None
        except (RuntimeError, AttributeError, TypeError, IndexError):
            return False

    def clear_fake_cache(self) -> None:
        """Forget what fake tensors remember of operators: keyed by name, not by registration."""
        mode = table("torch._subclasses.fake_tensor", "FakeTensorMode", default=None)
        if mode is not None and hasattr(mode, "cache_clear"):
            mode.cache_clear()
