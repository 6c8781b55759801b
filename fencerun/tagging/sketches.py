"""Python that is not meant to run as it stands: pseudo-code, pasted prompts, magics. Pure.

Looks at the text of one block. Knows nothing of pages, and nothing of how a run would end.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fencerun.frozen import dataclass
from fencerun.patterns import later
from fencerun.tagging.bindings import parsed

_PROMPT = later(r"^[ \t]*>>>(?: |$)", 8)  # 8: re.MULTILINE
_IPYTHON = later(r"^(?:In|Out)[ \t]?\[[0-9 ]*\]:", 8)
_MAGIC = later(r"^[ \t]*(?:%{1,2}[A-Za-z_]\w*|!{1,2}[A-Za-z_./]\w*|[\w.]+\?{1,2}[ \t]*$)", 8)

#: Classes whose methods have no bodies of their own.
_ABSTRACT = frozenset({"Protocol", "ABC", "ABCMeta", "TypedDict"})
_BODYLESS = frozenset({"overload", "abstractmethod"})


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a block stays without a tag: ``what``, what to do, and the line of it, from 0."""

    what: str
    remedy: str
    at: int = 0


def objection(code: str) -> Objection | None:
    """Why ``code`` is not to run as it stands; None for what looks like Python to run."""
    if (prompt := _PROMPT.search(code)) and _IPYTHON.search(code) is None:
        what = "it shows a session with prompts, and its language is Python"
        return Objection(what, "write `pycon` as its language", _line(code, prompt.start()))
    if ipython := _IPYTHON.search(code):
        remedy = "delete the prompts, or write `text` as its language"
        return Objection("it shows IPython's prompts", remedy, _line(code, ipython.start()))
    try:
        tree = parsed(code)
    except SyntaxError as error:
        return _unparsed(code, error)
    except (ValueError, RecursionError, MemoryError) as error:
        return Objection(f"it is not Python: {error}", "write `text` as its language")
    if all(_says_nothing(statement) for statement in tree.body):
        return Objection("it holds no statement", "tag it `fence:none`, say")
    for line in _elisions(tree.body):
        what = "`...` stands in it for code that is left out"
        return Objection(what, "write the code, or tag it `fence:none`", line - 1)
    return None


def _unparsed(code: str, error: SyntaxError) -> Objection:
    if magic := _MAGIC.search(code):
        what = f"`{magic[0].strip()}` is IPython's, not Python's"
        return Objection(what, "delete it, or tag it `fence:none`", _line(code, magic.start()))
    lines = code.count("\n") + 1
    at = min(max((error.lineno or 1) - 1, 0), lines - 1)
    what = f"it is not Python: {error.msg}"
    return Objection(what, "mend it, write `text` as its language, or tag it `fence:none`", at)


def _line(code: str, offset: int) -> int:
    return code.count("\n", 0, offset)


def _says_nothing(node: ast.stmt) -> bool:
    """Whether a statement is a text that nobody reads."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _elisions(body: list[ast.stmt], bodyless: bool = False) -> Iterator[int]:
    """The lines of ``...`` that stand for statements; a body that is to be empty has none."""
    if bodyless and all(map(_is_stub, body)):
        return
    for node in body:
        if _is_dots(node):
            yield node.lineno
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            marked = any(_last_name(one) in _BODYLESS for one in node.decorator_list)
            yield from _elisions(node.body, bodyless or marked)
        elif isinstance(node, ast.ClassDef):
            bases = (*node.bases, *(keyword.value for keyword in node.keywords))
            abstract = any(_last_name(base) in _ABSTRACT for base in bases)
            yield from _in_class(node.body, abstract)
        else:
            for name in ("body", "orelse", "finalbody"):
                yield from _elisions(getattr(node, name, None) or [])
            for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                yield from _elisions(part.body)


def _in_class(body: list[ast.stmt], abstract: bool) -> Iterator[int]:
    """A class whose whole body is ``...`` is a name for something, not a sketch."""
    if all(map(_is_stub, body)):
        return
    for node in body:
        yield from _elisions([node], bodyless=abstract)


def _is_stub(node: ast.stmt) -> bool:
    return _is_dots(node) or _says_nothing(node)


def _is_dots(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and node.value.value is ...
    )


def _last_name(node: ast.expr) -> str:
    """``c`` of ``a.b.c`` and of ``a.b.c[T](x)``."""
    while isinstance(node, (ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
