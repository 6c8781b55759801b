"""Probes of torch's backends: which libraries and algorithms it uses, and how exactly.

Pairs of a getter and a setter, nearly all; one that this version of torch lacks is left out.
"""

from __future__ import annotations

from fencerun.worker.guards.probe import Probe, attribute, pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: (name, getter, setter, the word that code uses) of flags in ``torch._C``.
_FLAGS = (
    ("cudnn.enabled", "_get_cudnn_enabled", "_set_cudnn_enabled", "enabled"),
    ("cudnn.benchmark", "_get_cudnn_benchmark", "_set_cudnn_benchmark", "benchmark"),
    ("cudnn.deterministic", "_get_cudnn_deterministic", "_set_cudnn_deterministic",
     "deterministic"),
    ("cudnn.allow_tf32", "_get_cudnn_allow_tf32", "_set_cudnn_allow_tf32", "allow_tf32"),
    ("cuda.matmul.allow_tf32", "_get_cublas_allow_tf32", "_set_cublas_allow_tf32", "allow_tf32"),
    ("mkldnn.enabled", "_get_mkldnn_enabled", "_set_mkldnn_enabled", "enabled"),
    ("mkldnn.deterministic", "_get_mkldnn_deterministic", "_set_mkldnn_deterministic",
     "deterministic"),
    ("nnpack", "_get_nnpack_enabled", "_set_nnpack_enabled", "set_flags"),
    ("quantized.engine", "_get_qengine", "_set_qengine", "engine"),
    ("cuda.flash_sdp", "_get_flash_sdp_enabled", "_set_sdp_use_flash", "enable_flash_sdp"),
    ("cuda.math_sdp", "_get_math_sdp_enabled", "_set_sdp_use_math", "enable_math_sdp"),
    ("cuda.mem_efficient_sdp", "_get_mem_efficient_sdp_enabled", "_set_sdp_use_mem_efficient",
     "enable_mem_efficient_sdp"),
    ("cuda.cudnn_sdp", "_get_cudnn_sdp_enabled", "_set_sdp_use_cudnn", "enable_cudnn_sdp"),
    ("preferred linalg library", "_get_linalg_preferred_backend",
     "_set_linalg_preferred_backend", "preferred_linalg_library"),
    ("preferred BLAS library", "_get_blas_preferred_backend", "_set_blas_preferred_backend",
     "preferred_blas_library"),
    ("TorchScript optimisation", "_get_graph_executor_optimize",
     "_set_graph_executor_optimize", "optimized_execution"),
    ("TorchScript profiling executor", "_get_jit_profiling_executor",
     "_jit_set_profiling_executor", "_jit_set_profiling_executor"),
)  # fmt: skip


def flags(torch: Any) -> list[Probe]:
    """The flags of ``torch.backends`` and of deterministic algorithms."""
    found: list[Probe] = []
    for name, get, put, word in _FLAGS:
        found += pair(torch._C, f"torch.backends: {name}", get, put, word)
    # The first attention on an H100 or H200 puts cuDNN first, by a static initialiser.
    order = pair(torch._C, "torch.backends: sdp priority", "_get_sdp_priority_order",
                 "_set_sdp_priority_order", "sdpa_kernel")  # fmt: skip
    for probe in order:
        probe.once = True
    found += order
    for kind in ("fp16", "bf16"):
        word = f"allow_{kind}_reduced_precision_reduction"
        read = getattr(torch._C, f"_get_cublas_{word}", None)
        write = getattr(torch._C, f"_set_cublas_{word}", None)
        if read is not None and write is not None:
            found.append(_spread(f"torch.backends: cuda.matmul.{word}", read, write, word))
    mha = getattr(torch.backends, "mha", None)
    found += pair(mha, "torch.backends: mha fast path", "get_fastpath_enabled",
                  "set_fastpath_enabled")  # fmt: skip
    einsum = getattr(torch.backends, "opt_einsum", None)
    for field in ("enabled", "strategy"):
        found += attribute(einsum, f"torch.backends.opt_einsum.{field}", field)
    found += pair(torch, "deterministic algorithms", "get_deterministic_debug_mode",
                  "set_deterministic_debug_mode", "use_deterministic_algorithms")  # fmt: skip
    found += pair(torch._C, "fill of uninitialized memory",
                  "_get_deterministic_fill_uninitialized_memory",
                  "_set_deterministic_fill_uninitialized_memory",
                  "fill_uninitialized_memory")  # fmt: skip
    return found


def _spread(name: str, get: Callable[[], Any], put: Callable[..., Any], word: str) -> Probe:
    """A probe whose setter takes one argument for each part of what the getter gives."""

    def write(value: Any) -> None:
        put(*value) if isinstance(value, tuple) else put(value)

    return Probe(name, get, write, word)


_PRECISIONS = (
    ("generic", "all"), ("mkldnn", "all"), ("mkldnn", "matmul"), ("mkldnn", "conv"),
    ("mkldnn", "rnn"), ("cuda", "all"), ("cuda", "matmul"), ("cuda", "conv"), ("cuda", "rnn"),
)  # fmt: skip


def precision(torch: Any) -> list[Probe]:
    """How exact float32 products are; one setting moves several of these."""
    words = ("set_float32_matmul_precision", "fp32_precision", "allow_tf32")
    found = pair(torch, "float32 matmul precision", "get_float32_matmul_precision",
                 "set_float32_matmul_precision", *words)  # fmt: skip
    get = getattr(torch._C, "_get_fp32_precision_getter", None)
    put = getattr(torch._C, "_set_fp32_precision_setter", None)
    if get is None or put is None:
        return found

    def write(value: tuple[str, ...]) -> None:
        for (backend, operator), precision in zip(_PRECISIONS, value):  # noqa: B905
            put(backend, operator, precision)

    read = Probe("fp32 precision of backends", lambda: tuple(get(*one) for one in _PRECISIONS),
                 write, *words)  # fmt: skip
    return [*found, read]
