"""Whose things a call may change, by the names that it is written with. Pure.

A method may change what it is called on, a function what it is handed. Knows nothing of the order
of statements, and nothing of what a call does.
"""

from __future__ import annotations

import ast
from collections.abc import Set

#: Calls that leave their arguments as they are.
_HARMLESS = frozenset(
    "abs all any bool dict dir enumerate filter float format frozenset getattr hasattr hash "  # noqa: SIM905
    "help id int isinstance issubclass iter len list map max min print range repr reversed "
    "round set sorted str sum tuple type vars zip display".split()
)


def root_of(node: ast.AST) -> str | None:
    """``a`` of ``a.b[0].c``."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def changed_by(call: ast.Call, imports: Set[str]) -> set[str]:
    """The names whose things a call may change: what it is a method of, and its arguments."""
    found: set[str] = set()
    if isinstance(call.func, ast.Attribute):
        root = root_of(call.func)
        if root and root not in imports:
            found.add(root)
    elif isinstance(call.func, ast.Name) and call.func.id not in _HARMLESS:
        found |= _arguments(call)
    return found


def dropped(node: ast.expr) -> set[str]:
    """The names whose things a statement changes that drops its value: why else is it there."""
    call = node.value if isinstance(node, ast.Await) else node
    if not isinstance(call, ast.Call):
        return set()
    if isinstance(call.func, ast.Name) and call.func.id in _HARMLESS:
        return set()
    return _arguments(call)


def _arguments(call: ast.Call) -> set[str]:
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return {root for one in given if not isinstance(one, ast.Call) and (root := root_of(one))}
