"""What cells of Python hold: a fence's source, changed as little as a notebook or script asks for.

Pure; parses with the running Python, and leaves alone what that does not parse.
"""

from __future__ import annotations

import ast
import tokenize


def parsed(code: str) -> ast.Module | None:
    """The tree of ``code``, or None where it is not Python here; top-level ``await`` is."""
    try:
        tree = compile(code, "<fence>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if isinstance(tree, ast.Module) else None


def last_expression(code: str) -> ast.Expr | None:
    """The last statement of ``code`` where it is an expression, which a notebook would show."""
    tree = parsed(code)
    last = tree.body[-1] if tree and tree.body else None
    return last if isinstance(last, ast.Expr) else None


def silent(code: str) -> str:
    """``code`` with a semicolon after a last expression that a notebook would show."""
    last = last_expression(code)
    if last is None or last.end_lineno is None or last.end_col_offset is None:
        return code
    call = last.value
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print":
        return code
    lines = code.split("\n")
    before, after = _split(lines[last.end_lineno - 1], last.end_col_offset)
    if after.lstrip().startswith((";", ")")):
        if after.lstrip().startswith(";"):
            return code
        end = _closed(after)
        before, after = before + after[:end], after[end:]
        if after.lstrip().startswith(";"):
            return code
    lines[last.end_lineno - 1] = f"{before};{after}"
    made = "\n".join(lines)
    return made if parsed(made) is not None else code


def _closed(after: str) -> int:
    """How far the brackets around an expression reach."""
    end = 0
    for at, sign in enumerate(after):
        if sign == ")":
            end = at + 1
        elif not sign.isspace():
            break
    return end


def indented(code: str) -> str | None:
    """``code`` four columns further in, but for lines inside of strings; None if it cannot be."""
    inside: set[int] = set()
    opened: list[int] = []
    remaining = iter([f"{line}\n" for line in code.split("\n")])
    try:
        for token in tokenize.generate_tokens(lambda: next(remaining, "")):
            name = tokenize.tok_name[token.type]
            if name == "STRING":
                inside.update(range(token.start[0] + 1, token.end[0] + 1))
            elif name.endswith("STRING_START"):
                opened.append(token.start[0])
            elif name.endswith("STRING_END"):
                inside.update(range(opened.pop() + 1, token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError, IndexError):
        return None
    lines = code.split("\n")
    moved = "\n".join(
        f"    {line}" if line and number not in inside else line
        for number, line in enumerate(lines, 1)
    )
    before, after = parsed(code), parsed(f"if True:\n{moved}")
    if before is None or after is None or not before.body:
        return None
    block = after.body[0]
    same = isinstance(block, ast.If) and [ast.dump(s) for s in block.body] == [
        ast.dump(s) for s in before.body
    ]
    return moved if same else None


def futures(code: str) -> tuple[list[str], str]:
    """The ``from __future__`` imports of ``code``, and the rest, in which they are comments."""
    tree = parsed(code)
    found: list[str] = []
    lines = code.split("\n")
    for node in reversed(tree.body) if tree else ():
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            first, end = node.lineno - 1, node.end_lineno or node.lineno
            before, _ = _split(lines[first], node.col_offset)
            _, after = _split(lines[end - 1], node.end_col_offset or 0)
            found = [alias.name for alias in node.names] + found
            if (before + after).strip(" ;"):  # something else stands on its line
                lines[first:end] = [f"{before}pass{after}", *[""] * (end - first - 1)]
            else:
                lines[first:end] = [f"# {line}" for line in lines[first:end]]
    return found, "\n".join(lines)


def awaits(code: str) -> bool:
    """Whether ``code`` is Python only where ``await`` may stand outside of functions."""
    try:
        compile(code, "<fence>", "exec", ast.PyCF_ONLY_AST)
        compile(code, "<fence>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return parsed(code) is not None
    return False


def literal(text: str) -> str:
    """``text`` as a readable Python literal."""
    plain = text.isprintable() or all(c.isprintable() or c in "\n\t" for c in text)
    if "\n" in text and plain and "\\" not in text and '"""' not in text and text[-1:] != '"':
        return f'"""\\\n{text}"""'
    return repr(text)


def after_futures(code: str, line: str) -> str:
    """``code`` with ``line`` at its top, or below the imports that have to stand there."""
    tree = parsed(code)
    lines = code.split("\n")
    last = 0
    for node in tree.body if tree else ():
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            last = node.end_lineno or node.lineno
            own, rest = _split(lines[last - 1], node.end_col_offset or 0)
    if last and rest.lstrip().startswith(";") and rest.strip(" ;"):
        return "\n".join((*lines[: last - 1], own, line, rest.lstrip(" ;"), *lines[last:]))
    return "\n".join((*lines[:last], line, *lines[last:]))


def _split(line: str, column: int) -> tuple[str, str]:
    """A line before and from a column of Python's, which counts bytes."""
    data = line.encode("utf-8")
    return data[:column].decode(), data[column:].decode()
