"""Own kernels for Triton's six tutorials: add, softmax, matmul, dropout, layer norm, attention.

A kernel comes first, then the function that allocates and launches it. With `TRITON_INTERPRET=1`
in the environment when Triton is first imported, the same kernels run in its interpreter, on CPU
tensors. Offsets are 32-bit and rows contiguous; `flat` sees to both. Nothing here measures.
"""

# Sizes that are compiled in are written in capitals, as in Triton's own documentation.
# ruff: noqa: N803, N806

import math
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


def flat(*tensors: Tensor) -> list[Tensor]:
    """The tensors as a kernel may address them: contiguous, each of fewer than 2**31 elements."""
    if any(tensor.numel() >= 2**31 for tensor in tensors):
        raise ValueError("these kernels count elements in 32 bits")
    return [tensor.contiguous() for tensor in tensors]


def warps(block: int) -> int:
    """Warps (of 32 threads) for one row of `block` elements, so that each thread holds few."""
    return min(16, max(4, block // 512))


# 01 vector add


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    y = tl.load(y_ptr + at, mask=inside)
    tl.store(out_ptr + at, x + y, mask=inside)


def add(x: Tensor, y: Tensor, block: int = 1024) -> Tensor:
    """`x + y` for two tensors of one shape; `block` elements for each program."""
    if x.shape != y.shape:
        raise ValueError(f"shapes differ: {tuple(x.shape)} and {tuple(y.shape)}")
    x, y = flat(x, y)
    out = torch.empty_like(x)
    n = out.numel()
    add_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=block)
    return out


# 02 softmax of each row of a matrix


@triton.jit
def softmax_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=inside, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * n_cols + cols, e / tl.sum(e, axis=0), mask=inside)


def softmax(x: Tensor, block: int | None = None) -> Tensor:
    """Softmax of each row, a whole row in one block: one read, one write."""
    (x,) = flat(x)
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    block = block or triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](x, out, n_cols, BLOCK=block, num_warps=warps(block))
    return out


@triton.jit
def softmax_persistent_kernel(
    x_ptr, out_ptr, n_rows, n_cols, BLOCK: tl.constexpr, STAGES: tl.constexpr
):
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    # A program stays and takes every num_programs-th row; with stages, it loads the next meanwhile.
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0), num_stages=STAGES):
        x = tl.load(x_ptr + row * n_cols + cols, mask=inside, other=-float("inf")).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * n_cols + cols, e / tl.sum(e, axis=0), mask=inside)


def softmax_persistent(x: Tensor, programs: int | None = None, stages: int | None = None) -> Tensor:
    """As `softmax`, with a fixed number of programs: by default three for each multiprocessor."""
    (x,) = flat(x)
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    programs = programs or 3 * multiprocessors(x)
    block = triton.next_power_of_2(n_cols)
    # Rows that are loaded ahead wait in shared memory, of which there are some 200 KiB.
    stages = stages or (3 if block * x.element_size() <= 65536 else 1)
    softmax_persistent_kernel[(min(programs, n_rows),)](
        x, out, n_rows, n_cols, BLOCK=block, STAGES=stages, num_warps=warps(block)
    )
    return out


def multiprocessors(x: Tensor) -> int:
    """How many multiprocessors the tensor's device has; 1 on a CPU."""
    return torch.cuda.get_device_properties(x.device).multi_processor_count if x.is_cuda else 1


@triton.jit
def softmax_online_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = -float("inf")
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        inside = cols < n_cols
        x = tl.load(x_ptr + row * n_cols + cols, mask=inside, other=-float("inf")).to(tl.float32)
        new_top = tl.maximum(top, tl.max(x, axis=0))
        # Nothing but -inf so far: measured from 0, since -inf minus -inf is not a number.
        origin = tl.where(new_top == -float("inf"), 0.0, new_top)
        total = total * tl.exp(top - origin) + tl.sum(tl.exp(x - origin), axis=0)
        top = new_top
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        inside = cols < n_cols
        x = tl.load(x_ptr + row * n_cols + cols, mask=inside, other=-float("inf")).to(tl.float32)
        tl.store(out_ptr + row * n_cols + cols, tl.exp(x - top) / total, mask=inside)


def softmax_online(x: Tensor, block: int = 8192) -> Tensor:
    """Softmax of rows of any length, streamed in blocks: two reads, one write."""
    (x,) = flat(x)
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    softmax_online_kernel[(n_rows,)](x, out, n_cols, BLOCK=block, num_warps=warps(block))
    return out


# 03 matrix product


@triton.jit
def grouped_tile(pid, tiles_m, tiles_n, GROUP: tl.constexpr):
    """Which tile of C a program makes: GROUP rows of tiles at a time, column by column.

    Programs that run together then need few different rows of A and columns of B, and find them
    in the L2 cache.
    """
    in_group = GROUP * tiles_n
    first_m = pid // in_group * GROUP
    height = min(tiles_m - first_m, GROUP)
    return first_m + pid % in_group % height, pid % in_group // height


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    tile_m, tile_n = grouped_tile(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    # Rows and columns past the edge wrap around: loaded unmasked, never stored.
    a = a_ptr + (rows % M)[:, None] * stride_am + inner[None, :] * stride_ak
    b = b_ptr + inner[:, None] * stride_bk + (cols % N)[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        a_tile = tl.load(a, mask=inner[None, :] < left, other=0.0)
        b_tile = tl.load(b, mask=inner[:, None] < left, other=0.0)
        acc = tl.dot(a_tile, b_tile, acc)
        a += BLOCK_K * stride_ak
        b += BLOCK_K * stride_bk
    c = c_ptr + rows[:, None] * N + cols[None, :]
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=inside)


def tiles(m: int, n: int, k: int, num_warps: int, num_stages: int, group: int = 8) -> triton.Config:
    """One way to cut a matrix product into tiles, for the autotuner."""
    blocks = {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP": group}
    return triton.Config(blocks, num_warps=num_warps, num_stages=num_stages)


MATMUL_CONFIGS = [
    tiles(128, 256, 64, num_warps=8, num_stages=4),
    tiles(128, 256, 64, num_warps=8, num_stages=3),
    tiles(128, 128, 64, num_warps=8, num_stages=4),
    tiles(64, 128, 64, num_warps=4, num_stages=4),
    tiles(64, 64, 64, num_warps=4, num_stages=4),
]
matmul_tuned = triton.autotune(MATMUL_CONFIGS, key=["M", "N", "K"])(matmul_kernel)


def matmul(a: Tensor, b: Tensor, **meta: int) -> Tensor:
    """`a @ b`, accumulated in float32 (float32 inputs are multiplied as TF32 on a GPU).

    On a GPU the autotuner picks the tiles; with `meta` (BLOCK_M, num_warps, …) they are as given.
    """
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"cannot multiply {tuple(a.shape)} by {tuple(b.shape)}")
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    kernel, chosen = matmul_tuned, {}
    if meta or not a.is_cuda:
        kernel, chosen = matmul_kernel, {**MATMUL_CONFIGS[-1].kwargs, **meta}
    kernel[lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)](
        a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), **chosen
    )
    return c


# 04 dropout whose mask is a function of the seed


@triton.jit(do_not_specialize=["seed"])
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    keep = tl.rand(seed, at) >= p
    tl.store(out_ptr + at, tl.where(keep, x / (1 - p), 0.0), mask=inside)


class Dropout(torch.autograd.Function):
    """Dropout that saves a seed instead of a mask, and makes the mask again in backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, p: float, seed: int, block: int) -> Tensor:
        ctx.p, ctx.seed, ctx.block = p, seed, block
        (x,) = flat(x)
        out = torch.empty_like(x)
        n = x.numel()
        dropout_kernel[(triton.cdiv(n, block),)](x, out, n, p, seed, BLOCK=block)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None]:
        return Dropout.apply(grad, ctx.p, ctx.seed, ctx.block), None, None, None


def dropout(x: Tensor, p: float, seed: int, block: int = 1024) -> Tensor:
    """Zero each element with probability `p` (0 ≤ p < 1), the others scaled by 1/(1 - p)."""
    return Dropout.apply(x, p, seed, block)


# 05 layer norm over the last dimension


@triton.jit
def layer_norm_kernel(
    x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, n_cols, eps, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n_cols
    centred = tl.where(inside, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n_cols + eps)
    w = tl.load(w_ptr + cols, mask=inside).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=inside).to(tl.float32)
    tl.store(y_ptr + row * n_cols + cols, centred * rstd * w + b, mask=inside)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)


@triton.jit
def layer_norm_dx_kernel(
    x_ptr, w_ptr, dy_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, db_ptr, lock_ptr, n_cols,
    GROUPS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=inside, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + row * n_cols + cols, mask=inside, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=inside, other=0.0).to(tl.float32)
    rstd = tl.load(rstd_ptr + row)
    x_hat = tl.where(inside, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
    wdy = w * dy
    along = tl.sum(x_hat * wdy, axis=0) / n_cols
    shift = tl.sum(wdy, axis=0) / n_cols
    tl.store(dx_ptr + row * n_cols + cols, (wdy - x_hat * along - shift) * rstd, mask=inside)

    # Every row adds to dw and db. GROUPS buffers share the rows among them; a lock guards each.
    group = row % GROUPS
    lock = lock_ptr + group
    used = lock_ptr + GROUPS + group
    dw = dy * x_hat
    db = dy
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(used) == 0:  # the first to come overwrites what the allocation left there
        tl.atomic_xchg(used, 1)
    else:
        dw += tl.load(dw_ptr + group * n_cols + cols, mask=inside)
        db += tl.load(db_ptr + group * n_cols + cols, mask=inside)
    tl.store(dw_ptr + group * n_cols + cols, dw, mask=inside)
    tl.store(db_ptr + group * n_cols + cols, db, mask=inside)
    tl.debug_barrier()  # all threads of the program have stored before one of them unlocks
    tl.atomic_xchg(lock, 0)


@triton.jit
def layer_norm_sum_kernel(
    part_dw_ptr, part_db_ptr, dw_ptr, db_ptr, n_parts, n_cols,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    dw = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    db = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_parts, BLOCK_M):
        parts = start + tl.arange(0, BLOCK_M)
        inside = (parts[:, None] < n_parts) & (cols[None, :] < n_cols)
        at = parts[:, None] * n_cols + cols[None, :]
        dw += tl.load(part_dw_ptr + at, mask=inside, other=0.0)
        db += tl.load(part_db_ptr + at, mask=inside, other=0.0)
    tl.store(dw_ptr + cols, tl.sum(dw, axis=0), mask=cols < n_cols)
    tl.store(db_ptr + cols, tl.sum(db, axis=0), mask=cols < n_cols)


def layer_norm_forward(
    x: Tensor, w: Tensor, b: Tensor, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """The normalised matrix, with the mean and the reciprocal deviation of each row."""
    x, w, b = flat(x, w, b)
    n_rows, n_cols = x.shape
    if n_cols * x.element_size() > 65536:
        raise ValueError("a row of more than 64 KiB does not fit into one block")
    y = torch.empty_like(x)
    mean, rstd = torch.empty((2, n_rows), device=x.device)
    block = triton.next_power_of_2(n_cols)
    layer_norm_kernel[(n_rows,)](
        x, w, b, y, mean, rstd, n_cols, eps, BLOCK=block, num_warps=warps(block)
    )
    return y, mean, rstd


def layer_norm_backward(
    dy: Tensor, x: Tensor, w: Tensor, mean: Tensor, rstd: Tensor, groups: int = 256
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of x, weight and bias; the last two summed over `groups` partial sums."""
    dy, x, w = flat(dy, x, w)
    n_rows, n_cols = x.shape
    dx, dw, db = torch.empty_like(x), torch.empty_like(w), torch.empty_like(w)
    part_dw, part_db = torch.empty((2, groups, n_cols), device=x.device)
    locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
    block = triton.next_power_of_2(n_cols)
    layer_norm_dx_kernel[(n_rows,)](
        x, w, dy, mean, rstd, dx, part_dw, part_db, locks, n_cols,
        GROUPS=groups, BLOCK=block, num_warps=warps(block),
    )  # fmt: skip
    layer_norm_sum_kernel[(triton.cdiv(n_cols, 64),)](
        part_dw, part_db, dw, db, min(groups, n_rows), n_cols, BLOCK_M=32, BLOCK_N=64
    )
    return dx, dw, db


class LayerNorm(torch.autograd.Function):
    """Layer norm of a matrix; what it saves beside its inputs is two floats a row."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor, b: Tensor, eps: float, groups: int) -> Tensor:
        y, mean, rstd = layer_norm_forward(x, w, b, eps)
        ctx.save_for_backward(x, w, mean, rstd)
        ctx.groups = groups
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        return *layer_norm_backward(dy, *ctx.saved_tensors, groups=ctx.groups), None, None


def layer_norm(x: Tensor, w: Tensor, b: Tensor, eps: float = 1e-5, groups: int = 256) -> Tensor:
    """Layer norm over the columns of a matrix, differentiable."""
    return LayerNorm.apply(x, w, b, eps, groups)


# 06 attention


@triton.jit
def attend(
    q, k_ptr, v_ptr, acc, total, top, rows, first, last, scale, T,
    D: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Feeds the keys and values from `first` to `last` to the online softmax of a block of rows.

    `scale` includes log2(e), so that powers of two, which the hardware has, do for those of e.
    """
    dims = tl.arange(0, D)
    for start in range(first, last, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + cols[None, :] * D + dims[:, None], mask=cols[None, :] < T, other=0.0)
        scores = tl.dot(q, k)
        if MASKED:
            seen = cols[None, :] < T
            if CAUSAL:
                seen = seen & (cols[None, :] <= rows[:, None])
            scores = tl.where(seen, scores, -float("inf"))
        new_top = tl.maximum(top, tl.max(scores, axis=1) * scale)
        p = tl.exp2(scores * scale - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        total = total * shrink + tl.sum(p, axis=1)
        v = tl.load(v_ptr + cols[:, None] * D + dims[None, :], mask=cols[:, None] < T, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        top = new_top
    return acc, total, top


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, scale, T,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    # Under a causal mask later rows have more to do: they start first, short ones fill the gaps.
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    start = head * T * D
    at = start + rows[:, None] * D + tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + at, mask=rows[:, None] < T, other=0.0)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    top = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    # Up to `whole` every row sees every column; from there to `last` a mask is needed.
    whole = T // BLOCK_N * BLOCK_N
    last = T
    if CAUSAL:
        whole = block * BLOCK_M // BLOCK_N * BLOCK_N
        last = tl.minimum(T, (block + 1) * BLOCK_M)
    acc, total, top = attend(
        q, k_ptr + start, v_ptr + start, acc, total, top, rows, 0, whole, scale, T,
        D, BLOCK_N, CAUSAL, False,
    )  # fmt: skip
    acc, total, top = attend(
        q, k_ptr + start, v_ptr + start, acc, total, top, rows, whole, last, scale, T,
        D, BLOCK_N, CAUSAL, True,
    )  # fmt: skip
    out = acc / total[:, None]
    tl.store(out_ptr + at, out.to(out_ptr.dtype.element_ty), mask=rows[:, None] < T)
    ln_2 = 0.6931471805599453
    tl.store(lse_ptr + head * T + rows, top * ln_2 + tl.log(total), mask=rows < T)


@triton.jit
def attention_delta_kernel(
    out_ptr, dout_ptr, delta_ptr, n_rows, D: tl.constexpr, BLOCK_M: tl.constexpr
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    at = rows[:, None] * D + tl.arange(0, D)[None, :]
    out = tl.load(out_ptr + at, mask=rows[:, None] < n_rows, other=0.0).to(tl.float32)
    dout = tl.load(dout_ptr + at, mask=rows[:, None] < n_rows, other=0.0).to(tl.float32)
    tl.store(delta_ptr + rows, tl.sum(out * dout, axis=1), mask=rows < n_rows)


@triton.jit
def attention_dkdv_kernel(
    q_ptr, k_ptr, v_ptr, dout_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr, scale, T,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """One block of keys and values, against all rows that see it."""
    block = tl.program_id(0)
    head = tl.program_id(1)
    dims = tl.arange(0, D)
    cols = block * BLOCK_N + tl.arange(0, BLOCK_N)
    at = head * T * D + cols[:, None] * D + dims[None, :]
    k = tl.load(k_ptr + at, mask=cols[:, None] < T, other=0.0)
    v = tl.load(v_ptr + at, mask=cols[:, None] < T, other=0.0)
    dk = tl.zeros((BLOCK_N, D), dtype=tl.float32)
    dv = tl.zeros((BLOCK_N, D), dtype=tl.float32)
    first = 0
    if CAUSAL:
        first = block * BLOCK_N // BLOCK_M * BLOCK_M
    for start in range(first, T, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        # Rows past the end are zeros, lse and delta too: what they add to dk and dv is zero.
        row_at = head * T * D + rows[:, None] * D + dims[None, :]
        q = tl.load(q_ptr + row_at, mask=rows[:, None] < T, other=0.0)
        dout = tl.load(dout_ptr + row_at, mask=rows[:, None] < T, other=0.0)
        lse = tl.load(lse_ptr + head * T + rows, mask=rows < T, other=0.0)
        delta = tl.load(delta_ptr + head * T + rows, mask=rows < T, other=0.0)
        # The weights, recomputed and transposed: keys down, rows across.
        p = tl.exp(tl.dot(k, tl.trans(q)) * scale - lse[None, :])
        if CAUSAL:
            p = tl.where(cols[:, None] <= rows[None, :], p, 0.0)
        dv = tl.dot(p.to(dout.dtype), dout, dv)
        ds = p * (tl.dot(v, tl.trans(dout)) - delta[None, :])
        dk = tl.dot(ds.to(q.dtype), q, dk)
    tl.store(dk_ptr + at, (dk * scale).to(dk_ptr.dtype.element_ty), mask=cols[:, None] < T)
    tl.store(dv_ptr + at, dv.to(dv_ptr.dtype.element_ty), mask=cols[:, None] < T)


@triton.jit
def attention_dq_kernel(
    q_ptr, k_ptr, v_ptr, dout_ptr, lse_ptr, delta_ptr, dq_ptr, scale, T,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """One block of rows, against all keys and values that it sees."""
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1)
    dims = tl.arange(0, D)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    at = head * T * D + rows[:, None] * D + dims[None, :]
    q = tl.load(q_ptr + at, mask=rows[:, None] < T, other=0.0)
    dout = tl.load(dout_ptr + at, mask=rows[:, None] < T, other=0.0)
    lse = tl.load(lse_ptr + head * T + rows, mask=rows < T, other=0.0)
    delta = tl.load(delta_ptr + head * T + rows, mask=rows < T, other=0.0)
    dq = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    last = T
    if CAUSAL:
        last = tl.minimum(T, (block + 1) * BLOCK_M)
    for start in range(0, last, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        col_at = head * T * D + cols[:, None] * D + dims[None, :]
        k = tl.load(k_ptr + col_at, mask=cols[:, None] < T, other=0.0)
        v = tl.load(v_ptr + col_at, mask=cols[:, None] < T, other=0.0)
        seen = cols[None, :] < T
        if CAUSAL:
            seen = seen & (cols[None, :] <= rows[:, None])
        p = tl.exp(tl.dot(q, tl.trans(k)) * scale - lse[:, None])
        p = tl.where(seen, p, 0.0)
        ds = p * (tl.dot(dout, tl.trans(v)) - delta[:, None])
        dq = tl.dot(ds.to(k.dtype), k, dq)
    tl.store(dq_ptr + at, (dq * scale).to(dq_ptr.dtype.element_ty), mask=rows[:, None] < T)


def strips(m: int, n: int, num_warps: int, num_stages: int) -> triton.Config:
    """One choice of rows and columns for a step of attention, for the autotuner."""
    return triton.Config({"BLOCK_M": m, "BLOCK_N": n}, num_warps=num_warps, num_stages=num_stages)


ATTENTION_CONFIGS = [
    strips(128, 64, num_warps=8, num_stages=3),
    strips(128, 64, num_warps=4, num_stages=4),
    strips(64, 64, num_warps=4, num_stages=3),
]
ATTENTION_PLAIN = {"BLOCK_M": 64, "BLOCK_N": 64, "num_warps": 4, "num_stages": 3}
attention_tuned = triton.autotune(ATTENTION_CONFIGS, key=["T", "D", "CAUSAL"])(attention_kernel)


def attention_forward(
    q: Tensor, k: Tensor, v: Tensor, causal: bool = False, **meta: int
) -> tuple[Tensor, Tensor]:
    """Attention over (batch, heads, T, D), and the log-sum-exp of each row of scores.

    D is a power of two from 16 on. On a GPU the autotuner picks the blocks of 16-bit inputs; with
    `meta` they are as given.
    """
    q, k, v = flat(q, k, v)
    B, H, T, D = q.shape
    out = torch.empty_like(q)
    lse = torch.empty((B, H, T), device=q.device, dtype=torch.float32)
    kernel, chosen = attention_tuned, {}
    if meta or not q.is_cuda or q.element_size() != 2:
        kernel, chosen = attention_kernel, {**ATTENTION_PLAIN, **meta}
    kernel[lambda meta: (triton.cdiv(T, meta["BLOCK_M"]), B * H)](
        q, k, v, out, lse, math.log2(math.e) / math.sqrt(D), T, D=D, CAUSAL=causal, **chosen
    )
    return out, lse


def attention_backward(
    dout: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v. Two passes in place of atomic sums: bitwise repeatable."""
    dout, q, k, v, out = flat(dout, q, k, v, out)
    B, H, T, D = q.shape
    dq, dk, dv, delta = (torch.empty_like(like) for like in (q, k, v, lse))
    attention_delta_kernel[(triton.cdiv(B * H * T, 64),)](
        out, dout, delta, B * H * T, D=D, BLOCK_M=64
    )
    args = (q, k, v, dout, lse, delta)
    scale = 1 / math.sqrt(D)
    grid = (triton.cdiv(T, ATTENTION_PLAIN["BLOCK_M"]), B * H)
    attention_dkdv_kernel[grid](*args, dk, dv, scale, T, D=D, CAUSAL=causal, **ATTENTION_PLAIN)
    attention_dq_kernel[grid](*args, dq, scale, T, D=D, CAUSAL=causal, **ATTENTION_PLAIN)
    return dq, dk, dv


class Attention(torch.autograd.Function):
    """Attention that saves one number a row in place of the T × T weights."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
        out, lse = attention_forward(q, k, v, causal)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.causal = causal
        return out

    @staticmethod
    def backward(ctx: Any, dout: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        return *attention_backward(dout, *ctx.saved_tensors, causal=ctx.causal), None


def attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> Tensor:
    """Attention over (batch, heads, T, D), differentiable."""
    return Attention.apply(q, k, v, causal)
