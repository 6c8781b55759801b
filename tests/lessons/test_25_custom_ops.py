"""The lab of lesson 25: the contracts of its operator, its compiled model and its attention."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

LESSONS = Path(__file__).parent.parent.parent / "lessons"

#: Other parts of PyTorch than the lab warn when a compiler is first imported.
pytestmark = pytest.mark.filterwarnings("default")

TABLE = """\
| measured | result |
| --- | --- |
| (a) opcheck | 4 of 4 tests |
| (a) gradcheck in float64 | passed |
| (a) saved bytes, composite | 196,608 |
| (a) saved bytes, `fused_bias_gelu` | 66,560 |
| (a) saved bytes, `F.gelu(x + bias)` | 65,536 |
| (b) graphs | 1 |
| (b) `fused_bias_gelu` in them | 1 |
| (b) difference from eager | 0.0 |
| (c) tiles at T = 97, block 16, causal | 28 of 49 |
| (c) largest tensor | (2, 2, 97, 16) |
| (c) differs from SDPA by less than 1e-6, causal | True |
| (c) differs from SDPA by less than 1e-6, full | True |
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(LESSONS)
        yield importlib.import_module("m25.lab")


def test_the_script_prints_the_table() -> None:
    script = [sys.executable, str(LESSONS / "m25" / "lab.py")]
    done = subprocess.run(script, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, TABLE), done.stderr


def test_operator_keeps_its_contract(lab: Any) -> None:
    report, gradients = lab.check_operator()
    assert report == dict.fromkeys(report, "SUCCESS")
    assert len(report) == 4
    assert gradients


def test_operator_is_the_exact_gelu(lab: Any) -> None:
    x, bias = torch.randn(7, 5), torch.randn(5)
    torch.testing.assert_close(
        lab.fused_bias_gelu(x, bias), torch.nn.functional.gelu(x + bias), rtol=0, atol=1e-6
    )


def test_operator_saves_its_inputs_only(lab: Any) -> None:
    ours, composite = lab.saved_bytes(lab.fused_bias_gelu), lab.saved_bytes(lab.composite)
    assert ours == 4 * (64 * 256 + 256)
    assert composite == 4 * 3 * 64 * 256


def test_compiled_model_is_one_graph_that_holds_the_operator(lab: Any) -> None:
    assert lab.compile_mlp() == ([1], 0.0)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("block", [1, 2, 3, 7, 16, 32, 64])
def test_tiles_agree_with_sdpa_at_a_ragged_length(lab: Any, block: int, causal: bool) -> None:
    assert lab.measure_attention(block, causal, length=97).difference < 1e-5


@pytest.mark.parametrize(("block", "causal", "tiles"), [(16, True, 28), (16, False, 49)])
def test_tiles_above_the_diagonal_are_skipped(
    lab: Any, block: int, causal: bool, tiles: int
) -> None:
    assert lab.measure_attention(block, causal).tiles == tiles


@pytest.mark.parametrize("causal", [True, False])
def test_the_scores_are_never_all_there(lab: Any, causal: bool) -> None:
    q, k, v = lab.heads(97)
    with lab.LargestTensor() as tiled:
        lab.tiled_attention(q, k, v, 16, causal)
    with lab.LargestTensor() as naive:
        torch.softmax(q @ k.mT, -1) @ v
    assert naive.elements == 2 * 2 * 97 * 97
    assert tiled.elements == q.numel() < naive.elements


def test_tiles_are_differentiable(lab: Any) -> None:
    q, k, v = (tensor.double().requires_grad_() for tensor in lab.heads(37))
    mine = lab.tiled_attention(q, k, v, 8, True)
    theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    for found, expected in zip(
        torch.autograd.grad(mine.square().sum(), (q, k, v)),
        torch.autograd.grad(theirs.square().sum(), (q, k, v)),
        strict=True,
    ):
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_importing_again_replaces_the_operator(
    lab: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    random = torch.random.get_rng_state()
    monkeypatch.delitem(sys.modules, "m25.lab")
    again = importlib.import_module("m25.lab")
    x, bias = torch.randn(3, 2, generator=torch.Generator()), torch.zeros(2)
    monkeypatch.setattr(again, "composite", lambda x, bias: x + 41)
    assert again is not lab
    assert torch.equal(torch.ops.pytc_lab25.fused_bias_gelu(x, bias), x + 41), "the new kernel"
    assert torch.equal(torch.random.get_rng_state(), random)
    assert capsys.readouterr().out == ""
