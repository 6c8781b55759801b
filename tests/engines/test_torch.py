"""torch in fences: random numbers, Dynamo, processes, and what a preloaded zygote saves."""

# Fences stand on one line in the tables.
# ruff: noqa: E501

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fencerun.engines.base import Blocked, Engine, EngineOptions
from fencerun.engines.worker import WorkerEngine
from fencerun.result import Outcome

from .conftest import Bench

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def torch_engine() -> Iterator[Engine]:
    options = EngineOptions(python=sys.executable, preload=("torch",))
    with WorkerEngine(options) as engine:
        yield engine


@pytest.fixture
def loaded(torch_engine: Engine, tmp_path: Path) -> Bench:
    """An engine whose workers have torch from the start."""
    return Bench(torch_engine, tmp_path)


RANDOM = "import torch\nprint(torch.rand(1).item(), torch.randn(1).item())"


def test_random_numbers_are_those_of_a_new_process(loaded: Bench) -> None:
    """Alone, after another fence, twice; and when torch is imported in the middle of a chain."""
    spoil = loaded.chain("import torch\ntorch.manual_seed(7)\ntorch.randn(1)")
    alone, _, after, twice, first, second = loaded.outcomes(
        *[loaded.chain(RANDOM), spoil, loaded.chain(RANDOM), loaded.chain(RANDOM)],
        loaded.chain(RANDOM, RANDOM),
    )
    assert len({one.output for one in (alone, after, twice, first)}) == 1
    assert second.output != first.output
    with WorkerEngine(EngineOptions(python=sys.executable)) as engine:
        bare = Bench(engine, loaded.directory)
        _, later, _, again = bare.outcomes(*[bare.chain("pass", RANDOM)] * 2)
    assert {later.output, again.output} == {alone.output}


def test_describe_names_what_was_loaded(loaded: Bench) -> None:
    assert ", torch 2." in loaded.engine.describe()


def test_dynamo_is_reset_between_chains(loaded: Bench) -> None:
    """Recompilation limits would otherwise make later fences run without being compiled."""
    code = (
        "import torch\ncount = 0\n"
        "def backend(graph, inputs):\n    global count\n    count += 1\n    return graph\n"
        "def f(x): return x + 1\n"
        "for n in range(12):\n    torch.compile(f, backend=backend, dynamic=False)(torch.ones(n + 2))\n"
        "print(count)"
    )
    outputs = [one.output for one in loaded.outcomes(*[loaded.chain(code, timeout=120.0)] * 3)]
    assert outputs == [outputs[0]] * 3
    assert int(outputs[0]) >= 8


def test_counts_of_compilations_start_afresh(loaded: Bench) -> None:
    code = (
        "import torch\nfrom torch._dynamo.utils import compilation_time_metrics, counters\n"
        "import torch._inductor.metrics as metrics\nmetrics.generated_kernel_count += 1\n"
        "torch.compile(lambda x: x + 1, backend='eager')(torch.ones(1))\n"
        "print(dict(counters['stats']), len(compilation_time_metrics), metrics.generated_kernel_count)"
    )
    one, two = loaded.outcomes(*[loaded.chain(code, timeout=120.0)] * 2)
    assert b"unique_graphs" in one.output
    assert one.output == two.output


TRANSPOSE = """\
import torch
for _ in range(2): torch.ones(1, 2, 3).T
torch.ones(1, 2, 3).T
f = torch.compile(lambda x: x.T, backend="eager")(torch.ones(1, 2, 3))
"""


def test_torch_warns_once_in_each_chain(loaded: Bench) -> None:
    """Alone, after another fence, and when torch is imported in the middle of a chain."""
    ends = loaded.outcomes(*[loaded.chain(TRANSPOSE, stderr=True, timeout=120.0)] * 2)
    with WorkerEngine(EngineOptions(python=sys.executable)) as engine:
        bare = Bench(engine, loaded.directory)
        ends += bare.outcomes(*[bare.chain(TRANSPOSE, stderr=True, timeout=120.0)] * 2)
    for end in ends:
        assert end.output.count(b"UserWarning: The use of `x.T`") == 1
        assert end.output.startswith(b"lesson.md:11: ")
        assert end.leaks == ()


def test_who_asks_for_all_warnings_of_torch_gets_them(loaded: Bench) -> None:
    code = (
        "import torch, warnings\nfor _ in range(2):\n"
        "    with warnings.catch_warnings(record=True) as seen:\n"
        "        warnings.simplefilter('always')\n        torch.ones(1, 2, 3).T\n    print(len(seen))"
    )
    assert loaded.one(code).output == b"1\n1\n"


WORKERS = """
import torch
from torch.utils.data import DataLoader, Dataset
class Numbers(Dataset):
    def __len__(self): return 4
    def __getitem__(self, n): return torch.tensor(n * n)
loader = DataLoader(Numbers(), num_workers=2, persistent_workers={persistent})
print([int(x) for x in loader])
"""


@pytest.mark.parametrize("persistent", [False, True])
def test_loader_processes_are_no_leak(loaded: Bench, persistent: bool) -> None:
    found, after = loaded.outcomes(
        loaded.chain(WORKERS.format(persistent=persistent), timeout=60.0), loaded.chain("print(1)")
    )
    assert (found.output, found.failure) == (b"[0, 1, 4, 9]\n", None)
    assert [leak.what for leak in found.leaks if not leak.undone] == []
    assert "child process left running" not in [leak.what for leak in found.leaks]
    assert after.output == b"1\n"


def test_a_crash_costs_no_new_import(loaded: Bench) -> None:
    """The worker that takes over has torch already."""
    crash = loaded.chain("import torch, ctypes\nctypes.string_at(0)")
    found, after = loaded.outcomes(crash, loaded.chain("import sys\nprint('torch' in sys.modules)"))
    assert found.failure is not None
    assert found.failure.line == 11
    assert after.output == b"True\n"


def test_memory_of_a_chain_is_free_when_the_next_one_runs(loaded: Bench) -> None:
    big = "import torch\nx = torch.ones(60 << 20)\nx.itself = [x]"
    size = "print(int(open('/proc/self/statm').read().split()[1]) * 4096 >> 20)"
    before, _, after = loaded.outcomes(*map(loaded.chain, (size, big, size)))
    assert int(after.output) < int(before.output) + 100


def test_a_worker_that_keeps_much_memory_is_replaced(loaded: Bench) -> None:
    leak = (
        "import ctypes, os\nprint(os.getpid())\nkept = bytearray(600 << 20)\n"
        "ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))"
    )
    found, after = loaded.outcomes(
        loaded.chain(leak), loaded.chain("import os\nprint(os.getpid())")
    )
    assert found.replaced is not None
    assert found.replaced.startswith("its memory grew by ")
    assert after.output != found.output


def test_importing_much_is_no_reason_to_be_replaced(tmp_path: Path) -> None:
    with WorkerEngine(EngineOptions(python=sys.executable)) as engine:
        bench = Bench(engine, tmp_path)
        pid = "import torch, torch._dynamo, os\nprint(os.getpid())"
        first, second = bench.outcomes(*[bench.chain(pid, timeout=120.0)] * 2)
        assert (first.output, first.replaced) == (second.output, None)


REGISTERS = (
    "import torch\nfrom torch.library import Library\n"
    "lib = Library('elsewhere', 'DEF')\nlib.define('f(Tensor x) -> Tensor')\n"
)


def test_an_operator_elsewhere_is_not_hidden_by_an_expected_exception(loaded: Bench) -> None:
    """The exception is what the fence is about, and would let its chain go on."""
    chain = loaded.chain(REGISTERS + "1 / 0", "pass", may_raise=True, op_namespace="own_f1")
    first, second = loaded.ends(chain)
    assert isinstance(first, Outcome)
    assert isinstance(second, Blocked)
    assert first.failure is not None
    assert first.failure.kind == "namespace"
    assert "elsewhere" in first.failure.summary


def test_two_pages_may_use_the_same_names(loaded: Bench) -> None:
    pages = [loaded.chain(REGISTERS, page=f"{name}.md") for name in "ab"]
    assert [one.failure for one in loaded.outcomes(*pages)] == [None, None]
