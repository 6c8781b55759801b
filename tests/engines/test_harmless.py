"""Code that is believed harmless: what is, what is not, and that nothing of Python's escapes."""

# Code stands on one line in the tables.
# ruff: noqa: E501

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

from fencerun.worker.harmless import _HANDING, _LEADING, _SAFE, is_harmless, makes_no_ring

HARMLESS = [
    "print(3)",
    "x = 1\nfor _ in range(3):\n    x += 1\nprint(x)",
    "def f(x):\n    return x + 1\n\nprint(f(2))",
    "words = 'a b'.split()\nprint(sorted(words, key=lambda word: -len(word)))",
    "print({n: n * n for n in range(9)}, sum(n for n in range(9)))",
    "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    print(error)",
    "print(f'{3.14159:.2f}', '%d' % 3)",
    "a = []\na.append(a)\nprint(len(a))",
    "def outer():\n    def inner():\n        return outer\n    return inner\nprint(outer()() is outer)",
    "match [1, 2]:\n    case [a, b]:\n        print(a, b)",
    "raise ValueError('x')",
    "",
]

HARMFUL = {
    "import": "import math",
    "import in a function": "def f():\n    import os\n    return os",
    "import of a name": "from os import umask",
    "import of all names": "from os import *",
    "file": "open('x', 'w')",
    "a builtin under another name": "show = open",
    "code made of text": "exec('1')",
    "expression made of text": "eval('1')",
    "a name made of text": "getattr(print, '__self' + '__')",
    "import by function": "__import__('os')",
    "the builtins themselves": "__builtins__",
    "own namespace": "globals()",
    "class, whose methods Python may call at any time": "class A:\n    def __del__(self): pass",
    "class by another name": "type('A', (), {})",
    "way up from a class": "().__class__.__base__.__subclasses__()",
    "globals of a function": "(lambda: 0).__globals__",
    "frame of a generator": "(n for n in ()).gi_frame.f_builtins",
    "traceback's frame": "try:\n    1 / 0\nexcept Exception as e:\n    e.with_traceback(None).tb_frame",
    "attribute in a format": "'{0.__globals__}'.format(lambda: 0)",
    "attribute in a format of a mapping": "'{x.__globals__}'.format_map({'x': lambda: 0})",
    "what lacked an attribute": "try:\n    (3).x\nexcept AttributeError as e:\n    e.obj",
    "attribute in a pattern": "try:\n    1 / 0\nexcept Exception as e:\n    match e:\n        case Exception(__traceback__=found): pass",
    "generator, which ends later": "def f():\n    try:\n        yield\n    finally:\n        print(1)",
    "coroutine": "async def f(): pass",
    "await": "await x",
    "annotation": "x: int = 1",
    "end of the interpreter": "raise SystemExit",
    "interrupt": "raise KeyboardInterrupt",
    "hidden in a lambda of a lambda": "f = lambda: lambda: __import__('os')",
    "input": "input()",
    "site's": "exit()",
}


def compiled(code: str) -> types.CodeType:
    found: types.CodeType = compile(code, "p.md", "exec", 0x2000, dont_inherit=True)
    return found  # with top-level await, as fences have it


@pytest.mark.parametrize("code", HARMLESS)
def test_what_only_computes_is_harmless(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(builtins, "_", raising=False)  # another test's prompt may have left one
    assert is_harmless(compiled(code))


@pytest.mark.parametrize("code", HARMFUL.values(), ids=HARMFUL.keys())
def test_all_else_is_not(code: str) -> None:
    assert not is_harmless(compiled(code))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there is none")
def test_a_class_that_can_be_changed_is_not_safe() -> None:
    assert not is_harmless(compiled("ExceptionGroup.colour = 'blue'"))


RINGS = [
    "a = []\na.append(a)",
    "a = [1]\na += [a]",
    "a = {}\na[1] = a",
    "def f():\n    return f",
    "f = lambda: g\ng = f",
    "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    kept = [error]",
    "x = 1\nfor n in range(9):\n    x = [x]",
]


@pytest.mark.parametrize("code", RINGS)
def test_what_may_make_a_ring(code: str) -> None:
    assert not makes_no_ring(compiled(code))


@pytest.mark.parametrize("code", ["print(1)", "x = 1", "x = dict(a=1)\nprint(x, sep='')", ""])
def test_what_cannot(code: str) -> None:
    assert makes_no_ring(compiled(code))


def test_a_builtin_that_somebody_added_is_none_that_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = compiled("helper(1)")
    assert is_harmless(code)  # a name of the chain's own, or of nobody
    monkeypatch.setattr(builtins, "helper", print, raising=False)
    assert not is_harmless(code)


def test_a_constant_that_is_no_plain_value_is_not() -> None:
    code = compiled("print('x')")
    assert is_harmless(code)
    assert not is_harmless(code.replace(co_consts=(object(),)))


#: Attributes of built-in objects that are no methods: all of them values that only compute.
_VALUES = frozenset(
    """args c_contiguous characters_written contiguous code denominator encoding end end_lineno
    end_offset errno exceptions f_contiguous fdel fget filename filename2 format fset imag itemsize
    lineno message msg name name_from nbytes ndim numerator obj object offset path
    print_file_and_line readonly real reason shape start step stop strerror strides suboffsets text
    value mapping origin""".split()  # noqa: SIM905
)


def reachable() -> Iterator[type]:
    """The types whose objects code can have without an import, and those of what these hold."""
    for name, value in vars(builtins).items():
        if not name.startswith("_"):
            yield value if isinstance(value, type) else type(value)

    async def coroutine() -> None: ...

    started: Any = (str(n) for n in range(2))
    waiting = coroutine()
    things: list[Any] = [started, started.gi_frame, compiled(""), waiting, lambda: 0, [].append]
    things += [{}.keys(), {}.items(), {}.values(), iter([]), iter({}), iter(""), iter(range(0))]
    waiting.close()
    yield from map(type, things)


def test_no_attribute_of_what_python_has_leads_out() -> None:
    # A new version of Python may bring some: then someone has to look at them.
    found = {
        name
        for kind in reachable()
        for base in kind.__mro__
        for name, value in vars(base).items()
        if isinstance(value, (types.GetSetDescriptorType, types.MemberDescriptorType, property))
        and not name.startswith(_LEADING)
        and name not in _HANDING
    }
    assert found <= _VALUES, sorted(found - _VALUES)
    assert "args" in found  # it does look


def test_the_builtins_that_are_safe_are_there() -> None:
    assert {name for name in _SAFE if not hasattr(builtins, name)} <= {"EncodingWarning"}
    assert _SAFE.isdisjoint(
        """open exec eval compile getattr setattr delattr vars globals locals dir input breakpoint
        type super object property classmethod staticmethod memoryview hasattr help""".split()  # noqa: SIM905
    )
