from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.export import source


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("x", "x;"),
        ("f(x)", "f(x);"),
        ("x = 1", "x = 1"),
        ("print(x)", "print(x)"),
        ("x  # why", "x;  # why"),
        ("(x)", "(x);"),
        ("(\n    x\n)", "(\n    x\n);"),
        ("((x) )", "((x) );"),
        ("x;", "x;"),
        ("(x);", "(x);"),
        ("a = 1\n'é' + b", "a = 1\n'é' + b;"),
        ("for x in y:\n    x", "for x in y:\n    x"),
        ("await f()", "await f();"),
        ("x = = 1", "x = = 1"),
        ("", ""),
        ("# only a comment", "# only a comment"),
        ("a; b", "a; b;"),
        ('"""text\nmore"""', '"""text\nmore""";'),
    ],
)
def test_last_expressions_are_silenced(code: str, made: str) -> None:
    assert source.silent(code) == made


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("x\ny", "    x\n    y"),
        ("s = '''a\n  b'''\nx", "    s = '''a\n  b'''\n    x"),
        ("s = f'''{x}\nb {1 + 1}\n'''", "    s = f'''{x}\nb {1 + 1}\n'''"),
        ("if x:\n    y\n\nz", "    if x:\n        y\n\n    z"),
        ("# c\nx", "    # c\n    x"),
        ("x = = 1", None),
        ("# only", None),
        ("s = 'a\\\nb'", "    s = 'a\\\nb'"),
    ],
)
def test_code_moves_in_and_strings_stay(code: str, made: str | None) -> None:
    assert source.indented(code) == made


@pytest.mark.parametrize(
    ("code", "found", "rest"),
    [
        ("x", [], "x"),
        ("from __future__ import annotations\nx", ["annotations"],
         "# from __future__ import annotations\nx"),
        ("from __future__ import (\n    division,\n)\nx", ["division"],
         "# from __future__ import (\n#     division,\n# )\nx"),
        ("from __future__ import division; x", ["division"], "pass; x"),
        ("'é'; from __future__ import (division,\n  annotations); x\ny",
         ["division", "annotations"], "'é'; pass; x\n\ny"),
        ("from __future__ import division; from __future__ import annotations",
         ["division", "annotations"], "pass; pass"),
    ],
)  # fmt: skip
def test_future_imports_go_to_the_top(code: str, found: list[str], rest: str) -> None:
    assert source.futures(code) == (found, rest)


@pytest.mark.parametrize(
    ("code", "does"),
    [("await x", True), ("async for a in b: pass", True), ("x", False), ("x = = 1", False),
     ("async def f():\n    await x", False)],
)  # fmt: skip
def test_top_level_await(code: str, does: bool) -> None:
    assert source.awaits(code) == does


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("x", "L\nx"),
        ("from __future__ import annotations\nx", "from __future__ import annotations\nL\nx"),
        ("# c\nfrom __future__ import (\n    division,\n)", "# c\nfrom __future__ import (\n"
         "    division,\n)\nL"),
        ("from __future__ import division; x; y", "from __future__ import division\nL\nx; y"),
        ("from __future__ import division; # c", "from __future__ import division\nL\n# c"),
        ("x = = 1", "L\nx = = 1"),
    ],
)  # fmt: skip
def test_a_line_goes_below_future_imports(code: str, made: str) -> None:
    assert source.after_futures(code, "L") == made


@given(st.text(alphabet=st.sampled_from("ab\n\"'\\\t é\x00\r{}"), max_size=30))
def test_literals_are_what_they_say(text: str) -> None:
    assert ast.literal_eval(source.literal(text)) == text
