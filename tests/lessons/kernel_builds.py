"""Compiles every kernel of lesson 25 for an H200, on a machine without one; a script.

Prints JSON: for each build the bytes of shared memory that a program needs, and whether it uses
the tensor cores.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

kernels = importlib.import_module("m25.triton_kernels")
cross_compile = importlib.import_module("m25.cross_compile")


def build(name: str, dtype: str, sizes: dict[str, Any], **options: int) -> dict[str, Any]:
    """What is worth knowing of a build of the kernel called `name`_kernel."""
    made = cross_compile.compiled(getattr(kernels, f"{name}_kernel"), dtype, sizes, **options)
    return {"shared": made.metadata.shared, "tensor cores": "wgmma" in made.asm["ptx"]}


def tuned(name: str, config: Any, **sizes: Any) -> dict[str, Any]:
    """A build as one of the autotuner's choices has it."""
    options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
    return build(name, "fp16", {**config.kwargs, **sizes}, **options)


def attention(dtype: str, head: int) -> dict[str, dict[str, Any]]:
    """The four steps of attention, as they run when nothing is tuned."""
    plain = dict(kernels.ATTENTION_PLAIN)
    options = {name: plain.pop(name) for name in ("num_warps", "num_stages")}
    sizes = {**plain, "D": head, "CAUSAL": True}
    steps = ("attention", "attention_dkdv", "attention_dq")
    delta = build("attention_delta", dtype, {"D": head, "BLOCK_M": 64})
    return {
        f"attention_delta {dtype} {head}": delta,
        **{f"{step} {dtype} {head}": build(step, dtype, sizes, **options) for step in steps},
    }


def builds() -> dict[str, dict[str, Any]]:
    """Every kernel at the sizes at which the lesson runs it, by name."""
    row_major = {"stride_ak": 1, "stride_bn": 1}
    streamed = {"BLOCK": 16384, "STAGES": 3}
    parts = {"BLOCK": 8192, "GROUPS": 256}
    return {
        "add": build("add", "fp32", {"BLOCK": 1024}),
        "softmax": build("softmax", "fp32", {"BLOCK": 16384}, num_warps=16),
        "softmax_persistent": build("softmax_persistent", "fp32", streamed, num_warps=16),
        "softmax_online": build("softmax_online", "fp32", {"BLOCK": 8192}, num_warps=16),
        "matmul, largest": tuned("matmul", kernels.MATMUL_CONFIGS[0], **row_major),
        "matmul, smallest": tuned("matmul", kernels.MATMUL_CONFIGS[-1], **row_major),
        "dropout": build("dropout", "fp32", {"BLOCK": 1024}),
        "layer_norm": build("layer_norm", "fp16", {"BLOCK": 8192}, num_warps=16),
        "layer_norm_dx": build("layer_norm_dx", "fp16", parts, num_warps=16),
        "layer_norm_sum": build("layer_norm_sum", "fp16", {"BLOCK_M": 32, "BLOCK_N": 64}),
        "attention, tuned": tuned("attention", kernels.ATTENTION_CONFIGS[0], D=64, CAUSAL=False),
        **attention("fp16", 64),
        **attention("fp32", 128),
    }


if __name__ == "__main__":
    print(json.dumps(builds()))
