"""In a fence, code does what it does in a script: each chain against a script of the same text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

CHILD = Path(__file__).with_name("chain_child.py")
ROOT = Path(__file__).parents[2]

Chain = list[tuple[int, str]]


def chain(*fences: str, first: int = 41, apart: int = 30) -> Chain:
    """Fences on page lines: 41, 71, …"""
    return [
        (first + apart * at, textwrap.dedent(code).strip("\n")) for at, code in enumerate(fences)
    ]


def run_child(cases: dict[str, Chain], directory: Path, **env: str) -> dict[str, Any]:
    lessons = directory / "lessons"
    lessons.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, str(CHILD)],
        input=json.dumps(list(cases.items())),
        capture_output=True,
        text=True,
        cwd=lessons,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", **env},
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    for result in results.values():
        result["printed"] = result["printed"].replace(f"{directory}{os.sep}", "")
    return results


def as_script(fences: Chain, directory: Path) -> str:
    """What the same text prints as a script whose lines are where the page has them."""
    lines: list[str] = []
    for line, code in fences:
        lines += [""] * (line - 1 - len(lines)) + code.split("\n")
    page = directory / "lessons" / "x.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        [sys.executable, "lessons/x.md"],
        capture_output=True,
        text=True,
        cwd=directory,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # Python makes a script's path absolute, ours stays as it was given.
    return done.stdout.replace(f"{directory}{os.sep}", "")


PLAIN: dict[str, Chain] = {
    "getsource": chain(
        """
        import functools, inspect

        def f(x):
            return x + 1

        class A:
            "doc"
            limit = 47

            def m(self):
                return 2

            class Inner:
                pass

        def deco(g):
            @functools.wraps(g)
            def w(*a):
                return g(*a)
            return w

        @deco
        def h(): pass

        @functools.total_ordering
        class B:
            def __lt__(self, other): return True
        """,
        """
        def outer():
            def inner():
                return 5
            return inner

        l = lambda x: x * 2
        for thing in (f, A, A.m, A.Inner, h, B, outer, outer(), l, deco):
            print(inspect.getsourcelines(thing), inspect.getsourcefile(deco))
        print(A.limit, inspect.getmodule(f), inspect.getmodule(A) is inspect.getmodule(f))
        print(inspect.getcomments(f), inspect.getdoc(A))
        """,
    ),
    "future carries on": chain(
        """
        from __future__ import annotations
        import typing

        def f(x: undefined) -> also.undefined: pass
        """,
        """
        class P:
            x: list[P]
        print(f.__annotations__, P.__annotations__, typing.get_type_hints(P))
        """,
    ),
    "no future leaks in": chain("def f(x: int): pass\nprint(f.__annotations__)"),
    "dataclass with string annotations": chain(
        """
        import dataclasses, typing

        @dataclasses.dataclass
        class P:
            x: "int"
            y: "list[P]" = dataclasses.field(default_factory=list)
            k: "typing.ClassVar[int]" = 3
        """,
        """
        print(P(3), [f.name for f in dataclasses.fields(P)], typing.get_type_hints(P))
        """,
    ),
    "pickle": chain(
        """
        import collections, copy, enum, pickle, typing

        class E(enum.Enum):
            A = 1

        class N(typing.NamedTuple):
            a: int

        C = collections.namedtuple("C", "a b")

        def f(): return 1
        """,
        """
        for thing in (E.A, N(1), C(1, 2), f, E):
            again = pickle.loads(pickle.dumps(thing))
            print(again == thing, type(again).__module__, copy.deepcopy(thing) == thing)
        """,
    ),
    "main": chain(
        """
        import sys
        if __name__ == "__main__":
            print("main body ran", sys.modules["__main__"].__dict__ is globals())
        print(__spec__, __package__, __doc__, sorted(n for n in dir() if n != "__annotations__"))
        """,
        "import __main__\nprint(__main__.sys is sys)",
    ),
    "warnings": chain(
        """
        import sys, warnings
        warnings.showwarning = lambda *a, **k: print(a[1].__name__, *a[2:4])

        def old():
            warnings.warn("old", DeprecationWarning, stacklevel=2)

        old()
        """,
        """
        x = 1

        old(); old()
        exec("z = x is 2")
        """,
    ),
    "logging": chain(
        """
        import logging, sys
        logging.basicConfig(
            format="%(pathname)s:%(filename)s:%(lineno)d %(funcName)s %(message)s",
            stream=sys.stdout,
        )
        def f():
            logging.warning("there")
        """,
        "logging.warning('here')\nf()",
    ),
    "tracebacks that a fence prints": chain(
        """
        import sys, traceback

        def f(x):
            return (1 + x) / 0

        try:
            f(1)
        except ZeroDivisionError:
            traceback.print_exc(file=sys.stdout)
        """,
        """
        try:
            f(2)
        except ZeroDivisionError as error:
            print(error.__traceback__.tb_next.tb_lineno)
            traceback.print_tb(error.__traceback__, file=sys.stdout)
        print(f.__code__.co_firstlineno, sys._getframe().f_lineno)
        """,
    ),
    "doctest, unittest, profiler": chain(
        """
        import cProfile, doctest, io, pstats, sys, unittest

        def f(x):
            '''
            >>> f(1)
            3
            '''
            return x

        class T(unittest.TestCase):
            def test_f(self):
                self.assertEqual(f(1), 2)
        """,
        """
        print(doctest.testmod())
        log = io.StringIO()
        unittest.main(exit=False, testRunner=unittest.TextTestRunner(log))
        print([line for line in log.getvalue().splitlines() if "x.md" in line or ":" in line])
        profile = cProfile.Profile()
        profile.run("f(1)")
        print(sorted(where for where in pstats.Stats(profile).stats if "x.md" in where[0]))
        """,
    ),
    "contextvars": chain(
        """
        import contextvars, decimal
        v = contextvars.ContextVar("v", default=1)
        v.set(2)
        decimal.getcontext().prec = 3
        """,
        "print(v.get(), decimal.Decimal(1) / 3)",
    ),
    "asserts that hold": chain(
        """
        import sys, weakref
        log = []
        def f(x):
            log.append(x)
            return x
        class Big: pass
        big = Big()
        assert f(1) == 1 and f(2) < f(3) and not f(0), f(99)
        assert f(0) or f([1]) and len(f("ab")) == 2 and f(-1) is not None
        assert (n := f(7)) == 7
        assert sys.getrefcount(big) == 2
        assert weakref.ref(Big())() is None
        for i in range(3): assert f(i) in (0, 1, 2); print(i)
        if n: assert (f(1) if n else f(2)), (
            f(98))
        try:
            assert f(5) == 6, f"message {f(97)}"
        except AssertionError as error:
            print(repr(error), error.__traceback__.tb_lineno)
        print(log, n, sorted(globals()))
        """
    ),
    "relative lines in classes": chain(
        "\n" * 20 + "class A:\n    x = 21\n    y = [22, 62]\nprint(A.x, A.y)"
    ),
    "destructors see their imports": chain(
        """
        import os
        class R:
            def __del__(self): print("closed", os.sep, helper())
        def helper(): return 1
        r = R()
        del r
        """
    ),
    "a name of the page in code": chain("'''docstring'''\nprint(__doc__)", "print(__name__)"),
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_child(PLAIN, tmp_path_factory.mktemp("chains"))


@pytest.mark.parametrize("name", PLAIN)
def test_prints_what_a_script_prints(name: str, plain: dict[str, Any], tmp_path: Path) -> None:
    result = plain[name]
    assert result["failure"] is None, result["failure"]["traceback"]
    assert result["printed"]
    assert result["printed"] == as_script(PLAIN[name], tmp_path)


CHILDREN: dict[str, Chain] = {
    method: chain(
        """
        from __future__ import annotations
        import inspect, multiprocessing

        def square(x: undefined):
            return x * x

        def source(x):
            return inspect.getsourcelines(square)

        def fails(x):
            return 1 / x
        """,
        f"""
        from __future__ import annotations
        from concurrent.futures import ProcessPoolExecutor

        def cube(x: undefined):
            return x ** 3

        if __name__ == "__main__":
            context = multiprocessing.get_context("{method}")
            with context.Pool(1) as pool:
                print(pool.map(square, [1, 2, 3]), pool.map(cube, [2]), pool.map(source, [0]))
                try:
                    pool.map(fails, [0])
                except ZeroDivisionError as error:
                    lines = str(error.__cause__).splitlines()
                    print([lines[at : at + 2] for at in range(len(lines)) if "x.md" in lines[at]])
            with ProcessPoolExecutor(1, mp_context=context) as executor:
                print(list(executor.map(cube, [3])))
        """,
    )
    for method in ("fork", "spawn", "forkserver")
}


@pytest.fixture(scope="module")
def children(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_child(CHILDREN, tmp_path_factory.mktemp("children"))


@pytest.mark.parametrize("method", CHILDREN)
def test_children_import_the_fences(method: str, children: dict[str, Any]) -> None:
    assert children[method]["failure"] is None, children[method]["failure"]["traceback"]
    assert children[method]["printed"].splitlines() == [
        "[1, 4, 9] [8] [(['def square(x: undefined):\\n', '    return x * x\\n'], 44)]",
        "[['  File \"lessons/x.md\", line 51, in fails', '    return 1 / x']]",
        "[27]",
    ]


def test_a_missing_main_guard_is_the_error_it_is_in_a_script(tmp_path: Path) -> None:
    code = """
        import multiprocessing

        def f():
            print("never")

        process = multiprocessing.get_context("spawn").Process(target=f)
        process.start()
        process.join()
        print(process.exitcode)
        """
    result = run_child({"no guard": chain(code)}, tmp_path)["no guard"]
    assert result == {"printed": "1\n", "failure": None}


TORCH: dict[str, tuple[Chain, str]] = {
    "jit.script": (
        chain(
            """
            import torch

            @torch.jit.script
            def f(x: torch.Tensor, n: int):
                for i in range(n):
                    x = x + i
                return x

            class M(torch.nn.Module):
                def forward(self, x):
                    return x * 2
            """,
            """
            print(f(torch.ones(1), 3), torch.jit.script(M())(torch.ones(1)))
            try:
                @torch.jit.script
                def bad(x):
                    return x.foo(bar)
            except Exception as error:
                print([line for line in str(error).splitlines() if "x.md" in line])
            """,
        ),
        "tensor([4.]) tensor([2.])\n['  File \"lessons/x.md\", line 75']\n",
    ),
    "compile": (
        chain(
            """
            import torch

            @torch.compile(backend="aot_eager")
            def f(x):
                assert x.shape[0] == 2
                return x.sin() + x.cos()
            """,
            """
            print(f(torch.zeros(2)))

            @torch.compile(backend="eager", fullgraph=True)
            def g(x):
                print("hi")
                return x + 1
            try:
                g(torch.ones(2))
            except Exception as error:
                print([line.strip() for line in str(error).splitlines() if "x.md" in line])
            """,
        ),
        "tensor([1., 1.])\n['File \"lessons/x.md\", line 75, in g']\n",
    ),
    "triton interpreter": (
        chain(
            """
            import torch, triton, triton.language as tl

            @triton.jit
            def add_kernel(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
                offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
                m = offs < n
                sum = tl.load(x_ptr + offs, mask=m) + tl.load(y_ptr + offs, mask=m)
                tl.store(o_ptr + offs, sum, mask=m)
            """,
            """
            x, y, o = torch.randn(100), torch.randn(100), torch.empty(100)
            add_kernel[(triton.cdiv(100, 32),)](x, y, o, 100, BLOCK=32)
            print(torch.allclose(o, x + y))
            """,
        ),
        "True\n",
    ),
    "save and custom operators": (
        chain(
            """
            from __future__ import annotations
            import io
            import torch

            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.l = torch.nn.Linear(2, 2)
                def forward(self, x):
                    return self.l(x)

            @torch.library.custom_op("fencerun_fidelity::add1", mutates_args=())
            def add1(x: torch.Tensor, n: int) -> torch.Tensor:
                return x + n
            """,
            """
            b = io.BytesIO()
            torch.save(Net(), b)
            b.seek(0)
            print(type(torch.load(b, weights_only=False)) is Net)
            print(torch.ops.fencerun_fidelity.add1.default._schema)
            """,
        ),
        "True\nfencerun_fidelity::add1(Tensor x, SymInt n) -> Tensor\n",
    ),
    **{
        f"DataLoader {method}": (
            chain(
                """
                import torch
                from torch.utils.data import DataLoader, Dataset

                class D(Dataset):
                    def __len__(self): return 8
                    def __getitem__(self, i): return torch.tensor(i)
                """,
                f"""
                if __name__ == "__main__":
                    loader = DataLoader(
                        D(), batch_size=4, num_workers=2, multiprocessing_context="{method}"
                    )
                    print([b.tolist() for b in loader])
                """,
            ),
            "[[0, 1, 2, 3], [4, 5, 6, 7]]\n",
        )
        for method in ("fork", "spawn", "forkserver")
    },
    "a failed assert on tensors": (
        chain(
            """
            import torch
            x = torch.tensor([1.0, 2.0])
            assert torch.allclose(x, 2 * x.detach()), "differ"
            """
        ),
        "",
    ),
}


@pytest.fixture(scope="module")
def torch_results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    pytest.importorskip("torch")
    pytest.importorskip("triton")
    cases = {name: fences for name, (fences, _) in TORCH.items()}
    directory = tmp_path_factory.mktemp("torch")
    return run_child(cases, directory, TRITON_INTERPRET="1", OMP_NUM_THREADS="1")


@pytest.mark.parametrize("name", [name for name in TORCH if TORCH[name][1]])
def test_torch_works_as_in_a_script(name: str, torch_results: dict[str, Any]) -> None:
    result = torch_results[name]
    assert result["failure"] is None, result["failure"]["traceback"]
    assert result["printed"].startswith(TORCH[name][1])


def test_a_failed_assert_shows_tensors(torch_results: dict[str, Any]) -> None:
    failure = torch_results["a failed assert on tensors"]["failure"]
    assert failure["summary"] == "AssertionError: differ"
    assert failure["line"] == 43
    assert failure["values"] == [
        ["torch.allclose(x, 2 * x.detach())", "False"],
        ["x", "tensor([1., 2.])"],
    ]
