"""Chains under the guards: which fence is to blame, what one fence may see of another."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

pytest.importorskip("torch")

OPERATOR = """
import torch
@torch.library.custom_op("{space}::f", mutates_args=())
def f(x: torch.Tensor) -> torch.Tensor:
    return x + {number}
assert f(torch.ones(1)).item() == 1 + {number}
"""

#: Nothing is loaded before the first: torch comes in the middle of a chain.
CASES: list[dict[str, Any]] = [
    {
        "name": "torch in the middle",
        "fences": ["import torch\ntorch.set_default_dtype(torch.float64)\n"
                   "torch.Tensor.foo = 1\ntorch.backends.mkldnn.enabled = False\n"
                   + OPERATOR.format(space="late", number=1)],
        "rounds": 2,
        "after": "import torch\nassert torch.get_default_dtype() is torch.float32\n"
                 "assert not hasattr(torch.Tensor, 'foo')\n"
                 "assert torch.backends.mkldnn.enabled\n"
                 "assert not hasattr(torch.ops.late, 'f')",
    },
    {
        "name": "a chain is one script",
        "fences": ["import torch\ntorch.set_default_dtype(torch.float64)",
                   "assert torch.ones(1).dtype is torch.float64"],
    },
    {
        "name": "whose fault",
        "fences": ["import os", "os.environ['X'] = '1'\nimport builtins",
                   "x = 1\nbuiltins.y = 2", "import sys", "sys.setrecursionlimit(4000)"],
    },
    {
        "name": "changed twice",
        "fences": ["import sys\nsys.setswitchinterval(1)", "sys.setswitchinterval(2)", "x = 1"],
    },
    {
        "name": "changed and put back",
        "fences": ["import sys\nd = sys.getswitchinterval()\nsys.setswitchinterval(1)",
                   "sys.setswitchinterval(d)"],
    },
    {
        "name": "operator of an earlier fence of the chain",
        "fences": [OPERATOR.format(space="chained", number=1),
                   "assert torch.ops.chained.f(torch.ones(1)).item() == 2"],
        "rounds": 2,
    },
    {
        "name": "two fences define one operator",
        "fences": [OPERATOR.format(space="twice", number=1),
                   OPERATOR.format(space="twice", number=2)],
    },
    {
        "name": "two fences claim a namespace",
        "fences": ["import torch\na = torch.library.Library('claimed', 'DEF')",
                   "b = torch.library.Library('claimed', 'DEF')"],
    },
    {
        "name": "own namespace",
        "namespace": "pytc_m25_f1",
        "fences": [OPERATOR.format(space="pytc_m25_f1", number=1)
                   + OPERATOR.format(space="pytc_m25_f1_more", number=2)],
        "rounds": 2,
    },
    {
        "name": "foreign namespace",
        "namespace": "pytc_m25_f1",
        "fences": [OPERATOR.format(space="other", number=1)],
    },
    {
        "name": "allowed namespace",
        "namespace": "pytc_m25_f1",
        "allows": ["lab"],
        "fences": [OPERATOR.format(space="lab", number=1)],
    },
    {
        "name": "override without leave",
        "fences": ["import torch\nlib = torch.library.Library('aten', 'IMPL')\n"
                   "lib.impl('gelu', lambda x, approximate='none': x, 'CPU')"],
    },
    {
        "name": "override with leave",
        "allows": ["aten"],
        "fences": ["import torch\nlib = torch.library.Library('aten', 'IMPL')\n"
                   "lib.impl('gelu', lambda x, approximate='none': x, 'CPU')"],
    },
    {
        "name": "registration made by a string",
        "namespace": "pytc_m25_f1",
        "fences": ["import torch\nexec(\"torch.library.define('made::f', '() -> ()')\")"],
    },
    {
        "name": "torch registers for itself",
        "namespace": "pytc_m25_f1",
        "fences": ["import torch\nf = torch.compile(lambda x: x + 1, backend='aot_eager')\n"
                   "f(torch.ones(1))\ntorch.vmap(lambda x: x * 2)(torch.ones(2))"],
    },
    {
        "name": "the first compile",
        "fences": ["import torch\ntorch.compile(lambda x: x + 1, backend='eager')(torch.ones(1))\n"
                   "assert torch.distributions.Distribution._validate_args is False"],
        "rounds": 2,
        "after": "import torch\nassert torch.distributions.Distribution._validate_args is True",
    },
    {
        "name": "the second compile of a chain",
        "fences": ["import torch\nf = torch.compile(lambda x: x + 1, backend='eager')\n"
                   "f(torch.ones(1))\n"
                   "torch.distributions.Distribution.set_default_validate_args(True)\n"
                   "torch.compile(lambda x: x + 2, backend='eager')(torch.ones(1))\n"
                   "assert torch.distributions.Distribution._validate_args is True"],
        "rounds": 2,
    },
    {
        "name": "a fence that is not ended",
        "namespace": "pytc_m25_f1",
        "unended": True,
        "fences": ["import torch, sys\nsys.setswitchinterval(1)\n"
                   "torch.library.define('unended::f', '() -> ()')", "x = 1"],
    },
    {
        "name": "an import that fails",
        "fences": ["import no_such_module"],
    },
    {
        "name": "an import that raises, seen from the traceback",
        "fences": ["""
import sys, traceback
try:
    import antigravity_that_is_not_there
except ImportError as error:
    files = {frame.filename for frame in traceback.extract_tb(error.__traceback__)}
assert files == {__file__}, files
"""],
    },
]  # fmt: skip


@pytest.fixture(scope="module")
def chains(run_cases: Any) -> Any:
    return run_cases([{**c, "fences": [dedent(f) for f in c["fences"]]} for c in CASES])


FAIL = {"two fences claim a namespace", "an import that fails"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_runs_and_leaves_nothing(chains: Any, case: dict[str, Any]) -> None:
    result = chains[case["name"]]
    errors = [error for one in result["rounds"] for error in one["errors"]]
    assert any(errors) == (case["name"] in FAIL), errors
    assert result["after"] == ""
    assert [one["tainted"] for one in result["rounds"]] == [None] * len(result["rounds"])


def _leaks(chains: Any, name: str) -> list[tuple[str, int, int]]:
    (one,) = chains[name]["rounds"]
    return [(leak["what"], leak["fence"], leak["line"]) for leak in one["leaks"]]


def test_torch_in_the_middle(chains: Any) -> None:
    for one in chains["torch in the middle"]["rounds"]:
        found = {(leak["what"], leak["line"]) for leak in one["leaks"]}
        assert found == {
            ("default dtype", 2),
            ("torch.Tensor.foo", 3),
            ("torch.backends: mkldnn.enabled", 4),
        }


def test_each_leak_is_its_fences(chains: Any) -> None:
    assert sorted(_leaks(chains, "whose fault")) == [
        ("builtins.y", 3, 2),
        ("environment variable X", 2, 1),
        ("recursion limit", 5, 1),
    ]


def test_the_last_change_counts(chains: Any) -> None:
    assert _leaks(chains, "changed twice") == [("switch interval", 2, 1)]


def test_a_fence_that_is_not_ended(chains: Any) -> None:
    assert _leaks(chains, "a fence that is not ended") == [("switch interval", 1, 2)]


def test_what_is_put_back_is_no_leak(chains: Any) -> None:
    assert _leaks(chains, "changed and put back") == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("two fences define one operator", ["twice::f", "fence 1", "/pages/lesson.md:3"]),
        ("two fences claim a namespace", ["claimed", "fence 1", "/pages/lesson.md:2"]),
        ("foreign namespace", ["other::f", "pytc_m25_f1", "allows:other"]),
        ("override without leave", ["aten::gelu", "CPU", "allows:aten"]),
        ("registration made by a string", ["made::f"]),
    ],
)
def test_violations(chains: Any, name: str, words: list[str]) -> None:
    (found,) = chains[name]["rounds"][0]["violations"]
    assert all(word in found["summary"] for word in words), found
    assert found["line"] is not None


@pytest.mark.parametrize(
    "name",
    [
        "own namespace",
        "allowed namespace",
        "override with leave",
        "torch registers for itself",
        "operator of an earlier fence of the chain",
        "a fence that is not ended",
    ],
)
def test_no_violations(chains: Any, name: str) -> None:
    assert [one["violations"] for one in chains[name]["rounds"]] in ([[]], [[], []])
