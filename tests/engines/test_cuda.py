"""CUDA in the shared worker: asynchronous errors, random numbers, memory."""

# Fences stand on one line in the tables.
# ruff: noqa: E501

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fencerun.engines.base import Engine, EngineOptions
from fencerun.engines.worker import WorkerEngine

from .conftest import Bench

# Asked in another process, so that this one stays without CUDA and can be forked.
_ASK = "import torch, sys; sys.exit(not torch.cuda.is_available())"


@pytest.fixture(scope="module")
def cuda_engine() -> Iterator[Engine]:
    pytest.importorskip("torch")
    if subprocess.run([sys.executable, "-c", _ASK], check=False).returncode:
        pytest.skip("no CUDA device")
    with WorkerEngine(EngineOptions(python=sys.executable, preload=("torch",))) as engine:
        yield engine


@pytest.fixture
def gpu(cuda_engine: Engine, tmp_path: Path) -> Bench:
    """A worker that may use a device."""
    return Bench(cuda_engine, tmp_path)


def test_random_numbers_are_the_same_in_every_chain(gpu: Bench) -> None:
    draw = "import torch, os\nprint(torch.rand(1, device='cuda').item(), torch.randn(1).item())"
    seed = "import torch\ntorch.manual_seed(7)\ntorch.cuda.manual_seed_all(8)"
    chains = [gpu.chain(draw), gpu.chain(seed), gpu.chain(draw), gpu.chain(draw, isolated=True)]
    chains += [gpu.chain(seed, isolated=True), gpu.chain(draw, isolated=True)]
    outputs = {one.output for one in gpu.outcomes(*chains)} - {b""}
    assert len(outputs) == 1


def test_an_illegal_access_is_blamed_on_its_fence(gpu: Bench) -> None:
    """The error is asynchronous and sticky: without care the next fence would get it."""
    bad = "import torch\nx = torch.zeros(4, device='cuda')\ni = torch.full((1,), 10**6, device='cuda')\ny = x[i]"
    fine = "import torch\nprint(torch.ones(2, device='cuda').sum().item())"
    before, found, after = gpu.outcomes(*map(gpu.chain, (fine, bad, fine)))
    assert (before.output, after.output, after.failure) == (b"2.0\n", b"2.0\n", None)
    assert found.failure is not None
    assert "CUDA error" in found.failure.summary
    assert found.replaced is not None
    assert "CUDA" in found.replaced


def test_printf_of_a_kernel_is_output(gpu: Bench) -> None:
    code = (
        "import torch\nfrom torch.cuda import _compile_kernel\n"
        "kernel = _compile_kernel('extern \"C\" __global__ void k(float* x) { printf(\"from the device\\\\n\"); }', 'k')\n"
        "x = torch.zeros(1, device='cuda')\nkernel((1, 1, 1), (1, 1, 1), (x,))"
    )
    found = gpu.one(code, timeout=120.0)
    if found.failure is not None:
        pytest.skip(found.failure.summary)
    assert found.output == b"from the device\n"


def test_memory_and_its_statistics_start_afresh(gpu: Bench) -> None:
    big = "import torch\nx = torch.empty(1 << 28, device='cuda')\nx.itself = [x]"
    ask = "import torch\nprint(torch.cuda.memory_allocated(), torch.cuda.memory_reserved(), torch.cuda.max_memory_allocated())"
    _, after = gpu.outcomes(gpu.chain(big), gpu.chain(ask))
    assert after.output == b"0 0 0\n"


def test_the_zygote_never_brings_cuda_up(gpu: Bench) -> None:
    code = "import torch\nprint(torch.cuda.is_initialized())"
    gpu.one("import torch\ntorch.ones(1, device='cuda')")
    assert gpu.one(code, isolated=True).output == b"False\n"
