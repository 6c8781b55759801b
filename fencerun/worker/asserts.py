"""The operands of an ``assert`` that failed, so that its report can show their values.

An assert at module level is compiled with its operands recorded: ``assert f(x) == 3`` records
what ``f(x)`` came to, without a second call. Functions and classes stay as their author wrote
them, because compilers (``torch.compile``, ``torch.jit``) read their bytecode; there, and for
plain names, values are looked up afterwards in the frame that failed, and no call is repeated.
"""

from __future__ import annotations

import ast
import reprlib
import sys
import types
from collections.abc import Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Longest repr shown, in characters, and most operands.
_LONGEST = 200
_MOST = 12

#: Stands for the recorder in the syntax tree, and is replaced by it in the code's constants. A
#: name would do as well, but it would show in the ``dir()`` of a fence.
RECORDER = "\0fencerun recorder"

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: Looked up in the frame afterwards, rather than kept alive while the assert is evaluated.
_LOOKED_UP = (ast.Name, ast.Attribute, ast.Subscript)
_NEVER_SHOWN = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)


class Recorder:
    """Keeps operands by their place in the code, while one assert is evaluated."""

    def __init__(self) -> None:
        self.values: dict[tuple[int, int], object] = {}

    def keep(self, line: int, column: int, value: object) -> object:
        """Remember ``value`` and hand it on."""
        self.values[line, column] = value
        return value

    def clear(self) -> None:
        """Forget every value: the assert held."""
        self.values.clear()

    def show(self, value: object) -> None:
        """Print what a fence's last expression came to, unless it is None."""
        if value is not None:
            print(repr(value))


def call_recorder(method: str, at: ast.expr, *arguments: ast.expr) -> ast.Call:
    """The syntax tree of ``recorder.method(*arguments)``, placed where ``at`` is."""
    function = ast.Attribute(ast.Constant(RECORDER), method, ast.Load())
    call = ast.Call(function, list(arguments), [])
    for node in (function.value, function, call):
        ast.copy_location(node, at)
    return call


class RecordOperands(ast.NodeTransformer):
    """Makes each module-level assert of a syntax tree record its operands."""

    def visit(self, node: ast.AST) -> Any:
        """Statements only: no assert hides in an expression, none of a function is touched."""
        if isinstance(node, (ast.expr, *_SCOPES)):
            return node
        return super().visit(node)

    def visit_Assert(self, node: ast.Assert) -> Any:
        """Record the operands, and forget them once the assert held."""
        parts = list(_recorded(node.test))
        if not parts or isinstance(node.test, ast.Tuple):  # the compiler warns of a tuple
            return node
        node.test = _Wrap(parts).visit(node.test)
        return [node, ast.copy_location(ast.Expr(call_recorder("clear", node.test)), node)]


class _Wrap(ast.NodeTransformer):
    def __init__(self, parts: list[ast.expr]) -> None:
        self._wanted = {id(part) for part in parts}

    def visit(self, node: ast.AST) -> Any:
        if id(node) not in self._wanted:
            return super().visit(node) if isinstance(node, _TRUTH) else node
        assert isinstance(node, ast.expr)
        line = ast.copy_location(ast.Constant(node.lineno), node)
        column = ast.copy_location(ast.Constant(node.col_offset), node)
        return call_recorder("keep", node, line, column, node)


_TRUTH = (ast.BoolOp, ast.UnaryOp, ast.Compare)


def _operands(test: ast.expr) -> Iterator[ast.expr]:
    """What decides the truth of ``test``, in source order."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _operands(value)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _operands(test.operand)
    elif isinstance(test, ast.Compare):
        yield test.left
        yield from test.comparators
    else:
        yield test


def _recorded(test: ast.expr) -> Iterator[ast.expr]:
    """The operands that have to be recorded, because looking them up again would run code."""
    unfit = (ast.Constant, ast.GeneratorExp, ast.Lambda, ast.JoinedStr, ast.Starred)
    for operand in _operands(test):
        if not isinstance(operand, (*_LOOKED_UP, *unfit)) and not _is_literal(operand):
            yield operand


def _is_literal(node: ast.expr) -> bool:
    return all(
        isinstance(part, (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp))
        for part in ast.walk(node)
        if isinstance(part, ast.expr)
    )


def _looked_up(node: ast.expr) -> Iterator[ast.expr]:
    """The names, attributes and items in ``node`` that can be looked up without a call."""
    if isinstance(node, _LOOKED_UP):
        if _is_plain(node):
            yield node
        elif not isinstance(node, ast.Name):
            yield from _looked_up(node.value)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield from _looked_up(node.func.value)
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield from _looked_up(argument)
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        yield from _looked_up(node.generators[0].iter)  # the rest has names of its own
    elif not isinstance(node, ast.Lambda):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _looked_up(child)


def _is_plain(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return _is_plain(node.value)
    if isinstance(node, ast.Subscript):
        return _is_plain(node.value) and (_is_literal(node.slice) or _is_plain(node.slice))
    return isinstance(node, ast.Name)


class FailedAssert:
    """The assert statement, in the fence that ``code`` is, that failed in ``frame``.

    ``line`` is the page line of the fence's first line.
    """

    def __init__(self, code: str, line: int, trace: types.TracebackType) -> None:
        self._code = code
        self._shift = line - 1
        self._frame = trace.tb_frame
        self._node = _find(ast.parse(code), trace, self._shift)

    def text(self) -> str:
        """The condition as its author wrote it, on one line."""
        text = "" if self._node is None else self._segment(self._node.test)
        return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"

    def values(self, recorder: Recorder) -> tuple[tuple[str, str], ...]:
        """(source text, repr) of the operands, in source order."""
        if self._node is None:
            return ()
        found: list[tuple[str, str]] = []
        recorded = recorder.values if self._frame.f_code.co_name == "<module>" else {}
        for operand in _operands(self._node.test):
            place = (operand.lineno, operand.col_offset)
            if place in recorded and not isinstance(operand, _LOOKED_UP):
                found.append((self._segment(operand), short_repr(recorded[place])))
            for node in _looked_up(operand):
                self._look_up(node, found)
        return tuple(found[:_MOST])

    def _look_up(self, node: ast.expr, found: list[tuple[str, str]]) -> None:
        text = self._segment(node)
        if any(text == name for name, _ in found):
            return
        names = {**self._frame.f_globals, **self._frame.f_locals}
        try:
            value = eval(compile(ast.Expression(node), "<assert>", "eval", 0, True), names)
        except Exception:
            return  # never evaluated (`x is None or x.y`), or no longer to be had
        if not isinstance(value, _NEVER_SHOWN):
            found.append((text, short_repr(value)))

    def _segment(self, node: ast.expr) -> str:
        return " ".join((ast.get_source_segment(self._code, node) or "").split())


def _find(tree: ast.Module, trace: types.TracebackType, shift: int) -> ast.Assert | None:
    """The assert statement that the innermost instruction of ``trace`` belongs to."""
    line = trace.tb_lineno - shift
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    if len(found) > 1 and sys.version_info >= (3, 11):
        positions = list(trace.tb_frame.f_code.co_positions())[trace.tb_lasti // 2]
        column = positions[2] or 0
        found = [node for node in found if node.col_offset <= column] or found
    return max(found, key=lambda node: (node.lineno, node.col_offset), default=None)


def short_repr(value: object) -> str:
    """``repr(value)``, cut to a length that can be read; one that raises says so."""
    try:
        big = isinstance(value, (list, tuple, set, frozenset, dict, str, bytes, bytearray))
        text = reprlib.repr(value) if big and len(value) > 1000 else repr(value)  # type: ignore[arg-type]
    except Exception as error:
        return f"<its repr raises {type(error).__name__}>"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
