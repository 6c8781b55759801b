"""Lab 25: a fused bias and GELU as an operator, inside a compiled graph; attention by tiles.

`python lessons/m25/lab.py` prints the table of results. Importing it registers the operator
`pytc_lab25::fused_bias_gelu` and does nothing else; importing it again replaces the operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention
from torch.utils._python_dispatch import TorchDispatchMode

# (a) an operator that saves its inputs only


@torch.library.custom_op("pytc_lab25::fused_bias_gelu", mutates_args=())
def fused_bias_gelu(x: Tensor, bias: Tensor) -> Tensor:
    """The exact GELU of `x + bias`, with `bias` along the last dimension."""
    return composite(x, bias)


@fused_bias_gelu.register_fake
def _(x: Tensor, bias: Tensor) -> Tensor:
    return torch.empty_like(x)


def _keep_inputs(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    """With u = x + bias, gelu(u) = uΦ(u), whose derivative is Φ(u) + uφ(u)."""
    x, bias = ctx.saved_tensors
    u = x + bias
    cdf = 0.5 * (1 + torch.erf(u / math.sqrt(2)))
    density = torch.exp(-0.5 * u * u) / math.sqrt(2 * math.pi)
    grad_u = grad * (cdf + u * density)
    return grad_u, grad_u.sum_to_size(bias.shape)


fused_bias_gelu.register_autograd(_backward, setup_context=_keep_inputs)


def composite(x: Tensor, bias: Tensor) -> Tensor:
    """The same function, made of PyTorch's operations."""
    u = x + bias
    return 0.5 * u * (1 + torch.erf(u / math.sqrt(2)))


def saved_bytes(function: Callable[[Tensor, Tensor], Tensor]) -> int:
    """Bytes that autograd keeps for the backward pass of `function` on (64, 256) and (256,)."""
    sizes: list[int] = []

    def pack(tensor: Tensor) -> Tensor:
        sizes.append(tensor.numel() * tensor.element_size())
        return tensor

    x = torch.randn(64, 256, generator=_seeded()).requires_grad_()
    bias = torch.randn(256, generator=_seeded()).requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        function(x, bias)
    return sum(sizes)


def check_operator() -> tuple[dict[str, str], bool]:
    """What `opcheck` says of each of its tests, and whether `gradcheck` passes in float64."""
    rng = _seeded()
    x = torch.randn(4, 6, dtype=torch.float64, generator=rng).requires_grad_()
    bias = torch.randn(6, dtype=torch.float64, generator=rng).requires_grad_()
    report = torch.library.opcheck(fused_bias_gelu, (x, bias))
    return report, torch.autograd.gradcheck(fused_bias_gelu, (x, bias))


# (b) the operator in a compiled model


class MLP(nn.Module):
    """Linear → fused_bias_gelu → Linear."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(32, 64, bias=False)
        self.bias = nn.Parameter(torch.zeros(64))
        self.down = nn.Linear(64, 8)
        with torch.no_grad():
            rng = _seeded()
            for parameter in self.parameters():
                parameter.normal_(0, 0.2, generator=rng)

    def forward(self, x: Tensor) -> Tensor:
        """Of (n, 32) inputs, (n, 8) outputs."""
        return self.down(fused_bias_gelu(self.up(x), self.bias))


@dataclass(slots=True)
class CountingBackend:
    """Compiles as `aot_eager` does, and counts the operator in each graph that it is handed."""

    calls: list[int] = field(default_factory=list)

    def __call__(self, graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Callable[..., Any]:
        from torch._dynamo.backends.debugging import aot_eager

        targets = (str(node.target) for node in graph.graph.nodes)
        self.calls.append(sum("fused_bias_gelu" in target for target in targets))
        return aot_eager(graph, inputs)


def compile_mlp() -> tuple[list[int], float]:
    """The operator's calls in each graph of a compiled MLP, and its difference from eager."""
    with torch.random.fork_rng(devices=[]):
        model = MLP()
    x = torch.randn(5, 32, generator=_seeded())
    backend = CountingBackend()
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=backend, fullgraph=True)(x)
    torch._dynamo.reset()
    return backend.calls, (compiled - model(x)).abs().max().item()


# (c) attention by tiles


@dataclass(slots=True)
class Tiles:
    """How many tiles of scores were made."""

    made: int = 0


def tiled_attention(
    q: Tensor, k: Tensor, v: Tensor, block: int, causal: bool, tiles: Tiles | None = None
) -> Tensor:
    """Attention by online softmax over `block` × `block` tiles of scores, never all of them.

    Under the causal mask, tiles above the diagonal are skipped.
    """
    length, scale = q.shape[-2], 1 / math.sqrt(q.shape[-1])
    out = torch.empty_like(q)
    for first in range(0, length, block):
        rows = q[..., first : first + block, :]
        end = first + rows.shape[-2]
        top = rows.new_full((*rows.shape[:-1], 1), -math.inf)
        total, acc = torch.zeros_like(top), torch.zeros_like(rows)
        for start in range(0, end if causal else length, block):
            scores = scale * rows @ k[..., start : start + block, :].mT
            if tiles is not None:
                tiles.made += 1
            if causal and start + scores.shape[-1] > first:
                # Column 0 is never masked, so from the first tile on `top` is finite.
                scores = scores.masked_fill(_future(first, start, scores), -math.inf)
            new_top = torch.maximum(top, scores.amax(-1, keepdim=True))
            weights, shrink = torch.exp(scores - new_top), torch.exp(top - new_top)
            total = total * shrink + weights.sum(-1, keepdim=True)
            acc = acc * shrink + weights @ v[..., start : start + block, :]
            top = new_top
        out[..., first:end, :] = acc / total
    return out


def _future(first: int, start: int, scores: Tensor) -> Tensor:
    """True where a tile's column comes after its row."""
    rows = torch.arange(scores.shape[-2], device=scores.device)[:, None]
    cols = torch.arange(scores.shape[-1], device=scores.device)
    return start + cols > first + rows


class LargestTensor(TorchDispatchMode):
    """While it is entered, remembers the largest tensor that any operation returned."""

    def __init__(self) -> None:
        super().__init__()
        self.shape = torch.Size()
        self.elements = 0

    def __torch_dispatch__(
        self, func: Any, types: Iterable[type], args: Any = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(tensor, Tensor) and tensor.numel() > self.elements:
                self.shape, self.elements = tensor.shape, tensor.numel()
        return result


def heads(length: int) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of shape (2, 2, length, 16)."""
    q, k, v = torch.randn(3, 2, 2, length, 16, generator=_seeded())
    return q, k, v


@dataclass(frozen=True, slots=True)
class Attention:
    """What `measure_attention` found."""

    tiles: int
    largest: tuple[int, ...]
    difference: float


def measure_attention(block: int, causal: bool, length: int = 97) -> Attention:
    """Tiles made, shape of the largest tensor made, and the largest difference from SDPA."""
    q, k, v = heads(length)
    tiles = Tiles()
    with LargestTensor() as largest:
        out = tiled_attention(q, k, v, block, causal, tiles)
    expected = scaled_dot_product_attention(q, k, v, is_causal=causal)
    difference = (out - expected).abs().max().item()
    return Attention(tiles.made, tuple(largest.shape), difference)


def _seeded() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def results() -> list[tuple[str, str]]:
    """The lab's table: what was measured, and what came out."""
    report, gradients = check_operator()
    passed = sum(result == "SUCCESS" for result in report.values())
    calls, difference = compile_mlp()
    causal, full = (measure_attention(16, causal) for causal in (True, False))
    paths = {
        "composite": composite,
        "`fused_bias_gelu`": fused_bias_gelu,
        "`F.gelu(x + bias)`": lambda x, bias: gelu(x + bias),
    }
    return [
        ("(a) opcheck", f"{passed} of {len(report)} tests"),
        ("(a) gradcheck in float64", "passed" if gradients else "failed"),
        *((f"(a) saved bytes, {name}", f"{saved_bytes(path):,}") for name, path in paths.items()),
        ("(b) graphs", f"{len(calls)}"),
        ("(b) `fused_bias_gelu` in them", f"{sum(calls)}"),
        ("(b) difference from eager", f"{difference}"),
        ("(c) tiles at T = 97, block 16, causal", f"{causal.tiles} of {full.tiles}"),
        ("(c) largest tensor", f"{causal.largest}"),
        *(
            (f"(c) differs from SDPA by less than 1e-6, {name}", f"{found.difference < 1e-6}")
            for name, found in (("causal", causal), ("full", full))
        ),
    ]


def main() -> None:
    """Prints the table, in Markdown."""
    table = [("measured", "result"), ("---", "---"), *results()]
    print("\n".join(f"| {what} | {result} |" for what, result in table))


if __name__ == "__main__":
    main()
