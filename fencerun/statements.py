"""The statements of a fence, by line, as a coverage report counts them. Pure.

A statement stands for all lines of its head: a call over five lines is one, and so is a function's
signature with its decorators. What the compiler leaves out (docstrings in functions, the body of
``if False``) is none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import Any

_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

#: The comment that takes a statement, with all below it, out of the report.
PRAGMA = "pragma: no cover"


def statements(code: str, first: int) -> tuple[dict[int, int], frozenset[int]]:
    """Of each line the line of its statement, and the statements that are left out.

    Lines are counted so that that of ``code`` is ``first``. Of text that is no Python, nothing.
    """
    try:
        tree: ast.Module = compile(code, "<fence>", "exec", _FLAGS | ast.PyCF_ONLY_AST, True)
        compiled = compile(tree, "<fence>", "exec", _FLAGS, True)
    except (SyntaxError, ValueError, RecursionError):
        return {}, frozenset()
    run = set(_lines(compiled))
    text = code.split("\n")
    found: dict[int, int] = {}
    excluded: set[int] = set()
    for node, left_out in _nodes(tree, text):
        head = _head(node)
        if run.isdisjoint(head):
            continue
        found.update(dict.fromkeys((at - 1 + first for at in head), head.start - 1 + first))
        if left_out:
            excluded.add(head.start - 1 + first)
    return found, frozenset(excluded)


def _lines(code: CodeType) -> Iterator[int]:
    """Every line that has code of its own."""
    yield from (line for _, _, line in code.co_lines() if line)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _lines(constant)


def _nodes(tree: ast.AST, text: list[str], left_out: bool = False) -> Iterator[tuple[Any, bool]]:
    """The statements below a node, outer ones first, and whether each is left out."""
    for node in ast.iter_child_nodes(tree):
        out = left_out
        if isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            out = out or any(PRAGMA in text[at - 1] for at in _head(node))
            yield node, out
        yield from _nodes(node, text, out)


def _head(node: Any) -> range:
    """The lines of a statement without those of its body."""
    start = _start(node)
    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        return range(start, max(start + 1, _start(body[0])))
    return range(start, (node.end_lineno or start) + 1)


def _start(node: Any) -> int:
    first: int = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
    decorators = getattr(node, "decorator_list", ())
    return min([first, *(int(one.lineno) for one in decorators)])
