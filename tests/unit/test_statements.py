"""Which lines of a fence a coverage report counts: those where Python says that it runs one."""

from __future__ import annotations

import sys
from textwrap import dedent
from types import FrameType
from typing import Any

import pytest

from fencerun.statements import statements

CODES: dict[str, tuple[str, dict[int, int], set[int]]] = {
    "one a line": ("a = 1\nb = 2\n", {1: 1, 2: 2}, set()),
    "blank lines and comments": ("a = 1\n\n# why\nb = 2\n", {1: 1, 4: 4}, set()),
    "several lines": ("a = max(\n    1,\n    2,\n)\nb\n", {1: 1, 2: 1, 3: 1, 4: 1, 5: 5}, set()),
    "text over lines": ("a = '''\nx\n'''\n", {1: 1, 2: 1, 3: 1}, set()),
    "branches": (
        "if a:\n    b\nelif (\n    c\n):\n    d\nelse:\n    e\n",
        {1: 1, 2: 2, 3: 3, 4: 3, 5: 3, 6: 6, 8: 8}, set(),
    ),
    "on one line": ("if a: b\n", {1: 1}, set()),
    "a function": (
        "@one\n@two(\n    3)\ndef f(\n    x,\n):\n    '''Says.'''\n    return x\n",
        {1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 8: 8}, set(),
    ),
    "declarations": ("def f():\n    global x\n    x = 1\n", {1: 1, 3: 3}, set()),
    "try": (
        "try:\n    a\nexcept (\n    A, B):\n    b\nelse:\n    c\nfinally:\n    d\n",
        {1: 1, 2: 2, 3: 3, 4: 3, 5: 5, 7: 7, 9: 9}, set(),
    ),
    "match": (
        "match a:\n    case 1:\n        b\n    case _:\n        c\n",
        {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}, set(),
    ),
    "never compiled": ("if False:\n    a\nb = 1\n", {1: 1, 3: 3}, set()),
    "await": ("await f()\nasync with a:\n    b\n", {1: 1, 2: 2, 3: 3}, set()),
    "left out": ("a = 1  # pragma: no cover\nb = 2\n", {1: 1, 2: 2}, {1}),
    "left out with its body": (
        "if a:  # pragma: no cover\n    b\n    def f():\n        c\nd = 1\n",
        {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}, {1, 2, 3, 4},
    ),
    "no Python": ("def f(:\n", {}, set()),
    "null bytes": ("a = '\0'\n", {}, set()),
    "nothing": ("", {}, set()),
}  # fmt: skip


@pytest.mark.parametrize(("code", "lines", "excluded"), CODES.values(), ids=list(CODES))
@pytest.mark.parametrize("first", [1, 41])
def test_statements(code: str, lines: dict[int, int], excluded: set[int], first: int) -> None:
    by = first - 1
    assert statements(code, first) == (
        {line + by: start + by for line, start in lines.items()},
        frozenset(line + by for line in excluded),
    )


ALL_RUN = """
    '''Module.'''
    import contextlib
    x: int
    y: int = 2

    def deco(f):
        return f

    @deco
    class C:
        '''Class.'''
        z = [
            n
            for n in range(3)
            if n
        ]

        @deco
        def m(
            self,
            more=lambda: 1,
        ):
            '''Method.'''
            for n in self.z:
                if n == 2:
                    continue
                while True:
                    break
            else:
                pass
            with contextlib.suppress(ValueError), \\
                    contextlib.suppress(KeyError):
                raise ValueError
            try:
                assert more() == 2, (
                    "no"
                )
            except AssertionError as error:
                del error
            finally:
                ...
            return [
                1,
                *self.z,
            ]

    match C().m():
        case [2]:
            pass
        case [1, *_]:
            x = (yield_ := 3)
    lambda: 0
"""


def test_what_is_run_is_counted_and_what_is_counted_is_run() -> None:
    """Against the lines that the interpreter reports, in code all of which runs but for a line."""
    code = dedent(ALL_RUN).lstrip("\n")
    found, _ = statements(code, 1)
    compiled = compile(code, "<it>", "exec")
    ran: set[int] = set()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != "<it>":
            return None
        if event == "line":
            ran.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        exec(compiled, {"__name__": "it"})
    finally:
        sys.settrace(before)
    counted = set(found.values())
    assert ran - found.keys() == set()
    not_run = counted - {found[line] for line in ran}
    lines = code.split("\n")
    assert [lines[line - 1].strip() for line in sorted(not_run)] == ["pass"]
