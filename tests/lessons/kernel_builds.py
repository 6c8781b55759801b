"""Compiles every kernel of lesson 25 for an H200 (sm_90), on a machine without one; a script.

Prints JSON: for each build the bytes of shared memory that a program needs, and whether it uses
the tensor cores.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

kernels = importlib.import_module("m25.triton_kernels")
H200 = GPUTarget("cuda", 90, 32)
#: Arguments that are float32 whatever the inputs are: statistics, and sums not yet done.
FLOAT32 = {"mean_ptr", "rstd_ptr", "lse_ptr", "delta_ptr", "part_dw_ptr", "part_db_ptr"}
FLOATS = {"p", "eps", "scale"}
#: Sizes that are said to be multiples of 16, as they mostly are: loads become wide.
SIXTEENS = {"n", "n_rows", "n_cols", "M", "N", "K", "T", "stride_am", "stride_bk"}


def build(kernel: Any, dtype: str, sizes: dict[str, Any], **options: int) -> dict[str, Any]:
    """Compiles a kernel for inputs of `dtype`, with `sizes` compiled in."""
    arguments = kernel.arg_names
    float32 = FLOAT32 | ({"dw_ptr", "db_ptr"} if "lock_ptr" in arguments else set())

    def type_of(name: str) -> str:
        if name in sizes:
            return "constexpr"
        if name.endswith("_ptr"):
            return "*i32" if name == "lock_ptr" else "*fp32" if name in float32 else f"*{dtype}"
        return "fp32" if name in FLOATS else "i32"

    source = ASTSource(
        kernel,
        {name: type_of(name) for name in arguments},
        constexprs={(arguments.index(name),): value for name, value in sizes.items()},
        attrs={
            (at,): [["tt.divisibility", 16]]
            for at, name in enumerate(arguments)
            if name not in sizes and (name.endswith("_ptr") or name in SIXTEENS)
        },
    )
    made = triton.compile(source, target=H200, options=options)
    return {"shared": made.metadata.shared, "tensor cores": "wgmma" in made.asm["ptx"]}


def configured(config: Any, **sizes: Any) -> dict[str, Any]:
    """What an autotuner's choice compiles in, and its options."""
    return {
        "sizes": {**config.kwargs, **sizes},
        "num_warps": config.num_warps,
        "num_stages": config.num_stages,
    }


def attention(dtype: str, head: int) -> dict[str, dict[str, Any]]:
    """The four steps of attention, as they run when nothing is tuned."""
    plain = dict(kernels.ATTENTION_PLAIN)
    options = {name: plain.pop(name) for name in ("num_warps", "num_stages")}
    sizes = {**plain, "D": head, "CAUSAL": True}
    steps = ("attention", "attention_dkdv", "attention_dq")
    delta = {"D": head, "BLOCK_M": 64}
    return {
        f"attention_delta {dtype} {head}": built("attention_delta", dtype, delta),
        **{f"{step} {dtype} {head}": built(step, dtype, sizes, **options) for step in steps},
    }


def built(name: str, dtype: str, sizes: dict[str, Any], **options: int) -> dict[str, Any]:
    """The build of the kernel called `name`_kernel."""
    return build(getattr(kernels, f"{name}_kernel"), dtype, sizes, **options)


def matmul(number: int) -> dict[str, Any]:
    """The matrix product as one of the autotuner's choices has it, of row-major matrices."""
    config = configured(kernels.MATMUL_CONFIGS[number], stride_ak=1, stride_bn=1)
    return built("matmul", "fp16", **config)


BUILDS = {
    "add": built("add", "fp32", {"BLOCK": 1024}),
    "softmax": built("softmax", "fp32", {"BLOCK": 16384}, num_warps=16),
    "softmax_persistent": built(
        "softmax_persistent", "fp32", {"BLOCK": 16384, "STAGES": 3}, num_warps=16
    ),
    "softmax_online": built("softmax_online", "fp32", {"BLOCK": 8192}, num_warps=16),
    "matmul, largest": matmul(0),
    "matmul, smallest": matmul(-1),
    "dropout": built("dropout", "fp32", {"BLOCK": 1024}),
    "layer_norm": built("layer_norm", "fp16", {"BLOCK": 8192}, num_warps=16),
    "layer_norm_dx": built("layer_norm_dx", "fp16", {"BLOCK": 8192, "GROUPS": 256}, num_warps=16),
    "layer_norm_sum": built("layer_norm_sum", "fp16", {"BLOCK_M": 32, "BLOCK_N": 64}),
    "attention, tuned": built(
        "attention", "fp16", **configured(kernels.ATTENTION_CONFIGS[0], D=64, CAUSAL=False)
    ),
    **attention("fp16", 64),
    **attention("fp32", 128),
}

if __name__ == "__main__":
    print(json.dumps(BUILDS))
