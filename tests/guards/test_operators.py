"""Operator registrations: each way in is undone, so that the same fence registers again."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

pytest.importorskip("torch")

#: Every way in, as a fence that must run three times in one process. NS is its namespace.
WAYS: dict[str, str] = {
    "library kept": """
        import torch
        lib = torch.library.Library(NS, "DEF")
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", lambda x: x + 1, "CPU")
        assert getattr(torch.ops, NS).f(torch.ones(1)).item() == 2
    """,
    "custom_op with everything": """
        import torch
        @torch.library.custom_op(NS + "::g", mutates_args=())
        def g(x: torch.Tensor) -> torch.Tensor:
            return x * 2
        @g.register_fake
        def _(x):
            return torch.empty_like(x)
        g.register_autograd(lambda ctx, grad: grad * 2)
        @g.register_vmap
        def _(info, in_dims, x):
            return g(x), in_dims[0]
        g.register_autocast("cpu", torch.bfloat16)
        x = torch.ones(3, requires_grad=True)
        g(x).sum().backward()
        assert x.grad.sum() == 6
        assert torch.vmap(g)(torch.ones(2, 3)).shape == (2, 3)
        torch.library.opcheck(g, (torch.ones(3),), test_utils=("test_schema", "test_faketensor"))
        compiled = torch.compile(g, backend="aot_eager", fullgraph=True)
        assert compiled(torch.ones(2)).sum() == 4
    """,
    "triton_op": """
        import torch
        @torch.library.triton_op(NS + "::t", mutates_args=())
        def t(x: torch.Tensor) -> torch.Tensor:
            return x + 1
        assert t(torch.ones(1)).item() == 2
    """,
    "aten kernel overridden": """
        import torch
        lib = torch.library.Library("aten", "IMPL")
        lib.impl("gelu", lambda x, approximate="none": x * 0 + 42, "CPU")
        assert torch.nn.functional.gelu(torch.ones(1)).item() == 42
    """,
    "through a library of torch's own": """
        import torch
        import torch._meta_registrations as meta
        lib = meta._meta_lib_dont_use_me_use_register_meta
        lib.impl("gelu", lambda x, approximate="none": x.new_empty(99), "Meta",
                 allow_override=True)
        assert torch.nn.functional.gelu(torch.ones(1, device="meta")).shape == (99,)
    """,
    "raw registrar": """
        import torch
        m = torch._C._dispatch_library("FRAGMENT", NS, "", __file__, 1)
        m.define("r(Tensor x) -> Tensor", "", ())
        m.impl("r", "CPU", lambda x: x + 5, False)
        assert getattr(torch.ops, NS).r(torch.ones(1)).item() == 6
    """,
    "functional forms": """
        import torch
        from torch.utils._python_dispatch import TorchDispatchMode
        torch.library.define(NS + "::h", "(Tensor x) -> Tensor")
        @torch.library.impl(NS + "::h", "cpu")
        def h(x):
            return x + 3
        @torch.library.register_fake(NS + "::h")
        def _(x):
            return x.new_empty(x.shape)
        @torch.library.register_kernel(NS + "::h", "cuda")
        def _(x):
            return x
        class Mode(TorchDispatchMode):
            def __torch_dispatch__(self, f, t, a=(), k=None):
                return f(*a, **(k or {}))
        @torch.library.register_torch_dispatch(NS + "::h", Mode)
        def _(mode, func, types, args, kwargs):
            return torch.zeros(1)
        with Mode():
            assert getattr(torch.ops, NS).h(torch.ones(1)).item() == 0
    """,
    "higher-order operator": """
        import torch
        from torch._ops import HigherOrderOperator
        class Wrap(HigherOrderOperator):
            def __init__(self):
                super().__init__("wrap_" + NS)
            def __call__(self, f, x):
                return super().__call__(f, x)
        wrap = Wrap()
        wrap.py_impl(torch._C.DispatchKey.CPU)(lambda f, x: f(x))
        wrap.py_impl(torch._C.DispatchKey.AutogradCPU)(lambda f, x: f(x))
        assert wrap(lambda x: x + 1, torch.ones(1)).item() == 2
    """,
    "backend fallback": """
        import torch
        lib = torch.library.Library("_", "IMPL")
        lib.fallback(lambda op, *a, **k: torch.zeros(7), "PrivateUse2")
    """,
    "overload of an aten operator": """
        import torch
        lib = torch.library.Library("aten", "FRAGMENT")
        lib.define("gelu.fence(Tensor x, int k) -> Tensor")
        lib.impl("gelu.fence", lambda x, k: x + k, "CPU")
        assert torch.ops.aten.gelu(torch.ones(1), 5).item() == 6
    """,
    "library that dies in a function": """
        import gc, torch
        def f():
            lib = torch.library.Library(NS, "FRAGMENT")
            lib.define("t(Tensor x) -> Tensor")
            lib.impl("t", lambda x: x, "CPU")
            return getattr(torch.ops, NS).t(torch.ones(1))
        f()
        gc.collect()
    """,
    "handles that outlive the chain": """
        import colorsys, torch
        @torch.library.custom_op(NS + "::k", mutates_args=("x",))
        def k(x: torch.Tensor) -> None:
            x.add_(1)
        first = getattr(torch.ops, NS).k.default
        @torch.library.custom_op(NS + "::k", mutates_args=("x",))
        def k(x: torch.Tensor) -> None:
            x.add_(2)
        colorsys.stale = (k, getattr(torch.ops, NS).k, getattr(torch.ops, NS).k.default, first)
        k(torch.ones(1))
    """,
    "python kernel on an aten operator": """
        import torch
        key = torch._C.DispatchKey.CompositeExplicitAutograd
        torch.ops.aten.gelu.default.py_impl(key)(lambda x, approximate="none": x + 1000)
    """,
    "exception half way": """
        import torch
        lib = torch.library.Library(NS, "DEF")
        lib.define("f(Tensor x) -> Tensor")
        lib.define("f(Tensor x) -> Tensor")
    """,
    "fake kernel in a foreign library": """
        import torch
        import torch._meta_registrations as meta
        lib = meta._meta_lib_dont_use_me_use_register_meta
        lib._register_fake("gelu", lambda x, approximate="none": x.new_empty(98),
                           allow_override=True)
        assert torch.nn.functional.gelu(torch.ones(1, device="meta")).shape == (98,)
    """,
    "scripted": """
        import torch
        @torch.library.custom_op(NS + "::s", mutates_args=())
        def s(x: torch.Tensor) -> torch.Tensor:
            return x + 1
        def call(x: torch.Tensor):
            return torch.ops.pytc_m25.s(x)
        assert torch.jit.script(call)(torch.ones(1)).item() == 2
    """,
}

#: What must hold after a chain, besides the same dispatcher.
AFTER: dict[str, str] = {
    "aten kernel overridden": """
        import torch
        assert abs(torch.nn.functional.gelu(torch.ones(1)).item() - 0.8413) < 1e-3
    """,
    "through a library of torch's own": """
        import torch
        assert torch.nn.functional.gelu(torch.ones(1, device="meta")).shape == (1,)
    """,
    "fake kernel in a foreign library": """
        import torch
        assert torch.nn.functional.gelu(torch.ones(1, device="meta")).shape == (1,)
    """,
    "overload of an aten operator": """
        import sys, torch
        assert torch.ops.aten.gelu.overloads() == ["default", "out"]
        assert torch.ops.aten.gelu.default is sys.gelu
    """,
    "handles that outlive the chain": """
        import colorsys, torch
        for handle in colorsys.stale:
            try:
                handle(torch.ones(1))
            except RuntimeError as error:
                assert "no longer exists" in str(error), error
            else:
                raise AssertionError("a stale handle was called")
    """,
    "python kernel on an aten operator": """
        import sys
        assert sys.gelu.py_kernels == sys.kernels
    """,
}

WARM = """
import sys, torch, torch._meta_registrations, torch.testing._internal.optests
import torch.distributed.tensor.experimental._context_parallel._cp_custom_ops
torch.compile(lambda x: x + 1, backend="aot_eager")(torch.ones(1))
torch._dynamo.reset()
torch.vmap(lambda x: x * 2)(torch.ones(2))
torch.compile(lambda x: x + 1, backend="aot_eager", fullgraph=True)(torch.ones(1))
sys.gelu = torch.ops.aten.gelu.default
sys.kernels = dict(sys.gelu.py_kernels)
"""

FAILS = {"exception half way"}


@pytest.fixture(scope="module")
def ways(run_cases: Any) -> dict[str, Any]:
    cases = [
        {
            "name": name,
            "fences": [dedent(source)],
            "after": dedent(AFTER.get(name, "")),
            "rounds": 3,
        }
        for name, source in WAYS.items()
    ]
    results: dict[str, Any] = run_cases(cases, preload=["torch"], warm=WARM, dumps=True)
    return results


@pytest.mark.parametrize("name", WAYS)
def test_registers_again_after_undo(ways: dict[str, Any], name: str) -> None:
    rounds = ways[name]["rounds"]
    errors = [error for one in rounds for error in one["errors"]]
    if name in FAILS:
        assert len(set(errors)) == 1, "each round must fail in the same way"
        assert "multiple times" in errors[0] or "Tried to register" in errors[0]
    else:
        assert errors == ["", "", ""]


@pytest.mark.parametrize("name", WAYS)
def test_dispatcher_is_as_before(ways: dict[str, Any], name: str) -> None:
    assert ways[name]["changed"] == []


@pytest.mark.parametrize("name", WAYS)
def test_behaves_as_before(ways: dict[str, Any], name: str) -> None:
    assert ways[name]["after"] == ""
