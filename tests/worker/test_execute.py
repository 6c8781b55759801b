"""Running fences of one chain: what they share, what they print, what is left of them."""

from __future__ import annotations

import contextlib
import gc
import inspect
import io
import linecache
import sys
import warnings
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.worker import execute
from fencerun.worker.namespace import Script
from fencerun.worker.source import Fence, PageLines

PAGE = "lessons/x.md"


@pytest.fixture
def script() -> Iterator[Script]:
    with Script(PAGE, "/nowhere/lessons") as made:
        yield made


def run(script: Script, code: str, line: int = 41, **options: Any) -> str:
    """What a fence prints that must not fail."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        failure = execute.run(script, code, line, **options)
    assert failure is None, failure["traceback"]
    return printed.getvalue()


def test_fences_share_a_namespace_and_a_context(script: Script) -> None:
    run(script, "import decimal\ndecimal.setcontext(decimal.Context(3))\nx = 1")
    assert run(script, "print(x, decimal.Decimal(1) / 3)", 60) == "1 0.333\n"
    import decimal

    assert decimal.getcontext().prec != 3


@pytest.mark.parametrize("code", ["raise SystemExit", "import sys; sys.exit(0)", "exit(0)"])
def test_a_clean_exit_ends_the_fence_only(script: Script, code: str) -> None:
    assert run(script, f"x = 1\n{code}\nx = 2") == ""
    assert run(script, "print(x)", 60) == "1\n"


def test_keyboard_interrupt_is_handed_up_and_can_be_placed(script: Script) -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        execute.run(script, "x = 1\n\nraise KeyboardInterrupt", 41)
    failure = execute.interrupted(script, caught.value)
    assert failure["line"] == 43
    assert "fencerun" not in failure["traceback"]


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        pytest.param("x = 'a'\nx", "'a'\n", id="value"),
        pytest.param("'only'", "'only'\n", id="string"),
        pytest.param("None", "", id="none"),
        pytest.param("1;", "", id="semicolon"),
        pytest.param("'é'  ;  # no", "", id="semicolon and comment"),
        pytest.param("'é'  # yes ;", "'é'\n", id="comment with a semicolon"),
        pytest.param("(1,\n 2)", "(1, 2)\n", id="two lines"),
        pytest.param("x = 1", "", id="statement"),
        pytest.param("if 1:\n    2", "", id="inner"),
        pytest.param("", "", id="empty"),
        pytest.param("# comment", "", id="comment"),
        pytest.param("import asyncio\nawait asyncio.sleep(0, 'slept')", "'slept'\n", id="await"),
    ],
)
def test_echo(script: Script, code: str, printed: str) -> None:
    assert run(script, code, echo=True) == printed
    assert run(script, code, echo=False) == ""
    assert "_" not in script.module.__dict__


def test_await_at_top_level_shares_one_loop(script: Script) -> None:
    run(
        script,
        "import asyncio, contextvars\nv = contextvars.ContextVar('v', default=0)\n"
        "queue = asyncio.Queue()\nloop = asyncio.get_running_loop() if 0 else None\n"
        "await queue.put(1)\nv.set(2)\nlater = asyncio.ensure_future(asyncio.sleep(0, 3))",
    )
    assert run(script, "print(v.get())", 60) == "2\n"
    assert run(script, "print(await queue.get(), await later, v.get())", 80) == "1 3 2\n"
    # And a fence may still run a loop of its own.
    assert run(script, "print(asyncio.run(asyncio.sleep(0, 4)))", 90) == "4\n"


def test_what_still_awaits_ends_with_the_chain() -> None:
    with Script(PAGE, "/nowhere") as script:
        run(
            script,
            "import asyncio\nstopped = []\nasync def forever():\n"
            "    try: await asyncio.sleep(1000)\n    finally: stopped.append(1)\n"
            "task = asyncio.ensure_future(forever())\nawait asyncio.sleep(0)\n"
            "await asyncio.to_thread(int)",
        )
        stopped = script.module.__dict__["stopped"]
    assert stopped == [1]


@pytest.mark.parametrize("line", [1, 41, 50_000])
def test_syntax_warnings_are_on_page_lines(script: Script, line: int) -> None:
    code = "x = 1\n\nx = x is 1\nassert (x, 'always')\nclass A:\n    y = x is 2\n"
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        run(script, code, line)
    places = [(one.filename, one.lineno) for one in seen if one.category is SyntaxWarning]
    assert sorted(places) == [(PAGE, line + 2), (PAGE, line + 3), (PAGE, line + 5)]


def test_breakpoint_fails_on_its_page_line(script: Script) -> None:
    failure = execute.run(script, "def f():\n    breakpoint()\nf()", 41, number=4)
    assert failure is not None
    assert failure["line"] == 42
    assert "lessons/x.md:42 in fence 4" in failure["message"]


@pytest.mark.parametrize(
    ("expression", "spec", "result"),
    [
        pytest.param("x", None, {"text": "1234.5"}, id="str"),
        pytest.param(" x ", ".1e", {"text": "1.2e+03"}, id="format"),
        pytest.param("f'{x:,}'", None, {"text": "1,234.5"}, id="expression"),
        pytest.param("y", None, {"error": "NameError: name 'y' is not defined"}, id="name"),
        pytest.param("x +", None, {"error": "SyntaxError: invalid syntax"}, id="syntax"),
        pytest.param(
            "x",
            "d",
            {"error": "ValueError: Unknown format code 'd' for object of type 'float'"},
            id="spec",
        ),
        pytest.param("exit(1)", None, {"error": "SystemExit: 1"}, id="exit"),
    ],
)
def test_evaluate(
    script: Script, expression: str, spec: str | None, result: dict[str, str]
) -> None:
    run(script, "x = 1234.5")
    assert execute.evaluate(script, expression, spec) == result


def test_evaluate_sees_the_chains_context(script: Script) -> None:
    run(script, "import decimal\ndecimal.setcontext(decimal.Context(3))")
    assert execute.evaluate(script, "decimal.Decimal(1) / 3", None) == {"text": "0.333"}


def test_leaving_the_script_leaves_nothing_behind() -> None:
    main, hook, finders = sys.modules["__main__"], sys.breakpointhook, list(sys.meta_path)
    files, sources = set(inspect.modulesbyfile), set(linecache.cache)
    script = Script(PAGE, "/nowhere/lessons")
    with script:
        run(
            script,
            "import inspect, typing\nclass Big: pass\nbig = Big()\nBig.own = big\n"
            "kept = typing.Optional[Big]\nloop = [big]; loop.append(loop)",
        )
        run(script, "print(inspect.getsource(Big), inspect.getmodule(Big))", 60)
        big = weakref.ref(script.module.__dict__["big"])
        assert sys.modules["__main__"] is script.module
    gc.collect()
    assert big() is None
    assert not script.module.__dict__
    assert sys.modules["__main__"] is main
    assert (sys.breakpointhook, sys.meta_path) == (hook, finders)
    assert set(inspect.modulesbyfile) == files
    assert {name for name in linecache.cache if "x.md" in name} <= sources


@pytest.mark.parametrize(
    "code", ["raise ValueError(big)", "assert big == 1", "assert str(big) == ''"]
)
def test_a_failure_keeps_nothing_alive(code: str) -> None:
    with Script(PAGE, "/nowhere/lessons") as script:
        run(script, "class Big: pass\nbig = Big()")
        big = weakref.ref(script.module.__dict__["big"])
        failure = execute.run(script, f"def f(big):\n    {code}\nf(big)", 60)
        assert failure is not None
        assert execute.run(script, code, 70) is not None
    gc.collect()
    assert big() is None


def test_destructors_still_see_what_they_use(capfd: pytest.CaptureFixture[str]) -> None:
    with Script(PAGE, "/nowhere") as script:
        run(
            script,
            "import os\ndef say(): os.write(1, b'gone')\n"
            "class A:\n    def __del__(self): say()\na = A()",
        )
    assert capfd.readouterr() == ("gone", "")


def test_a_fence_that_mocks_main_is_put_right() -> None:
    main = sys.modules["__main__"]
    with Script(PAGE, "/nowhere") as script:
        run(script, "import sys\ndel sys.modules['__main__']\nglobals().clear()")
    assert sys.modules["__main__"] is main


def test_scripts_may_nest() -> None:
    with Script(PAGE, "/nowhere") as outer, Script("y.md", "/nowhere") as inner:
        run(inner, "x = 1")
        assert sys.modules["__main__"] is inner.module
    assert "x" not in outer.module.__dict__


def test_the_recorder_shows_nowhere(script: Script) -> None:
    code = (
        "before = set(globals())\nassert str(1) == '1' and len('ab')\n"
        "print(sorted(set(globals()) - before))\nprint([n for n in dir() if not n.isidentifier()])"
    )
    assert run(script, code) == "['before']\n[]\n"
    assert not script.recorder.values


FENCES = st.lists(
    st.tuples(
        st.integers(1, 60),
        st.lists(st.sampled_from(["a", "", " b", "\x0c"]), min_size=1, max_size=4),
    ),
    max_size=6,
)


@given(FENCES)
def test_page_lines_are_a_list_of_lines(fences: list[tuple[int, list[str]]]) -> None:
    lines = PageLines()
    expected: list[str] = []
    for line, code in fences:
        fence = Fence("\n".join(code), line, 0)
        lines.add(fence)
        end = line - 1 + len(fence.lines)
        expected += ["\n"] * (end - len(expected))
        expected[line - 1 : end] = fence.lines
    assert list(lines) == expected
    assert len(lines) == len(expected)
    assert [lines[at] for at in range(len(expected))] == expected
    assert [lines[-at] for at in range(1, len(expected) + 1)] == expected[::-1]
    assert lines[2:9:2] == expected[2:9:2]
    with pytest.raises(IndexError):
        lines[len(expected)]
