"""Whether a block of Python says that it needs a GPU by CUDA. Pure: it looks at the text alone.

Clear is what asks for the device and for no other: ``x.cuda()``, ``device="cuda"``. Code that asks
whether there is one (``torch.cuda.is_available()``) runs without.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from fencerun.tagging.bindings import parsed

#: Attributes of ``torch.cuda`` that are there, and do no harm, on a machine without a GPU.
_ANYWHERE = frozenset(
    {"is_available", "device_count", "is_initialized", "manual_seed", "manual_seed_all"}
    | {"empty_cache", "is_bf16_supported", "OutOfMemoryError", "amp", "jiterator"}
)
#: Methods and functions that take a device in first place.
_TO = frozenset({"to", "to_empty", "set_default_device"})
_ASKING = frozenset({"is_available", "device_count"})


def needs_cuda(code: str) -> str | None:
    """The words of ``code`` that need CUDA and make that clear; None where nothing does."""
    if "cuda" not in code:
        return None
    try:
        tree = parsed(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    # What runs only when it is called needs nothing yet.
    nodes = list(_executed(tree))
    if any(isinstance(node, ast.Attribute) and node.attr in _ASKING for node in ast.walk(tree)):
        return None
    names = frozenset(_named(nodes))
    for node in nodes:
        if isinstance(node, ast.Call) and (found := _call(node, names)):
            return found
        if isinstance(node, ast.With) and any(_is_cuda(i.context_expr, names) for i in node.items):
            return f"with {ast.unparse(node.items[0])}"
    return None


def _named(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that stand for the device: ``device = "cuda"``."""
    for node in nodes:
        if isinstance(node, ast.Assign) and _is_cuda(node.value, frozenset()):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _executed(tree: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    pending = list(ast.iter_child_nodes(tree))
    while pending:
        node = pending.pop(0)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending += getattr(node, "decorator_list", ())
            continue
        found.append(node)
        # Guarded code has said what happens otherwise.
        if not isinstance(node, (ast.IfExp, ast.If, ast.Try)):
            pending += ast.iter_child_nodes(node)
    return found


def _call(node: ast.Call, names: frozenset[str]) -> str | None:
    name = _dotted(node.func)
    if name.startswith("torch.cuda."):
        attribute = name.removeprefix("torch.cuda.").partition(".")[0]
        return None if attribute in _ANYWHERE else f"{name}()"
    if isinstance(node.func, ast.Attribute) and node.func.attr == "cuda":
        return ".cuda()"
    if name == "torch.device":
        return None  # only a name for it
    for keyword in node.keywords:
        if keyword.arg == "device" and _is_cuda(keyword.value, names):
            return f"device={ast.unparse(keyword.value)}"
    if isinstance(node.func, ast.Attribute) and node.func.attr in _TO:
        for argument in node.args:
            if _is_cuda(argument, names):
                return f".{node.func.attr}({ast.unparse(argument)})"
    return None


def _is_cuda(node: ast.expr, names: frozenset[str]) -> bool:
    if isinstance(node, ast.Call) and _dotted(node.func) == "torch.device" and node.args:
        node = node.args[0]
    if isinstance(node, ast.Name):
        return node.id in names
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.partition(":")[0] == "cuda"
    )


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return ".".join([node.id, *parts]) if isinstance(node, ast.Name) else ""
