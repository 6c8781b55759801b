"""Probes and registries of libraries, each active once its module is loaded.

One entry a module: nothing here imports anything, and a library that a fence never imported
costs one look into ``sys.modules``.
"""

from __future__ import annotations

import functools
import sys

from fencerun.worker.guards import configs, loggers, torch_state
from fencerun.worker.guards.internals import loaded, table
from fencerun.worker.guards.probe import Probe, attribute, pair
from fencerun.worker.guards.watches import NamespaceWatch, RegistryWatch, SmallRegistryWatch, Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Items = list[Probe | Watch]


def _numpy(numpy: Any) -> Items:
    # Context variables since numpy 2; these see older ones, and code that isn't in the context.
    return [
        Probe("numpy print options", numpy.get_printoptions,
              lambda value: numpy.set_printoptions(**value), "set_printoptions", by_key=True),
        Probe("numpy error handling", numpy.geterr, lambda value: numpy.seterr(**value), "seterr",
              by_key=True),
        *pair(numpy, "numpy error callback", "geterrcall", "seterrcall"),
    ]  # fmt: skip


def _decimal(decimal: Any) -> Items:
    # A context is a mutable object: one made before the chain is shared with the chain's copy.
    return [
        _fields("decimal context", decimal.getcontext, "getcontext", "setcontext"),
        _fields("default decimal context", lambda: decimal.DefaultContext, "DefaultContext"),
    ]


def _fields(name: str, get: Callable[[], Any], *words: str) -> Probe:
    fields = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp", "traps")

    def read() -> dict[str, Any]:
        context = get()
        values = {field: getattr(context, field) for field in fields}
        return {**values, "traps": dict(values["traps"])}

    def write(value: dict[str, Any]) -> None:
        for field in fields:
            setattr(get(), field, value[field])

    return Probe(name, read, write, *words, by_key=True)


def _locale(locale: Any) -> Items:
    # The C library's, changed through this module only.
    return [
        Probe("locale", lambda: locale.setlocale(locale.LC_ALL),
              lambda value: locale.setlocale(locale.LC_ALL, value), "setlocale"),
    ]  # fmt: skip


def _multiprocessing(context: Any) -> Items:
    return [*attribute(context._default_context, "start method of processes", "_actual_context",
                       "set_start_method", quiet=True)]  # fmt: skip


def _asyncio(events: Any) -> Items:
    # asyncio.run makes a policy if there is none and leaves it behind.
    words = ("set_event_loop_policy", "set_event_loop")
    return [
        *attribute(events, "asyncio event loop policy", "_event_loop_policy", *words, quiet=True),
        *pair(events, "running event loop", "_get_running_loop", "_set_running_loop"),
    ]


def _matplotlib(matplotlib: Any) -> Items:
    params = matplotlib.rcParams

    def write(value: dict[str, Any]) -> None:
        dict.update(params, value)  # no validation, no warning of deprecated ones

    return [Probe("matplotlib.rcParams", lambda: dict(dict.items(params)), write, "rcParams", "rc",
                  "use", "style", by_key=True)]  # fmt: skip


def _pyplot(pyplot: Any) -> Items:
    figures = pyplot._pylab_helpers.Gcf.figs

    def close(value: list[int]) -> None:
        for number in [n for n in figures if n not in value]:
            pyplot.close(number)

    def interact(value: bool) -> None:
        pyplot.ion() if value else pyplot.ioff()

    return [
        Probe("open figures", lambda: list(figures), close, "figure", "subplots", "plot", first=[]),
        Probe("matplotlib interactive mode", pyplot.isinteractive, interact, "ion", "ioff"),
    ]


def _distributed(distributed: Any) -> Items:
    if not distributed.is_available():
        return []

    def destroy(value: bool) -> None:
        if distributed.is_initialized() and not value:
            distributed.destroy_process_group()

    return [Probe("default process group", distributed.is_initialized, destroy,
                  "init_process_group", "init_device_mesh")]  # fmt: skip


def _cuda(cuda: Any) -> Items:
    c = table("torch", "_C", default=None)

    def once_up(read: Callable[[], Any]) -> Callable[[], Any]:
        # Asking would bring CUDA up; before that, everything has its default, 0.
        return lambda: read() if cuda.is_initialized() else 0

    def write_stream(value: int) -> None:
        if value == 0:
            cuda.set_stream(cuda.default_stream())

    return [
        Probe("current CUDA device", once_up(c._cuda_getDevice), c._cuda_setDevice, "set_device"),
        Probe("current CUDA stream",
              once_up(lambda: c._cuda_getCurrentRawStream(c._cuda_getDevice())), write_stream,
              "set_stream", "Stream", "__enter__"),
        Probe("CUDA sync debug mode", once_up(c._cuda_get_sync_debug_mode),
              c._cuda_set_sync_debug_mode, "set_sync_debug_mode"),
    ]  # fmt: skip


def _registry(module: str, what: str, path: str, *words: str) -> RegistryWatch:
    names = path.split(".")
    owner: list[Any] = []

    def get() -> Any:
        if not owner:
            found = loaded(module)
            if found is None:
                return None
            owner.append(found)
        found = owner[0]
        for name in names:
            found = found.get(name) if isinstance(found, dict) else getattr(found, name, None)
        return found

    return RegistryWatch(what, get, *words)


class OpsWatch(NamespaceWatch):
    """``torch.ops`` but for its operator namespaces, which come into being when they are named."""

    def current(self) -> Mapping[Any, Any]:
        """What is no namespace."""
        kind = type(sys)
        return {k: v for k, v in super().current().items() if not isinstance(v, kind)}


def _torch(torch: Any) -> Items:
    tree, kl = "torch.utils._pytree", "torch.distributions.kl"
    node = "register_pytree_node", "register_dataclass", "_register_pytree_node"
    found: Items = [*torch_state.probes(torch)]
    found += [
        _registry(tree, "pytree node", "SUPPORTED_NODES", *node),
        _registry(tree, "serialised pytree node", "SUPPORTED_SERIALIZED_TYPES", *node),
        _registry(tree, "name of a pytree node", "SERIALIZED_TYPE_TO_PYTHON_TYPE", *node),
        _registry(tree, "constant pytree node", "CONSTANT_NODES", "register_constant"),
        *(
            SmallRegistryWatch(what, functools.partial(table, kl, name, default=None),
                               "register_kl")
            for what, name in (("KL divergence", "_KL_REGISTRY"),
                               ("resolved KL divergence", "_KL_MEMOIZE"))
        ),
        OpsWatch("torch.ops", torch.ops),
        _registry("torch.serialization", "torch.save package", "_package_registry",
                  "register_package"),
        _registry("torch.fx._symbolic_trace", "torch.fx.wrap", "_wrapped_fns_to_patch", "wrap"),
        _registry("torch.fx._symbolic_trace", "torch.fx.wrap of a method",
                  "_wrapped_methods_to_patch", "wrap"),
    ]  # fmt: skip
    return found


def _decompositions(decompositions: Any) -> Items:
    return [
        _registry("torch._decomp", f"decomposition ({kind})", f"global_decomposition_table.{kind}",
                  "register_decomposition")
        for kind in decompositions.global_decomposition_table
    ]  # fmt: skip


def _dynamo(registry: Any) -> Items:
    found: Items = []
    for kind, word in (
        ("_allowed_callable_ids", "allow_in_graph"),
        ("_disallowed_callable_ids", "disallow_in_graph"),
        ("_nonstrict_trace_callable_ids", "nonstrict_trace"),
        ("_leaf_function_ids", "leaf_function"),
    ):
        # These sets hold ids: an entry of a dead function would match any later object.
        rules = "torch._dynamo.trace_rules"
        ids = table(rules, kind, default=None)
        if hasattr(ids, "function_ids"):
            ids()  # fills it, else the first compile would
            found.append(_registry(rules, f"{word} of a callable", f"{kind}.function_ids", word))
    name = registry.__name__
    found.append(_registry(name, "compiler backend", "_COMPILER_FNS", "register_backend"))
    found.append(_registry(name, "name of a compiler backend", "_BACKENDS", "register_backend"))
    return found


def _copyreg(copyreg: Any) -> Items:
    return [SmallRegistryWatch("pickling of a type", lambda: copyreg.dispatch_table, "copyreg",
                               "dispatch_table")]  # fmt: skip


def _mimetypes(mimetypes: Any) -> Items:
    if not mimetypes.inited:
        mimetypes.init()  # else the first question would
    return [
        RegistryWatch("type of a file name's end", lambda: mimetypes._db.types_map[True],
                      "add_type"),
        RegistryWatch("unofficial type of a file name's end",
                      lambda: mimetypes._db.types_map[False], "add_type"),
        RegistryWatch("file name's ends of a type", lambda: mimetypes._db.types_map_inv[True],
                      "add_type"),
    ]  # fmt: skip


def _random(random: Any) -> Items:
    fields: dict[str, Any] = vars(random._inst)

    def read() -> dict[str, Any]:
        # The state of the generator is set at each chain's beginning.
        return {name: value for name, value in fields.items() if name != "gauss_next"}

    def write(value: dict[str, Any]) -> None:
        for name in read().keys() - value.keys():
            del fields[name]
        fields.update(value)

    return [Probe("random._inst:", read, write, "_inst", by_key=True)]


def _socket(socket: Any) -> Items:
    return [*pair(socket, "default timeout of sockets", "getdefaulttimeout", "setdefaulttimeout")]


def _config(module: Any) -> Items:
    return [*configs.probes(module)]


#: What the loading of a module activates.
BY_MODULE: dict[str, Callable[[Any], Items]] = {
    "numpy": _numpy,
    "decimal": _decimal,
    "locale": _locale,
    "logging": loggers.items,
    "copyreg": _copyreg,
    "mimetypes": _mimetypes,
    "random": _random,
    "socket": _socket,
    "multiprocessing.context": _multiprocessing,
    "asyncio.events": _asyncio,
    "matplotlib": _matplotlib,
    "matplotlib.pyplot": _pyplot,
    "torch": _torch,
    "torch.cuda": _cuda,
    "torch._decomp": _decompositions,
    "torch._dynamo.backends.registry": _dynamo,
    "torch.distributed": _distributed,
    **dict.fromkeys(configs.CONFIGS, _config),
}


def items(name: str) -> Items | None:
    """What a module's loading activates; None while it is not (fully) loaded."""
    module = loaded(name)
    if module is None:
        return None
    try:
        return BY_MODULE[name](module)
    except (AttributeError, TypeError):
        return []  # a version that we don't know
