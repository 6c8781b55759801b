"""Probes of torch: modes, defaults and flags that live in the process, not in an object.

Built from the loaded module; an item that this version of torch lacks is left out.
"""

from __future__ import annotations

from fencerun.worker.guards import torch_backends
from fencerun.worker.guards.internals import loaded, table
from fencerun.worker.guards.probe import Probe, attribute, pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


#: Guards that hold until the process ends.
_ENDLESS: list[Any] = []


def probes(torch: Any) -> list[Probe]:
    """Every probe that this torch has the means for."""
    makers: tuple[Callable[[Any], list[Probe]], ...] = (
        _defaults, _function_modes, _dispatch_modes, _functorch, _autograd, _autocast,
        _saved_tensors, torch_backends.flags, torch_backends.precision, _hooks, _safety,
        _distributions, _logs, _last,
    )  # fmt: skip
    found: list[Probe] = []
    for make in makers:
        try:
            found += make(torch)
        except AttributeError:
            continue  # a version of torch without it
    return found


def _defaults(torch: Any) -> list[Probe]:
    options = torch._tensor_str.PRINT_OPTS

    def write_options(value: dict[str, Any]) -> None:
        vars(options).clear()
        vars(options).update(value)

    tiny = 2.2250738585072014e-308
    return [
        *pair(torch, "default dtype", "get_default_dtype", "set_default_dtype",
              "set_default_tensor_type"),
        *pair(torch, "number of threads", "get_num_threads", "set_num_threads"),
        *pair(torch, "warn always", "is_warn_always_enabled", "set_warn_always"),
        Probe("print options of torch", lambda: dict(vars(options)), write_options,
              "set_printoptions", by_key=True),
        # There is no getter: a product that would be denormal tells.
        Probe("flush denormal", lambda: tiny * 0.5 == 0.0, torch.set_flush_denormal,
              "set_flush_denormal"),
    ]  # fmt: skip


def _function_modes(torch: Any) -> list[Probe]:
    c = torch._C

    def read() -> list[Any]:
        return [c._get_function_stack_at(i) for i in range(c._len_torch_function_stack())]

    def write(value: list[Any]) -> None:
        # The default device is a mode on this stack too.
        while c._len_torch_function_stack() > len(value):
            torch.overrides._pop_mode()
        if not value:
            torch._GLOBAL_DEVICE_CONTEXT.device_context = None

    return [Probe("torch function modes (default device)", read, write, "set_default_device",
                  "__enter__", "enter_context", "_push_mode")]  # fmt: skip


def _dispatch_modes(torch: Any) -> list[Probe]:
    c, dispatch = torch._C, torch.utils._python_dispatch

    def write(depth: int) -> None:
        while c._len_torch_dispatch_stack() > depth:
            if dispatch._get_current_dispatch_mode() is None:
                break
            before = c._len_torch_dispatch_stack()
            dispatch._pop_mode()
            if c._len_torch_dispatch_stack() == before:
                break
        for key in c._TorchDispatchModeKey.__members__.values():
            if c._len_torch_dispatch_stack() > depth and c._get_dispatch_mode(key) is not None:
                c._unset_dispatch_mode(key)

    return [Probe("depth of torch dispatch modes", c._len_torch_dispatch_stack, write,
                  "__enter__", "enter_context", "_push_mode", "FakeTensorMode")]  # fmt: skip


def _functorch(torch: Any) -> list[Probe]:
    functorch = torch._C._functorch
    return [
        Probe(
            "depth of functorch transforms",
            functorch.get_dynamic_layer_stack_depth,
            functorch.pop_dynamic_layer_stack_and_undo_to_depth,
            "_grad_increment_nesting", "_vmap_increment_nesting", "_jvp_increment_nesting",
        )
    ]  # fmt: skip


def _autograd(torch: Any) -> list[Probe]:
    c, forward = torch._C, torch.autograd.forward_ad

    def leave_levels(level: int) -> None:
        for inner in range(forward._current_level, level, -1):
            forward.exit_dual_level(level=inner)

    def inference(enabled: bool) -> None:
        # There is no setter, only a guard, which undoes itself when it goes.
        guard = torch.inference_mode(enabled)
        guard.__enter__()
        _ENDLESS.append(guard)

    return [
        Probe("inference mode", torch.is_inference_mode_enabled, inference, "inference_mode"),
        Probe("grad mode", torch.is_grad_enabled, c._set_grad_enabled, "set_grad_enabled",
              "no_grad", "enable_grad"),
        Probe("forward-mode AD level", lambda: forward._current_level, leave_levels,
              "enter_dual_level", "dual_level"),
        Probe("anomaly mode",
              lambda: (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()),
              lambda value: torch.set_anomaly_enabled(*value), "set_detect_anomaly",
              "detect_anomaly", "set_anomaly_enabled"),
        *pair(c, "multithreaded backward", "_is_multithreading_enabled",
              "_set_multithreading_enabled", "set_multithreading_enabled"),
        *pair(c, "view replay", "_is_view_replay_enabled", "_set_view_replay_enabled"),
        *pair(c, "forward-mode AD", "_is_fwd_grad_enabled", "_set_fwd_grad_enabled"),
        *pair(c, "autograd fallback mode", "_get_autograd_fallback_mode",
              "_set_autograd_fallback_mode"),
    ]  # fmt: skip


def _autocast(torch: Any) -> list[Probe]:
    devices = ("cpu", "cuda")

    def read() -> tuple[Any, ...]:
        states = [(torch.is_autocast_enabled(d), torch.get_autocast_dtype(d)) for d in devices]
        return (*states, torch.is_autocast_cache_enabled())

    def write(value: tuple[Any, ...]) -> None:
        for device, (enabled, dtype) in zip(devices, value):  # noqa: B905
            torch.set_autocast_enabled(device, enabled)
            torch.set_autocast_dtype(device, dtype)
        torch.set_autocast_cache_enabled(value[-1])
        while torch.autocast_decrement_nesting() > 0:
            pass
        # At nesting 0 the decrement goes below; autocast clears its cache only at exactly 0.
        while torch.autocast_increment_nesting() < 1:
            pass
        torch.autocast_decrement_nesting()
        torch.clear_autocast_cache()

    return [Probe("autocast", read, write, "autocast", "set_autocast_enabled",
                  "set_autocast_dtype")]  # fmt: skip


def _saved_tensors(torch: Any) -> list[Probe]:
    c = torch._C._autograd

    def pop_hooks(value: Any) -> None:
        for _ in range(1000):
            if c._top_saved_tensors_default_hooks(True) == value:
                break
            c._pop_saved_tensors_default_hooks()

    def write_disabled(message: str | None) -> None:
        if message is None:
            c._saved_tensors_hooks_enable()
        else:
            c._saved_tensors_hooks_disable(message)

    return [
        Probe("saved-tensor hooks", lambda: c._top_saved_tensors_default_hooks(True), pop_hooks,
              "saved_tensors_hooks", "save_on_cpu"),
        Probe("saved-tensor hooks disabled", c._saved_tensors_hooks_get_disabled_error_message,
              write_disabled, "disable_saved_tensors_hooks", "_saved_tensors_hooks_disable"),
    ]  # fmt: skip


def _hooks(torch: Any) -> list[Probe]:
    modules = torch.nn.modules.module
    names = [name for name in vars(modules) if name.startswith("_global_") and "hooks" in name]
    found: list[Probe] = []
    for name in names:
        live = getattr(modules, name)
        if isinstance(live, dict):
            found.append(_mapping(f"torch.nn: {name.strip('_').replace('_', ' ')}", live,
                                  "register_module_" + name[len("_global_"):-1]))  # fmt: skip
    found += attribute(modules, "torch.nn: kind of global backward hooks",
                       "_global_is_full_backward_hook")  # fmt: skip
    # `torch.optim` hides the module behind a name of its own.
    optimizer = loaded("torch.optim.optimizer")
    for kind in ("pre", "post"):
        live = getattr(optimizer, f"_global_optimizer_{kind}_hooks", None)
        if isinstance(live, dict):
            found.append(_mapping(f"torch.optim: global {kind} hooks", live,
                                  f"register_optimizer_step_{kind}_hook"))  # fmt: skip
    return found


def _mapping(name: str, live: dict[Any, Any], *words: str) -> Probe:
    def write(value: dict[Any, Any]) -> None:
        live.clear()
        live.update(value)

    return Probe(name, lambda: dict(live), write, *words)


def _safety(torch: Any) -> list[Probe]:
    unpickler = loaded("torch._weights_only_unpickler")
    return [
        *attribute(unpickler, "safe globals of torch.load", "_marked_safe_globals_set",
                   "add_safe_globals", "clear_safe_globals"),
        *pair(torch.multiprocessing, "sharing strategy", "get_sharing_strategy",
              "set_sharing_strategy"),
        *attribute(torch.__future__, "torch.__future__: overwrite on conversion",
                   "_overwrite_module_params_on_conversion",
                   "set_overwrite_module_params_on_conversion"),
        *attribute(torch.__future__, "torch.__future__: swap on conversion",
                   "_swap_module_params_on_conversion",
                   "set_swap_module_params_on_conversion"),
    ]  # fmt: skip


def _distributions(torch: Any) -> list[Probe]:
    # The first torch.compile switches it off for the process, see `dynamo`.
    kind = torch.distributions.Distribution
    return [Probe("validation of torch.distributions arguments", lambda: kind._validate_args,
                  kind.set_default_validate_args, "set_default_validate_args", "_validate_args",
                  quiet=True)]  # fmt: skip


def _logs(torch: Any) -> list[Probe]:
    internal = loaded("torch._logging._internal")
    state = internal.log_state

    def read() -> tuple[dict[str, Any], set[str]]:
        return dict(state.log_qname_to_level), set(state.artifact_names)

    def write(value: tuple[dict[str, Any], set[str]]) -> None:
        state.clear()
        state.log_qname_to_level.update(value[0])
        state.artifact_names.update(value[1])
        internal._init_logs()

    return [Probe("torch logs", read, write, "set_logs", "TORCH_LOGS")]


def _last(torch: Any) -> list[Probe]:
    """What has no way back, and a catch-all that must come after everything else is restored."""
    c = torch._C
    name = getattr(c, "_get_privateuse1_backend_name", None)
    state = getattr(c, "_get_torch_function_state", None)
    setter = table("torch._C", "_set_torch_function_state", default=None)
    found = [Probe("name of the PrivateUse1 backend", name, None,
                   "rename_privateuse1_backend")] if name else []  # fmt: skip
    if state:
        found.append(Probe("torch function state", state, setter, "DisableTorchFunction",
                           "DisableTorchFunctionSubclass"))  # fmt: skip
    profiling = getattr(c._autograd, "_profiler_enabled", None)
    if profiling is not None:
        found.append(Probe("profiler running", profiling, None, "profile", "start"))
    found.append(Probe(
        "dispatch keys of the thread",
        lambda: (c._dispatch_tls_local_include_set().raw_repr(),
                 c._dispatch_tls_local_exclude_set().raw_repr()),
        None, "_ExcludeDispatchKeyGuard", "_IncludeDispatchKeyGuard", "__enter__",
    ))  # fmt: skip
    return found
