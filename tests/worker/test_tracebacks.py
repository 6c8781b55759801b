"""What an author reads of an exception: page lines, no frame of the tool, few of the libraries."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from fencerun.worker import execute
from fencerun.worker.namespace import Script


def fail(code: str, *, line: int = 41, directory: str = "/nowhere/lessons") -> dict[str, Any]:
    with Script("lessons/x.md", directory) as script:
        failure = execute.run(script, textwrap.dedent(code).strip("\n"), line)
    assert failure is not None
    return failure


def without_carets(text: str) -> str:
    lines = text.splitlines()
    return "\n".join(line for line in lines if set(line) - set(" |~^"))


@pytest.mark.parametrize(
    ("code", "summary", "line", "mro"),
    [
        pytest.param(
            "x = 1\nopt", "NameError: name 'opt' is not defined", 42, "NameError", id="name"
        ),
        pytest.param(
            "1 / 0", "ZeroDivisionError: division by zero", 41, "ZeroDivisionError", id="zero"
        ),
        pytest.param("{}['a']", "KeyError: 'a'", 41, "KeyError", id="key"),
        pytest.param("raise ValueError", "ValueError", 41, "ValueError", id="empty message"),
        pytest.param("raise ValueError('a\\n\\nb')", "ValueError: a", 41, "ValueError", id="lines"),
        pytest.param(
            "class E(Exception): pass\nraise E('own')", "E: own", 42, "E", id="class of the page"
        ),
        pytest.param(
            "import json\njson.loads('{')",
            "json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: "
            "line 1 column 2 (char 1)",
            42,
            "json.decoder.JSONDecodeError",
            id="dotted",
        ),
        pytest.param(
            "import sys\nsys.exit(3)", "SystemExit: exit status 3", 42, "SystemExit", id="exit"
        ),
        pytest.param("raise SystemExit('no')", "SystemExit: no", 41, "SystemExit", id="exit text"),
        pytest.param(
            "class E(Exception):\n    def __str__(self): 1 / 0\nraise E",
            "E: <its str() raises ZeroDivisionError>",
            43,
            "E",
            id="str raises",
        ),
        pytest.param(
            "import pdb\nraise __import__('bdb').BdbQuit", None, 42, "bdb.BdbQuit", id="pdb"
        ),
        pytest.param(f"raise KeyError('{'a' * 999}')", None, 41, "KeyError", id="long"),
    ],
)
def test_summary(code: str, summary: str | None, line: int, mro: str) -> None:
    failure = fail(code)
    assert summary is None or failure["summary"] == summary
    assert len(failure["summary"]) <= 300
    assert (failure["line"], failure["mro"][0]) == (line, mro)
    assert failure["mro"][-2:] == ("BaseException", "object")
    assert failure["kind"] == ("exit" if "SystemExit" in failure["mro"] else "exception")
    assert "fencerun" not in failure["traceback"]


def test_frames_of_the_page_stay_and_those_of_libraries_are_cut() -> None:
    failure = fail(
        """
        import io, json

        class A:
            @property
            def x(self):
                return json.load(io.StringIO("[1, 2"), object_hook=print)

        def down(n):
            return max([n], key=lambda m: down(m - 1) if m else A().x)

        import functools, copy
        class B:
            def __deepcopy__(self, memo):
                down(1)
        copy.deepcopy([[[B()]]])
        """
    )
    lines = without_carets(failure["traceback"]).splitlines()
    assert lines[:4] == [
        "Traceback (most recent call last):",
        '  File "lessons/x.md", line 55, in <module>',
        "    copy.deepcopy([[[B()]]])",
        "  … 7 frames in copy …",
    ]
    assert '  File "lessons/x.md", line 54, in __deepcopy__' in lines
    assert '  File "lessons/x.md", line 46, in x' in lines
    library = [line for line in lines if "json" in line and line.startswith("  File")]
    assert len(library) == 2
    assert lines.index(library[0]) == lines.index("  … 2 frames in json …") + 1
    assert failure["line"] == 46


def test_modules_beside_the_page_are_no_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fidelity_helper.py").write_text(
        "def go(n):\n    return go(n - 1) if n else 1 / 0\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    failure = fail("import fidelity_helper\nfidelity_helper.go(1)", directory=str(tmp_path))
    assert failure["traceback"].count("fidelity_helper.py") == 2
    assert failure["line"] == 42


def test_chained_exceptions() -> None:
    failure = fail(
        """
        try:
            try:
                1 / 0
            except ZeroDivisionError as error:
                raise ValueError("first") from error
        except ValueError:
            raise KeyError("second")
        """
    )
    assert without_carets(failure["traceback"]) == textwrap.dedent(
        """\
        Traceback (most recent call last):
          File "lessons/x.md", line 43, in <module>
            1 / 0
        ZeroDivisionError: division by zero
        The above exception was the direct cause of the following exception:
        Traceback (most recent call last):
          File "lessons/x.md", line 45, in <module>
            raise ValueError("first") from error
        ValueError: first
        During handling of the above exception, another exception occurred:
        Traceback (most recent call last):
          File "lessons/x.md", line 47, in <module>
            raise KeyError("second")
        KeyError: 'second'"""
    )
    assert failure["line"] == 47


@pytest.mark.skipif(sys.version_info < (3, 11), reason="groups and notes are of Python 3.11")
def test_groups_and_notes() -> None:
    failure = fail(
        """
        def inner():
            raise TypeError("t")
        try:
            inner()
        except TypeError as error:
            error.add_note("a note")
            raise ExceptionGroup("g", [ValueError(1), error])
        """
    )
    text = without_carets(failure["traceback"])
    assert '    |   File "lessons/x.md", line 42, in inner\n    |     raise TypeError("t")' in text
    assert "    | a note" in text
    assert failure["summary"] == "ExceptionGroup: g (2 sub-exceptions)"
    assert failure["line"] == 47


@pytest.mark.skipif(sys.version_info < (3, 11), reason="carets are of Python 3.11")
def test_carets_are_under_the_page_text() -> None:
    assert fail("def f(a):\n    return (1 + a) + {}['k']\nf(1)")["traceback"].splitlines()[
        -4:-1
    ] == [
        '  File "lessons/x.md", line 42, in f',
        "    return (1 + a) + {}['k']",
        "                     ~~^^^^^",
    ]


def test_recursion_and_long_chains_stay_readable() -> None:
    deep = fail("def f(n):\n    return f(n + 1)\nf(0)")
    assert len(deep["traceback"].splitlines()) < 20
    chained = fail(
        """
        error = None
        for n in range(300):
            try:
                raise ValueError(n) from error
            except ValueError as e:
                error = e
        raise error
        """
    )
    assert len(chained["traceback"].splitlines()) <= 201
    assert chained["traceback"].rstrip().endswith("ValueError: 299")


@pytest.mark.parametrize(
    ("code", "line", "shown"),
    [
        pytest.param("x = 1\ndef f(:\n  pass", 42, "    def f(:\n          ^", id="parser"),
        pytest.param("x = 1\n\nreturn 3", 43, "    return 3\n    ^", id="compiler"),
        pytest.param("if 1:\npass", 42, "    pass\n    ^", id="indentation"),
        pytest.param("x = '''", 41, "    x = '''\n        ^", id="unterminated"),
        pytest.param(
            "def f():\n    x = 1\n    nonlocal y", 43, "    nonlocal y\n    ^", id="symbols"
        ),
        pytest.param("a\nassert f(1) ==", 42, "    assert f(1) ==\n", id="in an assert"),
        pytest.param("class A:\n    break", 42, "    break\n    ^", id="in a class"),
        pytest.param("x = 1\x00", 41, "", id="null byte"),
        pytest.param("x = '\ud800'", 41, "", id="surrogate"),
        pytest.param("(" * 500 + ")" * 500, 41, "", id="nesting"),
        pytest.param("-" * 100_000 + "1", 41, "", id="recursion"),
    ],
)
def test_syntax_errors_are_on_page_lines(code: str, line: int, shown: str) -> None:
    failure = fail(code)
    assert failure["kind"] == "syntax"
    assert failure["line"] == line
    assert shown in failure["traceback"]
    if shown:
        assert failure["traceback"].startswith(f'  File "lessons/x.md", line {line}\n')
    assert "x.md" not in failure["message"]


def test_code_that_is_no_part_of_the_page_is_not_blamed_as_its_syntax() -> None:
    failure = fail("x = 1\ncompile('def f(', '<inner>', 'exec')")
    assert (failure["kind"], failure["line"]) == ("exception", 42)


def test_missing_name() -> None:
    assert fail("opt.step()")["missing_name"] == "opt"
    assert fail("def f():\n    del x\n    x\nf()")["missing_name"] is None
    assert fail("raise NameError('odd')")["missing_name"] is None
    assert fail("raise NameError(\"name 'a' is not defined\")")["missing_name"] == "a"


@pytest.mark.parametrize(
    ("code", "values"),
    [
        pytest.param("x = [1]\nassert x == []", {"x": "[1]"}, id="name"),
        pytest.param("x = [1]\nassert len(x) == 3", {"len(x)": "1", "x": "[1]"}, id="call"),
        pytest.param("x = 1j\nassert x.imag > 2", {"x.imag": "1.0"}, id="attribute"),
        pytest.param("d = {'a': [5]}\nassert d['a'][0] == 4", {"d['a'][0]": "5"}, id="item"),
        pytest.param("a, b = 0, 1\nassert a and b", {"a": "0", "b": "1"}, id="and"),
        pytest.param(
            "a = None\nassert a is not None and a.x == 1", {"a": "None"}, id="short circuit"
        ),
        pytest.param("a = 3\nassert not a", {"a": "3"}, id="not"),
        pytest.param("p = [1, -1]\nassert all(v > 0 for v in p)", {"p": "[1, -1]"}, id="generator"),
        pytest.param(
            "p = [1]\nassert all([v > 1 for v in p])",
            {"all([v > 1 for v in p])": "False", "p": "[1]"},
            id="comprehension",
        ),
        pytest.param(
            "import math\nassert math.isclose(1, 2)", {"math.isclose(1, 2)": "False"}, id="module"
        ),
        pytest.param(
            "a = 1\nassert (a +\n    1) == 3, 'm'", {"a + 1": "2", "a": "1"}, id="two lines"
        ),
        pytest.param("def f(x):\n    assert x * 2 == 5\nf(2)", {"x": "2"}, id="in a function"),
        pytest.param("def f(x): assert x; assert not x\nf(2)", {"x": "2"}, id="two on a line"),
        pytest.param(
            "x = 1\nif x:\n    assert (y := x + 1) == 3", {"y := x + 1": "2"}, id="walrus"
        ),
        pytest.param(
            "x = 1\ntry:\n    assert abs(x) == 2\nfinally: x = 5", {"abs(x)": "1"}, id="finally"
        ),
        pytest.param("assert False, 'no'", {}, id="constant"),
        pytest.param("x = 1\nraise AssertionError('a')", {}, id="raised"),
        pytest.param(
            "import asyncio\nasync def f(): return 2\nassert await f() == 3",
            {"await f()": "2"},
            id="await",
        ),
    ],
)
def test_a_failed_assert_shows_its_values(code: str, values: dict[str, str]) -> None:
    failure = fail(code)
    assert failure["mro"][0] == "AssertionError"
    shown = dict(failure["values"])
    assert {name: shown.get(name) for name in values} == values
    assert bool(shown) == bool(values)


def test_each_call_of_a_failed_assert_is_shown_and_made_once() -> None:
    calls = "n = []\ndef f():\n    n.append(0)\n    return len(n)\n"
    failure = fail(f"{calls}assert f() == f() == 3 or n and f() < 0")
    assert failure["values"] == (("f()", "1"), ("f()", "2"), ("n", "[0, 0, 0]"), ("f()", "3"))


def test_a_failed_assert_without_message_is_summed_up_by_its_condition() -> None:
    failure = fail("x = 1\nassert x + 1 == 3")
    assert (failure["summary"], failure["message"]) == ("AssertionError: x + 1 == 3", "")
    assert fail("assert 1 == 2, 'told'")["summary"] == "AssertionError: told"


@pytest.mark.parametrize(
    ("value", "start", "longest"),
    [
        pytest.param("'ab' * 400", "'abab", 200, id="long"),
        pytest.param("list(range(10**6))", "[0, 1,", 200, id="big"),
        pytest.param("Bad()", "<its repr raises ZeroDivisionError>", 200, id="repr raises"),
    ],
)
def test_reprs_are_cut(value: str, start: str, longest: int) -> None:
    bad = "class Bad:\n    def __repr__(self): 1 / 0\n"
    ((name, shown),) = fail(f"{bad}x = {value}\nassert x is None")["values"]
    assert name == "x"
    assert shown.startswith(start)
    assert len(shown) <= longest


def test_values_of_an_assert_inside_a_library_are_not_guessed(tmp_path: Path) -> None:
    code = f"import os\nexec(compile('assert x == 2', {os.devnull!r}, 'exec'), {{'x': 1}})"
    failure = fail(code)
    assert (failure["values"], failure["line"]) == ((), 42)
