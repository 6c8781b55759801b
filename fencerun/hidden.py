"""Code in a comment, for set-up that readers don't see: an HTML block's text into code. Pure.

CommonMark ends such a comment at its first ``-->``, HTML also at ``--!>``, wherever they stand.
"""

from __future__ import annotations

from fencerun.patterns import later

#: What is wrong with one, and what to do.
Fault = tuple[str, str]

_INDENT = later(r" *")


def code(text: str) -> tuple[str, Fault | None]:
    """The code of a hidden fence, and what is wrong with it; ``text`` is the whole comment."""
    first, *lines = text.rstrip("\n").split("\n")
    fault = _fault(lines)
    if fault is None:
        lines = lines[:-1]
    indent = len(first) - len(first.lstrip(" "))
    return "".join(_without(line, indent) + "\n" for line in lines), fault


def _without(line: str, indent: int) -> str:
    """``line`` without as much indentation as the comment has, as in a fenced code block."""
    found = _INDENT.match(line)
    return line[min(indent, found.end() if found else 0) :]


def _fault(lines: list[str]) -> Fault | None:
    if not lines or "-->" not in lines[-1]:
        return "this comment is never closed", "close it with a line `-->`"
    if lines[-1].strip() != "-->":
        return _ends(lines[-1], "-->")
    return next((_ends(line, "--!>") for line in lines if "--!>" in line), None)


def _ends(line: str, sign: str) -> Fault:
    what = f"`{sign}` ends the comment in the middle of its code: {line.strip()}"
    return what, "put `-->` alone on a line, and write a `-->` in the code in two parts"
