"""Holds every kernel of lesson 25 against PyTorch; a script for Triton's interpreter.

Prints JSON: for each check its largest difference from PyTorch, relative to the largest expected
value, or the error that it raised. What must hold exactly counts as a difference of 0 or 1.
"""

from __future__ import annotations

import importlib
import json
import math
import traceback
from typing import Any

import torch
from torch.nn.functional import layer_norm, scaled_dot_product_attention

kernels = importlib.import_module("m25.triton_kernels")
rng = torch.Generator().manual_seed(0)


def drawn(*shape: int) -> Any:
    """Normal numbers, of which a gradient can be asked."""
    return torch.randn(*shape, generator=rng).requires_grad_()


def apart(found: Any, expected: Any) -> float:
    """The largest difference, relative to the largest expected value; inf where one is NaN.

    A value below 0.1 counts as 0.1: the gradients of a softmax of one element are exactly zero.
    """
    largest = expected.abs().max().clamp(min=0.1)
    difference = ((found - expected).abs().max() / largest).item()
    return math.inf if math.isnan(difference) else float(difference)


def unless(holds: bool) -> float:
    """Nothing apart if it holds."""
    return 0.0 if holds else 1.0


def gradients(function: Any, reference: Any, *inputs: Any) -> float:
    """How far apart two functions of the same inputs are, in value or in any gradient."""
    found, expected = function(*inputs), reference(*inputs)
    upstream = drawn(*expected.shape).detach()
    pairs = zip(
        torch.autograd.grad(found, inputs, upstream),
        torch.autograd.grad(expected, inputs, upstream),
        strict=True,
    )
    return max(apart(found, expected), *(apart(mine, theirs) for mine, theirs in pairs))


def softmaxes(x: Any) -> float:
    """The worst of the three softmax kernels; the online one with a ragged last block too."""
    x = x.detach()
    ways = [
        kernels.softmax(x),
        kernels.softmax_persistent(x, programs=3),
        kernels.softmax_online(x),
        kernels.softmax_online(x, block=32),
    ]
    return max(apart(way, x.softmax(1)) for way in ways)


def masked_start() -> float:
    """Rows whose first blocks are all -inf, and then one that is nothing else."""
    x = drawn(5, 100).detach()
    x[:, :70] = -math.inf
    found = kernels.softmax_online(x, block=32)
    x[:] = -math.inf
    nothing = kernels.softmax_online(x, block=32).isnan().all().item()
    x[:, 70:] = 0.0
    return max(apart(found.sum(1), torch.ones(5)), unless(bool(nothing)))


def products() -> float:
    """Ragged sizes, tiles that don't divide them, groups that don't either, strided inputs."""
    a, b = drawn(50, 70).detach(), drawn(70, 90).detach()
    small = {"BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 16, "GROUP": 3}
    strided = kernels.matmul(a.t().contiguous().t(), b.t().contiguous().t())
    ways = [kernels.matmul(a, b), kernels.matmul(a, b, **small), strided]
    return max(apart(way, a @ b) for way in ways)


def half_product() -> float:
    """16-bit inputs with a float32 accumulator: as near as their rounding lets it be."""
    a, b = drawn(40, 64).detach().half(), drawn(64, 24).detach().half()
    return apart(kernels.matmul(a, b).float(), a.float() @ b.float())


def every_tile_once() -> float:
    """The grouped order visits each tile of a ragged grid exactly once."""
    order = getattr(kernels.grouped_tile, "fn")  # noqa: B009
    seen = sorted(order(pid, 5, 4, 3) for pid in range(20))
    return unless(seen == [(m, n) for m in range(5) for n in range(4)])


def dropped() -> float:
    """The mask: of the seed alone, the same in backward, kept with probability 1 - p."""
    x = drawn(5001)
    out = kernels.dropout(x, 0.25, seed=7)
    (grad,) = torch.autograd.grad(out.sum(), x)
    kept = out != 0
    return max(
        unless(torch.equal(grad, kept / 0.75)),
        unless(torch.equal(out, kernels.dropout(x, 0.25, seed=7, block=128))),
        unless(not torch.equal(kept, kernels.dropout(x, 0.25, seed=8) != 0)),
        unless(abs(kept.float().mean().item() - 0.75) < 0.03),
        apart(out[kept], x[kept] / 0.75),
    )


def dropout_saves_nothing() -> float:
    """No tensor is kept for backward."""
    kept: list[Any] = []
    with torch.autograd.graph.saved_tensors_hooks(kept.append, lambda tensor: tensor):
        kernels.dropout(drawn(100), 0.5, seed=1)
    return float(len(kept))


def normed(groups: int) -> float:
    """Layer norm and its three gradients; more rows than groups, and fewer."""
    x, w, b = drawn(37, 200), drawn(200), drawn(200)
    return gradients(
        lambda x, w, b: kernels.layer_norm(x, w, b, groups=groups),
        lambda x, w, b: layer_norm(x, (200,), w, b),
        x, w, b,
    )  # fmt: skip


def attended(length: int, causal: bool) -> float:
    """Attention and its three gradients."""
    q, k, v = (drawn(1, 2, length, 16) for _ in range(3))
    return gradients(
        lambda q, k, v: kernels.attention(q, k, v, causal),
        lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=causal),
        q, k, v,
    )  # fmt: skip


def log_sum_exp() -> float:
    """What forward saves for backward, for blocks of several shapes."""
    q, k, v = (drawn(1, 2, 97, 16).detach() for _ in range(3))
    future = torch.ones(97, 97, dtype=torch.bool).triu(1)
    expected = (q @ k.mT / 4).masked_fill(future, -math.inf).logsumexp(-1)
    blocks = [(16, 16), (16, 64), (64, 16), (32, 128)]
    found = [kernels.attention_forward(q, k, v, True, BLOCK_M=m, BLOCK_N=n) for m, n in blocks]
    return max(apart(lse, expected) for _, lse in found)


def large_scores() -> float:
    """Scores of several hundred: nothing overflows into the result."""
    q, k, v = (20 * drawn(1, 1, 97, 16).detach() for _ in range(3))
    found, _ = kernels.attention_forward(q, k, v, True)
    return apart(found, scaled_dot_product_attention(q, k, v, is_causal=True))


CHECKS = {
    "add": lambda: apart(kernels.add(*(pair := drawn(2, 1000).detach())), pair.sum(0)),
    "add, strided": lambda: apart(
        kernels.add(*(pair := drawn(2, 301).detach()[:, ::3]), block=64), pair.sum(0)
    ),
    "softmax": lambda: softmaxes(drawn(7, 100)),
    "softmax, long rows": lambda: softmaxes(drawn(2, 1500)),
    "softmax, shifted": lambda: softmaxes(drawn(7, 100) + 1000),
    "softmax, masked start": masked_start,
    "matmul": products,
    "matmul, 16 bits": half_product,
    "matmul, every tile once": every_tile_once,
    "dropout": dropped,
    "dropout, saves nothing": dropout_saves_nothing,
    "layer norm, rows share groups": lambda: normed(8),
    "layer norm, spare groups": lambda: normed(64),
    "attention, causal": lambda: attended(97, True),
    "attention, full": lambda: attended(97, False),
    "attention, whole blocks": lambda: attended(128, True),
    "attention, one row": lambda: attended(1, True),
    "attention, log-sum-exp": log_sum_exp,
    "attention, large scores": large_scores,
}


def outcome(name: str) -> float | str:
    """How far apart a check found things, or the traceback of what it raised."""
    try:
        return CHECKS[name]()
    except Exception:
        return traceback.format_exc()


if __name__ == "__main__":
    print(json.dumps({name: outcome(name) for name in CHECKS}))
