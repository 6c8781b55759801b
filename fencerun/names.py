"""Which fence makes a name: a static look at top-level bindings, for the remedy of a NameError.

Knows code as text; runs nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from fencerun.page import Fence


def maker(name: str, fences: Iterable[Fence]) -> Fence | None:
    """The last of ``fences`` whose top level binds ``name``."""
    found = None
    for fence in fences:
        if name in fence.code and name in set(bound(fence.code)):
            found = fence
    return found


def bound(code: str) -> Iterator[str]:
    """The names that the top level of ``code`` binds; none where it does not parse."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        pending.extend(ast.iter_child_nodes(node))
