"""A page as a Python script in percent format: a cell for each fence, prose as comments. Pure.

It runs from top to bottom in one process. What cannot run here is there as comments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from fencerun.export import opening, source
from fencerun.export.cells import Code, Cut, File, Text
from fencerun.kinds import SHELLS
from fencerun.members import Member

_ECHO = '''\
def _echo(value):
    """Show a value as a notebook does."""
    if value is not None:
        print(repr(value))
'''
_QUIETLY = '''\
def _quietly():
    """What is printed inside is not shown."""
    import contextlib, io

    return contextlib.redirect_stdout(io.StringIO())
'''
_RAISES = '''\
class _Raises:
    """The lines inside end with this exception, which is shown."""

    def __init__(self, name):
        self.name = name.rpartition(".")[2]

    def __enter__(self):
        pass

    def __exit__(self, kind, error, traceback):
        if kind is None:
            raise AssertionError(f"{self.name} was not raised")
        if self.name not in [one.__name__ for one in kind.__mro__]:
            return False
        text = str(error).split("\\n\\n")[0]
        print(f"{kind.__qualname__}: {text}" if text else kind.__qualname__)
        return True
'''
_SHELL = '''\
def _shell(*command, status=0):
    """A shell's commands, which end with `status`."""
    import subprocess

    print(end="", flush=True)
    ended = subprocess.run(command).returncode
    if ended != status:
        raise SystemExit(f"{command[0]} ended with status {ended}")
'''
_WRITE = '''\
def _write(path, text):
    """A file for the fences below."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
'''
_COMMANDS = {
    "bash": '"bash", "-e", "-o", "pipefail", "-c"',
    "sh": '"sh", "-e", "-c"',
    "console": '"bash", "-c"',
}


def script(cut: Cut, pinned: Mapping[str, str], mark: str) -> str:
    """The script's text."""
    ahead: list[str] = []
    parts = [part for cell in cut.cells for part in _cell(cell, cut, ahead)]
    head = [f"# {mark}"]
    if ahead:
        head.append(f"from __future__ import {', '.join(dict.fromkeys(ahead))}")
    opened = "\n".join(_opening(cut, pinned)) if _runs(cut) else ""
    return "\n\n".join(filter(None, ("\n".join(head), opened, *parts))) + "\n"


def _runs(cut: Cut) -> bool:
    return any(isinstance(cell, (Code, File)) for cell in cut.cells)


def _opening(cut: Cut, pinned: Mapping[str, str]) -> Iterator[str]:
    """The first cell, with only what the cells below use."""
    code = [cell for cell in cut.cells if isinstance(cell, Code) and cell.idle is None]
    used = [cell.member for cell in code]
    helpers = {
        _ECHO: any(member.tags.echo or member.fence.language == "pycon" for member in used),
        _QUIETLY: any(cell.again for cell in code),
        _RAISES: any(member.tags.raises or _has_traceback(member) for member in used),
        _WRITE: bool(cut.page.files),
        _SHELL: any(member.fence.language in SHELLS for member in used),
    }
    yield "# %%"
    here = "os.path.dirname(os.path.abspath(__file__))"
    yield from opening.function(cut, pinned, here, moves=True)
    for text, wanted in helpers.items():
        if wanted:
            yield f"\n\n{text.rstrip()}"
    yield "\n"
    if cut.chains > 1:
        yield "# `_chain(6)`: the names and random numbers of fence 6 and of what continues it."
        yield "_chain = None  # one of the names that every chain has"
        yield "_chain = _fencerun(globals())"
    else:
        yield "_fencerun(globals())"


def _has_traceback(member: Member) -> bool:
    return any(turn.raises for turn in member.fence.transcript.turns) if (
        member.fence.transcript) else False  # fmt: skip


def _cell(cell: Code | File | Text, cut: Cut, ahead: list[str]) -> Iterator[str]:
    if isinstance(cell, Text):
        yield f"# %% [markdown]\n{_comment(cell.markdown)}"
    elif isinstance(cell, File):
        path, text = cell.block.path, source.literal(cell.block.text)
        yield f"# %% {path}\n_write({path!r}, {text})"
    else:
        yield from _fence(cell, cut, ahead)


def _comment(text: str) -> str:
    # No source file of Python may hold a null byte, not even there.
    lines = text.replace("\0", "\ufffd").split("\n")
    return "\n".join(f"# {line}".rstrip() for line in lines)


def _fence(cell: Code, cut: Cut, ahead: list[str]) -> Iterator[str]:
    member = cell.member
    head = f"# %% fence {member.fence.number}"
    if cell.idle is not None:
        why = " ".join(f"{cell.idle.reason}: {cell.idle.why}".split())
        shown = member.fence.block.content.rstrip("\n")
        yield f"{head}, not run here: {why}\n{_comment(shown)}"
        return
    lines = [head]
    if cell.enters and cut.chains > 1:
        lines.append(f"_chain({cell.chain})")
    for before in cell.again:
        code = _python(before, ahead)
        inner = source.indented(code)
        lines.append(f"# fence {before.fence.number} once more")
        lines.append(code if inner is None else f"with _quietly():\n{inner}")
    if member.fence.language in SHELLS:
        status = f", status={member.tags.exit}" if member.tags.exit else ""
        code = source.literal(member.fence.code)
        lines.append(f"_shell({_COMMANDS[member.fence.language]}, {code}{status})")
    else:
        lines.append(_python(member, ahead))
    yield "\n".join(lines)


def _python(member: Member, ahead: list[str]) -> str:
    """The code of a fence, so that it runs in a script."""
    if member.fence.transcript is not None:
        return "\n".join(_turn(turn.code, raises=turn.raises) for turn in
                         member.fence.transcript.turns)  # fmt: skip
    code = member.fence.code.rstrip("\n")
    if source.parsed(code) is None:
        return f"# Not Python, on purpose:\n{_comment(code)}"
    if source.awaits(code):
        return f"# `await` outside of functions is for notebooks:\n{_comment(code)}"
    found, code = source.futures(code)
    ahead += found
    if member.tags.echo:
        code = _echoed(code)
    return _raising(code, member.tags.raises.type) if member.tags.raises else code


def _turn(code: str, *, raises: bool) -> str:
    code = code.rstrip("\n")
    if source.parsed(code) is None:
        return _comment(code)
    return _raising(_echoed(code), "BaseException") if raises else _echoed(code)


def _echoed(code: str) -> str:
    """``code`` that shows its last expression."""
    last = source.last_expression(code)
    if last is None:
        return code
    if isinstance(last.value, ast.Call) and ast.unparse(last.value.func) == "print":
        return code
    lines = code.split("\n")
    before, value = lines[: last.lineno - 1], lines[last.lineno - 1 :]
    text = "\n".join(value)
    made = "\n".join((*before, f"_echo(\n{text}\n)" if "\n" in text else f"_echo({text})"))
    return made if last.col_offset == 0 and source.parsed(made) is not None else code


def _raising(code: str, name: str) -> str:
    inner = source.indented(code)
    if inner is None:
        return f"# Ends with {name}:\n{_comment(code)}"
    return f"with _Raises({name!r}):\n{inner}"
