"""Compiles a fence so that every line number is the page's.

Lines are set on the code objects rather than by padding the source with blank lines, which would
make each fence's cost grow with the length of its page. It does not run anything.
"""

from __future__ import annotations
import __future__

import ast
import opcode
import types
import warnings

from fencerun.worker.asserts import RECORDER, Recorder, RecordOperands, call_recorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

#: The compiler flags that a ``from __future__`` import sets for the rest of a script.
FUTURES = 0
for _feature in __future__.all_feature_names:
    FUTURES |= getattr(__future__, _feature).compiler_flag
# Its value is that of CO_NESTED too, and it has been the rule since Python 2.2.
FUTURES &= ~__future__.nested_scopes.compiler_flag

#: The instruction before the one that stores a class's line (Python 3.13 and later).
_LOADS = frozenset(
    opcode.opmap[name] for name in ("LOAD_CONST", "LOAD_SMALL_INT") if name in opcode.opmap
)


def compile_fence(
    code: str,
    filename: str,
    line: int,
    *,
    flags: int,
    recorder: Recorder,
    echo: bool,
    mode: Literal["exec", "single"] = "exec",
) -> types.CodeType:
    """The code object of a fence whose first line is page line ``line``.

    In mode ``single`` it is one statement typed at a prompt, which shows its values.

    Raises SyntaxError, its place given in page lines, or ValueError (null bytes, surrogates),
    OverflowError, MemoryError, RecursionError (nested too deeply).
    """
    compilation = _Compilation(filename, line - 1, flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, mode)
    with compilation:
        try:
            return compilation.run(code, recorder, echo)
        except SyntaxError as error:
            compilation.place(error, code)
            raise


class _Hook:
    """Stays in the place of the function through which the compiler's C code shows a warning.

    Putting it there for each compilation would have the guards look at all of ``warnings``.
    """

    original: Any = None
    compilation: _Compilation | None = None

    @staticmethod
    def show(message: warnings.WarningMessage) -> None:
        if _Hook.compilation is None:
            _Hook.original(message)
        else:
            _Hook.compilation.show(message)


_show_warning = _Hook.show


def install() -> None:
    """Be there to put the page's lines into the compiler's warnings."""
    shown = getattr(warnings, "_showwarnmsg", None)
    if shown is not None and shown is not _show_warning:
        _Hook.original = shown
        warnings._showwarnmsg = _show_warning  # type: ignore[attr-defined]


def remove() -> None:
    """Put back what ``install`` replaced."""
    if getattr(warnings, "_showwarnmsg", None) is _show_warning:
        warnings._showwarnmsg = _Hook.original  # type: ignore[attr-defined]


class _Compilation:
    """One compilation. ``shift`` is what has still to be added to the compiler's lines."""

    def __init__(self, filename: str, shift: int, flags: int, mode: str) -> None:
        self.mode = mode
        self.filename = filename
        self.shift = self.by = shift
        self.flags = flags
        self.shown_once = False

    def __enter__(self) -> None:
        self.before, _Hook.compilation = _Hook.compilation, self
        # Where it is another, a fence put it there, or nobody installed ours.
        self.shown: Any = getattr(warnings, "_showwarnmsg", None)
        if self.shown is _show_warning:
            self.shown = _Hook.original
        elif self.shown is not None:
            warnings._showwarnmsg = self.show  # type: ignore[attr-defined]

    def __exit__(self, *exc: object) -> None:
        _Hook.compilation = self.before
        if self.shown is not None and warnings._showwarnmsg == self.show:  # type: ignore[attr-defined]
            warnings._showwarnmsg = self.shown  # type: ignore[attr-defined]

    def show(self, message: warnings.WarningMessage) -> None:
        """Show a warning of the compiler's, on the page's line."""
        if not self.shown_once:
            message.lineno += self.shift
            self.shown(message)

    def run(self, code: str, recorder: Recorder, echo: bool) -> types.CodeType:
        source: str | ast.Module = code
        if echo or "assert" in code:
            source = self._tree(code)
            if echo:
                _echo(source, code)
            RecordOperands().visit(source)
        compiled = compile(source, self.filename, self.mode, self.flags, True, 0)
        try:
            return _lifted(compiled, self.by, recorder)
        except _UnknownBytecodeError:
            tree = self._tree(code) if isinstance(source, str) else source
            ast.increment_lineno(tree, self.by)
            self.shift, self.shown_once = 0, True
            compiled = compile(tree, self.filename, self.mode, self.flags, True, 0)
            return _lifted(compiled, 0, recorder)

    def _tree(self, code: str) -> ast.Module:
        flags = self.flags | ast.PyCF_ONLY_AST
        tree: ast.Module = compile(code, self.filename, self.mode, flags, True, 0)
        return tree

    def place(self, error: SyntaxError, code: str) -> None:
        """Set the page's line numbers and the fence's text on a compiler's error."""
        if error.lineno is None or error.filename != self.filename:
            return
        lines = code.split("\n")
        at = error.lineno - 1 - (self.by - self.shift)
        if 0 <= at < len(lines):
            # Where a file of that name is there, the page, its line of that number was taken.
            error.text = _unparsable(code) or lines[at] + "\n"
        error.lineno += self.shift
        if error.end_lineno is not None:
            error.end_lineno += self.shift


def _unparsable(code: str) -> str | None:
    """The text that the parser stumbles over, under a name that no file has."""
    try:
        ast.parse(code)
    except SyntaxError as error:
        return error.text
    return None


def _echo(tree: ast.Module, code: str) -> None:
    """Show the value of a last expression, unless a semicolon follows it, as in a notebook."""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        return
    lines = code.split("\n")[(last.end_lineno or 1) - 1 :]
    rest = lines[0].encode()[last.end_col_offset or 0 :].decode()
    if not rest.lstrip().startswith(";"):
        last.value = call_recorder("show", last.value, last.value)


class _UnknownBytecodeError(Exception):
    """A class's line is not where this module knows to look for it."""


def _lifted(code: types.CodeType, by: int, recorder: Recorder) -> types.CodeType:
    """``code`` with its lines raised, and the recorder in the place of what stands for it.

    A code object's table of lines is relative to its first line, in 3.10 to 3.14. Raises
    _UnknownBytecodeError.
    """
    constants: list[object] = list(code.co_consts)
    for at, constant in enumerate(constants):
        if isinstance(constant, types.CodeType):
            constants[at] = _lifted(constant, by, recorder)
        elif isinstance(constant, str) and constant == RECORDER:
            constants[at] = recorder
    first = code.co_firstlineno + by
    if by and "__firstlineno__" in code.co_names and code.co_name != "<module>":
        instructions = _class_line_from(code, len(constants))
        constants.append(first)
        return code.replace(co_firstlineno=first, co_consts=tuple(constants), co_code=instructions)
    return code.replace(co_firstlineno=first, co_consts=tuple(constants))


def _class_line_from(code: types.CodeType, constant: int) -> bytes:
    """The instructions of a class's body, storing ``constant`` as its ``__firstlineno__``.

    Since 3.13 that is where ``inspect`` finds a class. The number loaded there cannot be changed
    in place, because the body may use the same constant for something else.
    """
    stores = bytes((opcode.opmap["STORE_NAME"], code.co_names.index("__firstlineno__")))
    instructions = bytearray(code.co_code)
    at = next((i for i in range(2, 64, 2) if instructions[i : i + 2] == stores), 0)
    if at == 0 or constant > 255 or instructions[at - 2] not in _LOADS:
        raise _UnknownBytecodeError
    instructions[at - 2 : at] = (opcode.opmap["LOAD_CONST"], constant)
    return bytes(instructions)
