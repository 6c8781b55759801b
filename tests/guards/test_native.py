"""Operators registered in C++: named, policed, and the process is unfit afterwards."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

SOURCE = """
#include <torch/library.h>
#include <ATen/core/Tensor.h>
static at::Tensor twice(const at::Tensor& x) { return x; }
TORCH_LIBRARY(native_m25, m) { m.def("twice(Tensor x) -> Tensor", &twice); }
TORCH_LIBRARY_IMPL(aten, CPU, m) { m.impl("digamma", [](const at::Tensor& x) { return x; }); }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = importlib.util.find_spec("torch")
    compiler = shutil.which("g++")
    if spec is None or spec.origin is None or compiler is None:
        pytest.skip("needs torch and g++")
    torch, directory = Path(spec.origin).parent, tmp_path_factory.mktemp("native")
    (directory / "op.cpp").write_text(SOURCE)
    command = [
        compiler, "-O0", "-shared", "-fPIC", "-std=c++20", f"-I{torch}/include",
        f"-I{torch}/include/torch/csrc/api/include", "op.cpp", "-o", "op.so",
        f"-L{torch}/lib", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{torch}/lib",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"this torch's headers don't compile here: {done.stderr[-300:]}")
    return directory / "op.so"


def _load(library: Path) -> str:
    return (
        f"import torch\ntorch.ops.load_library('{library}')\n"
        "assert torch.ops.native_m25.twice(torch.ones(1)).item() == 1"
    )


@pytest.mark.parametrize(
    ("namespace", "allows", "violations"),
    [
        ("pytc_m25_f1", [], ["native_m25::twice", "aten"]),
        ("native_m25", ["aten"], []),
        (None, [], ["aten"]),
        (None, ["aten"], []),
    ],
)
def test_native_registrations(
    run_cases: Any, library: Path, namespace: str | None, allows: list[str], violations: list[str]
) -> None:
    case = {"name": "load", "fences": [_load(library)], "namespace": namespace, "allows": allows}
    again = {"name": "again", "fences": ["x = 1"]}
    results = run_cases([case, again], preload=["torch"])
    (one,) = results["load"]["rounds"]
    assert one["errors"] == [""]
    assert len(one["violations"]) == len(violations)
    for violation, name in zip(one["violations"], violations, strict=True):
        assert name in violation["summary"]
        assert str(library) in violation["summary"]
        assert violation["line"] == 2
    (leak,) = one["leaks"]
    assert (leak["undone"], leak["line"]) == (False, 2)
    assert str(library) in one["tainted"]
    assert results["again"]["rounds"][0]["tainted"] is None


def test_a_library_that_registers_nothing(run_cases: Any) -> None:
    case = {"name": "plain", "fences": ["import ctypes\nctypes.CDLL('libz.so.1')"]}
    (one,) = run_cases([case])["plain"]["rounds"]
    if one["errors"] != [""]:
        pytest.skip("no such library here")
    assert (one["violations"], one["leaks"], one["tainted"]) == ([], [], None)
