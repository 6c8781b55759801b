"""The names that a block of Python makes, needs from before, and may change in place. Pure.

Reads code as text and runs nothing. Follows the order of statements at the top level; a function
needs its names when it is called, so what the block makes anywhere is there for it. Knows nothing
of pages.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import field

from fencerun.frozen import dataclass
from fencerun.tagging.calls import changed_by, dropped, root_of

_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Bindings:
    """What one block does with the names of its module.

    ``imports`` are those of ``makes`` that it imports. ``stars`` says that it imports names that
    the text does not show.
    """

    makes: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    stars: bool = False


def parsed(code: str) -> ast.Module:
    """The tree of ``code``, in which top-level ``await`` is allowed.

    Raises SyntaxError, or ValueError, RecursionError and MemoryError for what no parser takes.
    """
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape is the fence's to tell
        tree = compile(code, "<fence>", "exec", _FLAGS, True)
    assert isinstance(tree, ast.Module)
    return tree


def bindings(code: str) -> Bindings:
    """What ``code`` does with names; nothing where it does not parse."""
    try:
        tree = parsed(code)
        walk = _Walk()
        walk.block(tree.body)
        later = set(_deferred(code)) - walk.makes
        for name in _declared(code):  # set by a function, which may count on there being one
            walk.makes.add(name)
            walk.needs.add(name)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Bindings()
    return Bindings(
        frozenset(walk.makes),
        frozenset(walk.needs | later),
        frozenset(walk.changes),
        frozenset(walk.imports),
        walk.stars,
    )


def _deferred(code: str) -> Iterator[str]:
    """The module's names that functions and classes use."""
    for table in _tables(code):
        for symbol in table.get_symbols():
            if symbol.is_global() and symbol.is_referenced():
                yield symbol.get_name()


def _declared(code: str) -> Iterator[str]:
    """The module's names that functions set."""
    for table in _tables(code):
        for symbol in table.get_symbols():
            if symbol.is_declared_global() and symbol.is_assigned():
                yield symbol.get_name()


def _tables(code: str) -> Iterator[symtable.SymbolTable]:
    """The symbols of all functions and classes, at whatever depth."""
    pending = list(symtable.symtable(code, "<fence>", "exec").get_children())
    while pending:
        table = pending.pop()
        pending += table.get_children()
        yield table


@dataclass(slots=True)
class _Walk:
    """Walks statements in the order in which they run."""

    makes: set[str] = field(default_factory=set)
    needs: set[str] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)
    stars: bool = False
    #: Whether annotations are texts.
    deferred: bool = False

    def block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            self._definition(node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node)
        elif isinstance(node, ast.Assign):
            self._read(node.value)
            for target in node.targets:
                self._store(target)
        elif isinstance(node, ast.AnnAssign):
            self._read(node.value)
            self._annotation(node.annotation)
            if node.value is not None:
                self._store(node.target)
        elif isinstance(node, ast.AugAssign):
            self._read(node.value)
            if isinstance(node.target, ast.Name):
                self._use(node.target.id)
                self.changes.add(node.target.id)
            self._store(node.target)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._store(target)
        elif isinstance(node, ast.Expr):
            self.changes |= dropped(node.value)
            self._read(node.value)
        else:
            self._compound(node)

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        for outer in node.decorator_list:
            self._read(outer)
        if isinstance(node, ast.ClassDef):
            for outer in (*node.bases, *(keyword.value for keyword in node.keywords)):
                self._read(outer)
        else:
            self._signature(node)
        self.makes.add(node.name)

    def _signature(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        given = node.args
        for default in (*given.defaults, *given.kw_defaults):
            self._read(default)
        named = (*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg)
        for one in named:
            self._annotation(None if one is None else one.annotation)
        self._annotation(node.returns)

    def _annotation(self, node: ast.expr | None) -> None:
        """Read when its statement runs, unless the block says otherwise."""
        if not self.deferred:
            self._read(node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            self.deferred |= any(alias.name == "annotations" for alias in node.names)
        for alias in node.names:
            if alias.name == "*":
                self.stars = True
                continue
            name = alias.asname or alias.name.partition(".")[0]
            self.makes.add(name)
            self.imports.add(name)

    def _compound(self, node: ast.AST) -> None:
        """A statement with others in it, or none: its fields in the order in which they run."""
        for name, value in _in_order(node):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.stmt):
                    self._statement(part)
                elif isinstance(part, ast.expr):
                    (self._store if name in ("target", "optional_vars") else self._read)(part)
                elif isinstance(part, ast.AST):
                    self._compound(part)
                elif name in ("name", "rest") and isinstance(part, str):
                    self.makes.add(part)  # `except … as name`, and patterns of `match`

    def _store(self, target: ast.AST) -> None:
        """A target: names in it are made, things that it reaches into are changed."""
        if isinstance(target, ast.Name):
            if isinstance(target.ctx, ast.Del):
                self._use(target.id)
            self.makes.add(target.id)
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            if root := root_of(target):
                self.changes.add(root)
            self._read(target)
        else:
            for part in ast.iter_child_nodes(target):
                self._store(part)

    def _use(self, name: str) -> None:
        if name not in self.makes:
            self.needs.add(name)

    def _read(self, node: ast.AST | None, bound: frozenset[str] = frozenset()) -> None:
        """An expression that runs now. ``bound`` are the names of comprehensions around it."""
        if node is None:
            return
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                self.makes.add(node.id)
            elif node.id not in bound:
                self._use(node.id)
            return
        if isinstance(node, ast.Lambda):
            for default in (*node.args.defaults, *node.args.kw_defaults):
                self._read(default, bound)
            return
        if isinstance(node, _COMPREHENSIONS):
            self._comprehension(node, bound)
            return
        if isinstance(node, ast.Call):
            self.changes |= changed_by(node, self.imports) - bound
        for part in ast.iter_child_nodes(node):
            self._read(part, bound)

    def _comprehension(self, node: ast.AST, bound: frozenset[str]) -> None:
        generators: list[ast.comprehension] = getattr(node, "generators", [])
        for generator in generators:
            self._read(generator.iter, bound)
            bound |= {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
            for test in generator.ifs:
                self._read(test, bound)
        for name in ("key", "value", "elt"):
            self._read(getattr(node, name, None), bound)


def _in_order(node: ast.AST) -> list[tuple[str, object]]:
    """A loop and a comprehension's value come before their target."""
    first = ("iter", "context_expr", "subject", "test")
    return sorted(ast.iter_fields(node), key=lambda item: item[0] not in first)
