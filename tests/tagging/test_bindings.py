"""Names that code makes, needs and changes."""

from __future__ import annotations

import pytest

from fencerun.tagging.bindings import Bindings, bindings


def words(text: str) -> set[str]:
    return set(text.split())


@pytest.mark.parametrize(
    ("code", "needs"),
    [
        ("x = x + 1", "x"),
        ("x += 1", "x"),
        ("x = 1\ny = x", ""),
        ("y = x\nx = 1", "x"),
        ("import torch\nmodel = model.to(d)", "model d"),
        ("import a.b as c\nc.d", ""),
        ("import a.b\na.c", ""),
        ("def f(a):\n    return g(a) + h\ndef g(b): return b", "h"),
        ("def f(a, b=c): return a", "c"),
        ("@deco\ndef f(): pass", "deco"),
        ("class A(B, metaclass=M):\n    q = Q\n    def m(self): return R", "B M Q R"),
        ("xs = [f(x) for x in xs if x in k]", "xs f k"),
        ("{k: v for k, v in d.items()}", "d"),
        ("[y for x in z for y in x]", "z"),
        ("sum(n for n in range(m))", "sum range m"),
        ("for i in r:\n    t = i", "r"),
        ("with open(p) as f:\n    d = f", "open p"),
        ("try:\n    import a\nexcept E as e:\n    e", "E"),
        ("match p:\n    case {'a': k, **r}: k, r\n    case [h, *t]: h, t", "p"),
        ("f'{x!r:{w}}'", "x w"),
        ("lambda q: q + o", "o"),
        ("g = lambda q=d: [q for _ in z]", "d z"),
        ("if (n := 3) > m: n", "m"),
        ("del k", "k"),
        ("t: int\nt", "int t"),
        ("t: Config = c", "Config c"),
        ("def f(x: A, /, *y: B, z: C = c, **k: D) -> E: return x", "A B C D E c"),
        ("async def f(x: list[A]): pass", "list A"),
        ("def f(x: 'Config') -> None: pass", ""),
        ("from __future__ import annotations\nt: A = 1\ndef f(x: B) -> C: pass", ""),
        ("def f():\n    def g(x: A): pass\n    return g", "A"),
        ("class A:\n    x: B\n    def f(self, y: C) -> A: pass", "B C"),
        ("async with s() as t: pass\nawait go(u)", "s go u"),
        ("o.a = v", "o v"),
        ("d[i] = v", "d i v"),
        ("def f():\n    global G\n    G += 1\nG", "G"),
        ("def f():\n    x = 1\n    def g(): return x, y\n    return g", "y"),
    ],
)
def test_needs(code: str, needs: str) -> None:
    assert bindings(code).needs == words(needs)


@pytest.mark.parametrize(
    ("code", "makes"),
    [
        ("def f():\n    global G\n    G = 1", "f G"),
        ("import a.b, c as d\nfrom e import f as g", "a d g"),
        ("a, (b, *c) = 1, (2, 3)", "a b c"),
        ("o.a = 1\nd[0] = 2", ""),
        ("t: int\nu: int = 1", "u"),
        ("class A:\n    x = 1\n    def f(self): y = 1", "A"),
        ("[i for i in r]\n(n := 3)", "n"),
        ("[m := i for i in r]", "m"),
        ("while True:\n    with a as b: c = 1", "b c"),
    ],
)
def test_makes(code: str, makes: str) -> None:
    assert bindings(code).makes == words(makes)


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("model.fit(x, y)", "model x y"),
        ("history = model.fit(x)", "model"),
        ("print(x)\nlen(x)", ""),
        ("out = train(net)", "net"),
        ("l[0] = 3\no.a.b = 4", "l o"),
        ("x += 1", "x"),
        ("import numpy as np\ny = np.sum(x)", ""),
        ("import random\nrandom.shuffle(x)", "x"),
        ("step(model.layer)", "model"),
    ],
)
def test_changes(code: str, changes: str) -> None:
    assert bindings(code).changes == words(changes)


def test_stars_and_imports() -> None:
    found = bindings("from torch import *\nimport numpy as np\nx = 1")
    assert found.stars
    assert found.imports == {"np"}


@pytest.mark.parametrize("code", ["if x then", "\0", "x = " + "(" * 500], ids=["no", "nul", "deep"])
def test_what_does_not_parse_has_no_names(code: str) -> None:
    assert bindings(code) == Bindings()
