"""CUDA under the guards: its own descriptors, threads and variables are nobody's leak."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

CASES: list[dict[str, Any]] = [
    {"name": "there", "fences": ["import torch\nassert torch.cuda.is_available()"]},
    {
        "name": "works",
        "rounds": 2,
        "fences": [
            "import torch\nx = torch.ones(64, 64, device='cuda', requires_grad=True)\n"
            "(x @ x).sum().backward()\nassert x.grad.sum().item() == 64 ** 3 * 2",
            "f = open('/dev/null')\ntorch.cuda.synchronize()",
        ],
    },
    {
        "name": "compiles",
        "rounds": 2,
        "fences": [
            "import torch\nf = torch.compile(lambda x: x.sin() + 1)\n"
            "assert f(torch.ones(8, device='cuda')).shape == (8,)"
        ],
    },
    {"name": "stream", "fences": ["import torch\ntorch.cuda.set_stream(torch.cuda.Stream())"]},
    {"name": "sync", "fences": ["import torch\ntorch.cuda.set_sync_debug_mode('warn')"]},
    {"name": "still works", "fences": ["import torch\ntorch.ones(3).cuda().sum().item()"]},
]


@pytest.fixture(scope="module")
def cuda(run_cases: Any) -> Any:
    results = run_cases(CASES, preload=["torch"])
    if results["there"]["rounds"][0]["errors"] != [""]:
        pytest.skip("needs CUDA")
    return results


@pytest.mark.parametrize("name", ["works", "compiles", "still works"])
def test_nothing_is_left(cuda: Any, name: str) -> None:
    for one in cuda[name]["rounds"]:
        assert not any(one["errors"])
        assert (one["violations"], one["leaks"], one["tainted"]) == ([], [], None)


@pytest.mark.parametrize(("name", "what"), [("stream", "stream"), ("sync", "sync debug mode")])
def test_leaks(cuda: Any, name: str, what: str) -> None:
    (leak,) = cuda[name]["rounds"][0]["leaks"]
    assert what in leak["what"]
    assert (leak["undone"], leak["line"]) == (True, 2)
