"""Compiles a kernel of the lesson for a GPU that this machine need not have.

Knows how the lesson names arguments: `…_ptr` is a pointer, the rest are numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

#: Pointers to float32 whatever the inputs are: statistics, and sums that are not yet done.
FLOAT32 = {"mean_ptr", "rstd_ptr", "lse_ptr", "delta_ptr", "part_dw_ptr", "part_db_ptr"}
#: Numbers that are not whole.
FLOATS = {"p", "eps", "scale"}


def compiled(
    kernel: Any,
    dtype: str,
    sizes: Mapping[str, Any],
    arch: int = 90,
    aligned: bool = True,
    **options: int,
) -> Any:
    """The kernel for inputs of `dtype` ("fp16", "fp32"), with `sizes` compiled in.

    `aligned` promises the compiler pointers and sizes that are multiples of 16, as a launch does
    where it sees them. Options are `num_warps` and `num_stages`. Of what comes back, `asm["ptx"]`
    is the code and `metadata.shared` the bytes of shared memory for one program. `arch` 90 is an
    H100 or H200.
    """
    names = kernel.arg_names
    types = {name: _type(name, dtype, names) for name in names}
    source = ASTSource(
        kernel,
        {**types, **dict.fromkeys(sizes, "constexpr")},
        constexprs={(names.index(name),): value for name, value in sizes.items()},
        attrs={
            (at,): [["tt.divisibility", 16]]
            for at, name in enumerate(names)
            if aligned and name not in sizes and types[name] != "fp32"
        },
    )
    return triton.compile(source, target=GPUTarget("cuda", arch, 32), options=options)


def _type(name: str, dtype: str, names: list[str]) -> str:
    if not name.endswith("_ptr"):
        return "fp32" if name in FLOATS else "i32"
    if name == "lock_ptr":
        return "*i32"
    partial = name in {"dw_ptr", "db_ptr"} and "lock_ptr" in names
    return "*fp32" if partial or name in FLOAT32 else f"*{dtype}"
