"""The Triton kernels of lesson 25: right in the interpreter, and fit to be built for an H200.

Both run in processes of their own: an import of Triton decides whether it interprets.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
LESSONS = HERE.parent.parent / "lessons"

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None, reason="Triton is not installed"
)

#: Relative to the largest value, a few times what float32 can distinguish.
FLOAT32 = 2e-6
CHECKS = {
    "add": 0,
    "add, strided": 0,
    "softmax": FLOAT32,
    "softmax, long rows": FLOAT32,
    "softmax, shifted": FLOAT32,
    "softmax, masked start": FLOAT32,
    "matmul": FLOAT32,
    "matmul, 16 bits": 5e-4,
    "matmul, every tile once": 0,
    "dropout": FLOAT32,
    "dropout, saves nothing": 0,
    "layer norm, rows share groups": FLOAT32,
    "layer norm, spare groups": FLOAT32,
    "attention, causal": FLOAT32,
    "attention, full": FLOAT32,
    "attention, whole blocks": FLOAT32,
    "attention, one row": 1e-5,
    "attention, log-sum-exp": FLOAT32,
    "attention, large scores": 2e-5,
}
#: What a program can have of an H200's shared memory, in bytes.
SHARED = 232448


@pytest.fixture(scope="module")
def checked() -> dict[str, Any]:
    source = "from m25.interpreter import interpret; interpret()\n"
    source += f"import runpy; runpy.run_path({str(HERE / 'kernel_checks.py')!r}, None, '__main__')"
    environment = {**os.environ, "PYTHONPATH": str(LESSONS)}
    script = [sys.executable, "-c", source]
    done = subprocess.run(script, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {
        "PYTHONPATH": str(LESSONS),
        "TRITON_CACHE_DIR": str(tmp_path_factory.mktemp("triton")),
    }
    script = [sys.executable, str(HERE / "kernel_builds.py")]
    done = subprocess.run(script, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("name", CHECKS)
def test_agrees_with_pytorch(checked: dict[str, Any], name: str) -> None:
    found = checked[name]
    assert isinstance(found, float | int), found
    assert found <= CHECKS[name]


def test_every_check_is_listed(checked: dict[str, Any]) -> None:
    assert list(checked) == list(CHECKS)


def test_builds_fit_an_h200(builds: dict[str, Any]) -> None:
    assert {name: made["shared"] for name, made in builds.items() if made["shared"] > SHARED} == {}


def test_every_kernel_is_built(builds: dict[str, Any]) -> None:
    text = (LESSONS / "m25" / "triton_kernels.py").read_text(encoding="utf-8")
    kernels = set(re.findall(r"^def (\w+)_kernel\(", text, re.MULTILINE))
    assert kernels == {name.split(",")[0].split(" ")[0] for name in builds}


def test_products_use_the_tensor_cores(builds: dict[str, Any]) -> None:
    products = {
        name for name in builds if name.startswith(("matmul", "attention")) and "delta" not in name
    }
    assert {name for name, made in builds.items() if made["tensor cores"]} == products


#: The library of Triton that a compiler would use is loaded before the first fork.
FORKS = """
import os, sys
import triton, triton.language as tl
from m25.interpreter import interpreted
from m25.triton_kernels import softmax

@interpreted
def right():
    import torch
    from m25.triton_kernels import softmax
    x = torch.arange(6.0).reshape(2, 3)
    print(torch.allclose(softmax(x), x.softmax(1)), os.environ["TRITON_INTERPRET"])

@interpreted
def wrong():
    1 / 0

@interpreted
def dead():
    os._exit(0)

right()
for function in (wrong, dead):
    try:
        function()
    except RuntimeError as error:
        print(str(error).splitlines()[-1])
print(type(tl.sum).__name__, "TRITON_INTERPRET" in os.environ)
"""


def test_functions_run_interpreted_and_nothing_else_does() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = str(LESSONS)
    script = [sys.executable, "-c", FORKS]
    done = subprocess.run(script, env=environment, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "True 1",
        "ZeroDivisionError: division by zero",
        "the process that interprets died",
        "JITFunction False",
    ], done.stderr
