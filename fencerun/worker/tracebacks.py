"""What is said of an exception: page lines, no frame of the tool, few of the libraries.

It turns an exception into plain data, the fields of :class:`fencerun.result.Failure`. It does not
know what a fence is: "the page" is a set of file names, as they stand in code objects.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Collection, Iterator
from types import TracebackType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    #: A failure as plain data; the keys are the fields of ``fencerun.result.Failure``.
    FailureDict = dict[str, Any]


#: Library frames kept below the last frame of the page: the error's own place and its caller.
_LAST_FRAMES = 2
#: Lines of a traceback kept at either end, and characters of a message.
_MOST_LINES = 100
_MOST_CHARACTERS = 1 << 16
_LONGEST_SUMMARY = 300

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STDLIB = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_PACKAGES = re.compile(r"[/\\](?:site|dist)-packages[/\\]([^/\\]+)")
_ELIDED = re.compile(r'File "\0([^"]*)", line \d+, in .*')


def failure(
    kind: str,
    summary: str,
    *,
    line: int | None = None,
    traceback: str = "",
    mro: tuple[str, ...] = (),
    message: str = "",
    values: tuple[tuple[str, str], ...] = (),
    missing_name: str | None = None,
) -> FailureDict:
    """A failure with every key set."""
    return {
        "kind": kind,
        "summary": summary,
        "line": line,
        "traceback": traceback,
        "mro": mro,
        "message": message,
        "values": values,
        "missing_name": missing_name,
    }


def describe(
    error: BaseException, pages: Collection[str], *, kind: str = "exception"
) -> FailureDict:
    """All there is to say of ``error``; ``pages`` are the file names of the page's code.

    Never raises an Exception, whatever the exception's own methods do.
    """
    message = message_of(error)
    return failure(
        kind,
        summary(error, message),
        line=page_line(error, pages),
        traceback=_formatted(error, pages),
        mro=tuple(_name(base) for base in type(error).__mro__),
        message=message,
        missing_name=_missing_name(error, message),
    )


def message_of(error: BaseException) -> str:
    """``str(error)``; of a SyntaxError without the place, which moves with every edit."""
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        return str(text)[:_MOST_CHARACTERS]
    except Exception as second:
        return f"<its str() raises {type(second).__name__}>"


def summary(error: BaseException, message: str) -> str:
    """One line: the type and the first line of the message."""
    first = message.strip().split("\n", 1)[0].strip()
    name = _name(type(error))
    if name == "bdb.BdbQuit" and not first:
        first = "a fence has no terminal to debug from"
    whole = f"{name}: {first}" if first else name
    return whole if len(whole) <= _LONGEST_SUMMARY else whole[: _LONGEST_SUMMARY - 1] + "…"


def page_line(error: BaseException, pages: Collection[str]) -> int | None:
    """The page line of the innermost frame on the page; of what caused ``error``, if need be."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        innermost = None
        for trace in frames(current.__traceback__):
            if trace.tb_frame.f_code.co_filename in pages:
                innermost = trace.tb_lineno
        if innermost is not None:
            return innermost
        current = current.__cause__ or current.__context__
    return None


def frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    """The entries of a traceback, outermost first."""
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _name(kind: type) -> str:
    """The dotted name; of a builtin, or of a class that the page defines, the bare one."""
    module = getattr(kind, "__module__", None)
    if not isinstance(module, str) or module in ("builtins", "__main__"):
        return kind.__qualname__
    return f"{module}.{kind.__qualname__}"


def _missing_name(error: BaseException, message: str) -> str | None:
    if not isinstance(error, NameError) or isinstance(error, UnboundLocalError):
        return None
    if isinstance(error.name, str):
        return error.name
    found = re.match(r"name '(\w+)' is not defined", message)
    return found[1] if found else None


def _formatted(error: BaseException, pages: Collection[str]) -> str:
    try:
        # Lines are looked up when they are formatted, so those that are cut are never read.
        whole = traceback.TracebackException(
            type(error), error, error.__traceback__, lookup_lines=False, compact=True
        )
        for part in _parts(whole):
            part.stack[:] = _trimmed(list(part.stack), pages)
        text = "".join(whole.format())
    except Exception as second:
        return f"<its traceback cannot be shown: {type(second).__name__}>\n"
    text = _ELIDED.sub(r"\1", text)
    lines = text[: 4 * _MOST_CHARACTERS].splitlines(keepends=True)
    if len(lines) > 2 * _MOST_LINES:
        between = f"  … {len(lines) - 2 * _MOST_LINES} lines …\n"
        lines[_MOST_LINES:-_MOST_LINES] = [between]
    return "".join(lines)


def _parts(whole: traceback.TracebackException) -> Iterator[traceback.TracebackException]:
    """The exception with all that it is chained to or groups."""
    waiting = [whole]
    while waiting:
        part = waiting.pop()
        yield part
        inner = getattr(part, "exceptions", None) or ()  # Python 3.11
        waiting.extend(one for one in (part.__cause__, part.__context__, *inner) if one)


def _trimmed(
    stack: list[traceback.FrameSummary], pages: Collection[str]
) -> list[traceback.FrameSummary]:
    """From the first frame of the page on, each run of library frames cut short."""
    stack = [frame for frame in stack if not frame.filename.startswith(_OURS)]
    on_page = [at for at, frame in enumerate(stack) if frame.filename in pages]
    kept: list[traceback.FrameSummary] = []
    run: list[traceback.FrameSummary] = []
    for frame in stack[on_page[0] if on_page else 0 :]:
        if _is_library(frame.filename):
            run.append(frame)
        else:
            kept += _cut(run, 0)
            kept.append(frame)
            run = []
    return kept + _cut(run, _LAST_FRAMES)


def _cut(run: list[traceback.FrameSummary], keep: int) -> list[traceback.FrameSummary]:
    cut, kept = run[: len(run) - keep], run[len(run) - keep :]
    if len(cut) < 2:
        return run
    names = list(dict.fromkeys(_package(frame.filename) for frame in cut))
    where = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    text = f"… {len(cut)} frames in {where} …"
    # The standard library formats it with everything else; _ELIDED then takes off the rest.
    return [traceback.FrameSummary("\0" + text, 0, "", lookup_line=False, line=""), *kept]


def _is_library(file: str) -> bool:
    return file.startswith((_STDLIB, "<", sys.base_prefix + os.sep)) or bool(_PACKAGES.search(file))


def _package(file: str) -> str:
    found = _PACKAGES.search(file)
    if found:
        return found[1].removesuffix(".py")
    if file.startswith(_STDLIB):
        return file[len(_STDLIB) :].split(os.sep, 1)[0].removesuffix(".py")
    if file.startswith("<frozen "):
        return file[len("<frozen ") : -1].split(".", 1)[0]
    return "generated code" if file.startswith("<") else os.path.basename(file)
