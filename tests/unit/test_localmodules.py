from __future__ import annotations

import ast
import asyncio
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.localmodules import decoded, find, imports

READ = {
    "import a": ["a"],
    "import a.b.c": ["a.b.c"],
    "import a as x, b.c as y": ["a", "b.c"],
    "from a import b": ["a", "a.b"],
    "from a.b import c as d, e": ["a.b", "a.b.c", "a.b.e"],
    "from a import *": ["a"],
    "from a import (b, c as d,)": ["a", "a.b", "a.c"],
    "from a import(\n    b,  # why\n    c,\n)": ["a", "a.b", "a.c"],
    "from a import \\\n    b": ["a", "a.b"],
    "import a, \\\n  b": ["a", "b"],
    "from . import x": ["x"],
    "from .y import x": ["y", "y.x"],
    "from.y import x": ["y", "y.x"],
    "from .import x": ["x"],
    "from . import import_x": ["import_x"],
    "from .. import x": [],
    "def f():\n    import a": ["a"],
    "try:\n\timport a\nexcept ImportError: import b": ["a", "b"],
    "if x: from a import b": ["a", "a.b"],
    "x = 1; import a; import b": ["a", "b"],
    "import a  # and b": ["a"],
    "# import a": [],
    "'import a'": [],
    '"""\nimport a\n"""\nimport b': ["b"],
    "'''it's\nimport a'''; import b": ["b"],
    "x = 'it''s'\nimport a": ["a"],
    "x = '\\\nimport a'": [],
    'x = r"\\"\nimport a': ["a"],
    'x = "# no comment"\nimport a': ["a"],
    "x = don't\nimport a": ["a"],
    'f"{x["import b"]}"\nimport a': ["a"],
    "important = 1\nimporta": [],
    "from_a = 1": [],
    "x.import_module": [],
    "yield from a": [],
    "raise E from a": [],
    "importlib.import_module('a.b')": ["a.b"],
    '__import__("a")': ["a"],
    "import_module(name)": [],
    "import größe": ["größe"],
    "import a\r": ["a"],
    "type X[T] = list[T]\nimport a": ["a"],
    "match x:\n    case 1: import a": ["a"],
    "this is not Python (\nimport a": ["a"],
    "": [],
}


@pytest.mark.parametrize("source", READ)
def test_imports_are_found_in_the_text(source: str) -> None:
    assert list(imports(source)) == READ[source]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from . import x", ["p.q", "p.q.x"]),
        ("from .y import x", ["p.q.y", "p.q.y.x"]),
        ("from .. import x", ["p", "p.x"]),
        ("from ..y import x", ["p.y", "p.y.x"]),
        ("from ... import x", ["x"]),
        ("from .... import x", []),
        ("import y", ["y"]),
    ],
)
def test_leading_dots_start_from_the_package(source: str, expected: list[str]) -> None:
    assert list(imports(source, ("p", "q"))) == expected


def found(sources: list[str], files: Mapping[str, str]) -> list[str]:
    data = {path: text.encode() for path, text in files.items()}
    return [path for path, _ in find(sources, data.get)]


TREE = {
    "helpers.py": "import deep\n",
    "deep.py": "from pkg.sub import thing\n",
    "pkg/__init__.py": "from . import base\n",
    "pkg/base.py": "",
    "pkg/sub/__init__.py": "def f():\n    from ..late import g\n",
    "pkg/sub/thing.py": "",
    "pkg/late.py": "import helpers\n",
    "pkg/unused.py": "",
    "space/leaf.py": "",
    "both.py": "",
    "both/__init__.py": "",
    "unused.py": "",
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import os, torch.nn", []),
        ("import pkg.base", ["pkg/__init__.py", "pkg/base.py"]),
        ("import space.leaf", ["space/leaf.py"]),
        ("import both", ["both/__init__.py"]),
        (
            "import helpers",
            [
                *("deep.py", "helpers.py", "pkg/__init__.py", "pkg/base.py", "pkg/late.py"),
                *("pkg/sub/__init__.py", "pkg/sub/thing.py"),
            ],
        ),
        ("from pkg import unused", ["pkg/__init__.py", "pkg/base.py", "pkg/unused.py"]),
    ],
)
def test_modules_are_followed(source: str, expected: list[str]) -> None:
    assert found([source], TREE) == expected


def test_a_circle_of_imports_ends() -> None:
    assert found(["import a"], {"a.py": "import b", "b.py": "import a"}) == ["a.py", "b.py"]


def test_each_file_is_read_once_and_missing_ones_are_asked_for_once() -> None:
    asked: list[str] = []

    def read(path: str) -> bytes | None:
        asked.append(path)
        return TREE[path].encode() if path in TREE else None

    find(["import helpers, os", "import helpers, os.path"], read)
    assert len(asked) == len(set(asked))


def test_no_path_leaves_the_directory() -> None:
    asked: list[str] = []
    hostile = "import ../up\nimport /etc/x\nfrom .. import up\nimport a.__init__\nimport c:\\x\n"
    find([hostile], lambda path: asked.append(path))
    assert all(not path.startswith("/") and ".." not in path and ":" not in path for path in asked)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=repr)
def test_modules_read_alike_with_any_line_ending(ending: str) -> None:
    files = {"a.py": "\ufeffx = 1\nimport b\n".replace("\n", ending), "b.py": ""}
    assert found(["import a"], files) == ["a.py", "b.py"]


def test_a_module_that_is_not_utf8_is_read() -> None:
    files = {"a.py": b"# \xff\nimport b\n", "b.py": b"\xff\x00"}
    assert [path for path, _ in find(["import a"], files.get)] == ["a.py", "b.py"]


def _expected(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    package = ("p", "q", "r")
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            own = [node.module] if node.module else []
            start = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*start, *own))
            names |= {base, *(f"{base}.{a.name}" for a in node.names if a.name != "*")}
    return names


@pytest.mark.parametrize("package", [json, asyncio, ast, sysconfig], ids=lambda m: m.__name__)
def test_real_code_reads_as_its_parser_says(package: object) -> None:
    """Every module of the standard library's packages; of 16,215 files none differed."""
    file = Path(str(getattr(package, "__file__")))  # noqa: B009
    for path in sorted(file.parent.glob("*.py"))[:60] if file.name == "__init__.py" else [file]:
        source = path.read_text(encoding="utf-8")
        assert _expected(ast.parse(source)) <= set(imports(source, ("p", "q", "r"))), path.name


def test_what_python_imports_is_found(tmp_path: Path) -> None:
    for path, text in TREE.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "pkg/late.py").write_text("g = 1\n")
    source = "import helpers, pkg.sub\npkg.sub.f()\nfrom space import leaf\nimport both\n"
    code = f"import sys; sys.path.insert(0, sys.argv[1])\n{source}\n" + (
        "print(*[m.__file__ for m in list(sys.modules.values())"
        " if (getattr(m, '__file__', None) or '').startswith(sys.argv[1])], sep='\\n')"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    loaded = {os.path.relpath(line, tmp_path).replace(os.sep, "/") for line in run.stdout.split()}

    def read(path: str) -> bytes | None:
        file = tmp_path / path
        return file.read_bytes() if file.is_file() else None

    assert loaded == {path for path, _ in find([source], read)}


@given(st.text(st.sampled_from("import from.,*()\\'\"#;:\n\tabé_1"), max_size=80))
def test_no_text_breaks_it(source: str) -> None:
    for name in imports(source):
        assert all(part and " " not in part for part in name.split("."))


@pytest.mark.parametrize(
    "piece",
    [
        '"""\\',
        '\\"',
        '\\"""x',
        '"\\',
        "'\\\n",
        "from a import (\n",
        ";from a import (",
        "'",
        '"',
        "from ",
        "from . ",
        "from .",
        "from a import (",
        "import a, ",
        "a.",
        " ",
    ],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    """Quadratic scanning would take minutes on this."""
    imports(piece * 100_000)
    imports("import " + piece * 100_000)
    imports("from " + piece * 100_000)


def test_a_byte_order_mark_hides_no_import() -> None:
    assert imports(decoded(b"\xef\xbb\xbfimport a\r\nimport b")) == (
        "a",
        "b",
    )
