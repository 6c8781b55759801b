"""Which namespaces are watched for patches: the ones that later fences are likely to call.

Arbitrary objects, closures and the inside of C extensions can't be watched.
"""

from __future__ import annotations

from fencerun.worker.guards.watches import NamespaceWatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Attributes that are probed by themselves or change in the normal course of things.
_IGNORED = {
    "builtins": "_",
    "sys": "last_type last_value last_traceback last_exc ps1 ps2 stdout stderr stdin __stdout__ "
    "__stderr__ argv path meta_path path_hooks displayhook excepthook unraisablehook "
    "breakpointhook dont_write_bytecode __interactivehook__ activate_stack_trampoline modules",
    "threading": "excepthook _profile_hook _trace_hook _main_thread _shutdown_locks _counter "
    "_active _limbo _dangling _start_new_thread _start_joinable_thread _shutdown_locks_lock",
    "time": "tzname timezone altzone daylight",
    "tempfile": "_name_sequence tempdir",
    "random": "_inst",
    "os": "environ environb",
    "warnings": "filters showwarning formatwarning _showwarnmsg defaultaction onceregistry "
    "_filters_version",
    "torch": "_GLOBAL_DEVICE_CONTEXT default_generator",
    "torch.library": "_keep_alive _defs _impls",
    "torch.serialization": "_default_load_endian",
}
_CLASS_ATTRIBUTES = frozenset(
    ("__slotnames__", "__abstractmethods__", "_abc_impl", "__annotations__", "__weakref__",
     "__static_attributes__", "__firstlineno__", "__dict__",
     "__annotations_cache__", "__annotate_func__")
)  # fmt: skip

_MODULES = (
    "builtins", "os", "os.path", "sys", "threading", "random", "json", "io", "time", "shutil",
    "tempfile", "pathlib", "subprocess", "math", "copy", "pickle", "inspect", "functools",
    "itertools", "collections", "contextlib", "typing", "dataclasses", "warnings", "logging",
    "importlib", "textwrap", "re", "socket", "urllib.request", "asyncio", "multiprocessing",
    "numpy", "numpy.linalg", "numpy.random", "numpy.testing", "matplotlib.pyplot", "triton",
    "triton.language", "torch", "torch.nn", "torch.nn.functional", "torch.nn.init",
    "torch.autograd", "torch.optim", "torch.utils.data", "torch.linalg", "torch.fft",
    "torch.special", "torch.library", "torch.random", "torch.serialization", "torch.compiler",
    "torch.func", "torch.cuda", "torch.jit", "torch.utils.checkpoint", "torch.testing",
    "torch.distributed", "torch.export",
)  # fmt: skip

_CLASSES = (
    "builtins:ExceptionGroup",  # the only class of Python's own that code can change
    "torch:Tensor", "torch._C:TensorBase", "torch.nn:Module", "torch.nn:Parameter",
    "torch.nn:Linear", "torch.nn:Sequential", "torch.optim:Optimizer", "torch.optim:SGD",
    "torch.optim:Adam", "torch.optim:AdamW", "torch.autograd:Function",
    "torch.utils.data:DataLoader", "torch.utils.data:Dataset", "torch:Size", "torch:Generator",
)  # fmt: skip


def names() -> list[str]:
    """Every watched namespace: ``module`` or ``module:Class``."""
    return [*_MODULES, *_CLASSES]


def watch(name: str, module: Any) -> NamespaceWatch | None:
    """The watch of a namespace whose module is loaded."""
    _, _, attribute = name.partition(":")
    label = name.replace(":", ".")
    ignored = frozenset(_IGNORED.get(label, "").split())
    owner = getattr(module, attribute, None) if attribute else module
    if owner is None:
        return None
    return NamespaceWatch(label, owner, ignored | _CLASS_ATTRIBUTES if attribute else ignored)
