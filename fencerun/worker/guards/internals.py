"""Internals of torch and CPython that the guards need, in one place, each with a fallback.

Everything here may move between versions of torch. A table that isn't there is replaced by an
empty one, so that a guard loses that item and nothing else. Never imports torch: it is handed
the loaded module.
"""

from __future__ import annotations

import functools
import gc
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def loaded(name: str) -> Any:
    """The module ``name`` if it is loaded and its import is over, else None."""
    module = sys.modules.get(name)
    if module is None or getattr(getattr(module, "__spec__", None), "_initializing", False):
        return None
    return module


def table(module: str, *path: str, default: Any) -> Any:
    """The object at ``path`` in a loaded module, or ``default`` when any part is missing.

    A step of the path is an attribute, or a key where there is a dict.
    """
    found = loaded(module)
    for name in path:
        found = found.get(name) if isinstance(found, dict) else getattr(found, name, None)
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

    def operator_names(self) -> list[str]:
        """Every operator with a schema, overloads included (2 ms)."""
        try:
            return list(self.c._dispatch_get_all_op_names())
        except (RuntimeError, AttributeError):
            return []

    def cached_packet(self, operator: str) -> Any:
        """The packet that ``torch.ops`` holds for an operator, or None. Makes none."""
        space, _, name = operator.partition("::")
        namespace = vars(self.torch.ops).get(space)
        return None if namespace is None else vars(namespace).get(name)

    def clear_fake_cache(self) -> None:
        """Forget what fake tensors remember of operators: keyed by name, not by registration."""
        mode = table("torch._subclasses.fake_tensor", "FakeTensorMode", default=None)
        if mode is not None and hasattr(mode, "cache_clear"):
            mode.cache_clear()


def _cell_of(namespace: dict[str, Any]) -> Any:
    import ctypes

    # ob_refcnt, ob_type, ma_used, ma_version_tag: CPython 3.6 to 3.13 (PEP 509, PEP 699).
    return ctypes.c_uint64.from_address(id(namespace) + 24)


def _tags_work() -> bool:
    """Whether a dict's version tag is where we look for it and changes when the dict does."""
    if sys.implementation.name != "cpython" or not sys.version_info < (3, 14):
        return False
    if sys.maxsize < 2**32 or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return False
    probe: dict[str, Any] = {"a": 1}
    cell = _cell_of(probe)
    seen = [cell.value, cell.value]
    probe["a"] = 2
    seen.append(cell.value)
    probe["b"] = 3
    seen.append(cell.value)
    del probe["a"]
    seen.append(cell.value)
    return seen[0] == seen[1] and len(set(seen)) == 4


_TAGS_WORK: bool | None = None


def version_tag(namespace: object) -> Callable[[], int] | None:
    """A function whose result changes whenever the dict (or a class's mappingproxy) does.

    None where the interpreter has no such tag: compare the contents then.
    """
    cell = version_cell(namespace)
    return None if cell is None else lambda: cell.value


def version_cell(namespace: object) -> Any:
    """What ``version_tag`` reads: an object whose ``value`` is the tag, or None."""
    global _TAGS_WORK
    if _TAGS_WORK is None:
        _TAGS_WORK = _tags_work()
    if not _TAGS_WORK:
        return None
    if not isinstance(namespace, dict):
        (namespace,) = gc.get_referents(namespace)
    return _cell_of(namespace) if type(namespace) is dict else None


def library_counter() -> Callable[[], int] | None:
    """A function whose result changes when a native library is loaded (1 µs), where there is one.

    glibc and musl count loads for ``dl_iterate_phdr``.
    """
    import ctypes

    try:
        iterate = ctypes.CDLL(None).dl_iterate_phdr
    except (OSError, AttributeError, TypeError):
        return None
    info = _library_info()
    seen = [0, 0]

    def first(entry: Any, size: int, data: Any) -> int:
        seen[0], seen[1] = entry.contents.adds, size
        return 1  # the count is the process's: the first library tells

    callback = _library_callback()(first)

    def count() -> int:
        iterate(callback, None)
        return seen[0]

    count()
    return count if seen[1] >= ctypes.sizeof(info) else None


def library_names() -> list[str]:
    """The files of the native libraries in the process."""
    import ctypes

    found: list[str] = []

    def each(entry: Any, size: int, data: Any) -> int:
        found.append((entry.contents.name or b"").decode("utf-8", "surrogateescape"))
        return 0

    ctypes.CDLL(None).dl_iterate_phdr(_library_callback()(each), None)
    return found


def _library_callback() -> Any:
    import ctypes

    entry = ctypes.POINTER(_library_info())
    return ctypes.CFUNCTYPE(ctypes.c_int, entry, ctypes.c_size_t, ctypes.c_void_p)


@functools.lru_cache(maxsize=1)
def _library_info() -> Any:
    import ctypes

    class Info(ctypes.Structure):
        """``struct dl_phdr_info`` of <link.h>."""

        _fields_ = (
            ("addr", ctypes.c_void_p),
            ("name", ctypes.c_char_p),
            ("phdr", ctypes.c_void_p),
            ("phnum", ctypes.c_uint16),
            ("adds", ctypes.c_ulonglong),
            ("subs", ctypes.c_ulonglong),
        )

    return Info
