"""Runs one fence of a script, or evaluates a value bound to one, and says how it failed.

It knows nothing of processes, output, guards or time limits: whoever calls it looks after those.
"""

from __future__ import annotations

import ast
import os
import types

from fencerun.worker import tracebacks
from fencerun.worker.asserts import FailedAssert
from fencerun.worker.compiling import FUTURES, compile_fence
from fencerun.worker.harmless import is_harmless, makes_no_ring
from fencerun.worker.namespace import Script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from fencerun.worker.tracebacks import FailureDict

#: What ``compile`` raises on text that is no Python.
_NOT_PYTHON = (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError)

_CO_COROUTINE = 0x80  # inspect.CO_COROUTINE, without importing inspect


def run(
    script: Script,
    code: str,
    line: int,
    *,
    echo: bool = False,
    number: int | None = None,
    mode: Literal["exec", "single"] = "exec",
    expected: bool = False,
) -> FailureDict | None:
    """Compile and run one fence; the failure as plain data, or None if it did not fail.

    ``line`` is the page line of the first line of ``code``; ``number`` is the fence's, for
    messages; in mode ``single`` the code is a statement typed at a prompt; at an ``expected``
    exception no debugger has to look. KeyboardInterrupt is raised on: whoever interrupts knows
    why (``interrupted`` places it). The script must have been entered.
    """
    script.number = number
    script.add(code, line)
    try:
        compiled = compile_fence(
            code,
            script.page,
            line,
            flags=script.flags,
            recorder=script.recorder,
            echo=echo,
            mode=mode,
        )
    except _NOT_PYTHON as error:
        return _syntax_failure(script, error, line)
    script.flags |= compiled.co_flags & FUTURES
    script.harmless = script.harmless and mode == "exec" and is_harmless(compiled)
    script.ringless = script.ringless and makes_no_ring(compiled)
    try:
        _execute(script, compiled)
    except KeyboardInterrupt:
        raise
    except SystemExit as error:
        return _exit_failure(script, error)
    except BaseException as error:
        if script.debugger is not None and not expected:
            script.debugger.examine(error)
        return describe(script, error)
    finally:
        script.recorder.clear()
    return None


def set_up(script: Script, file: str, code: str) -> FailureDict | None:
    """Run a set-up file in the script's namespace; the failure, or None.

    Its ``__future__`` imports are its own. KeyboardInterrupt is raised on.
    """
    script.set_up(file, code)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        compiled = compile(code, file, "exec", flags, True, 0)
        _execute(script, compiled)
        return None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if script.debugger is not None:
            script.debugger.examine(error)
        failure = tracebacks.describe(error, {file})
    name = os.path.basename(file)
    at = f", line {failure['line']}" if failure["line"] else ""
    # On no page line, and no exception that a fence may have been expected to raise.
    return {**failure, "line": None, "mro": (), "missing_name": None,
            "summary": f"the set-up file {name}{at}: {failure['summary']}"}  # fmt: skip


def describe(script: Script, error: BaseException, *, kind: str = "exception") -> FailureDict:
    """What an exception raised by a fence of ``script`` amounts to."""
    failure = tracebacks.describe(error, script.files, kind=kind)
    if isinstance(error, AssertionError):
        _add_operands(script, error, failure)
    return failure


def interrupted(script: Script, error: KeyboardInterrupt) -> FailureDict:
    """Where a fence was when KeyboardInterrupt stopped it; the caller knows why and says so."""
    return describe(script, error)


def evaluate(script: Script, expression: str, spec: str | None) -> dict[str, str]:
    """The text of a value bound to a fence, as ``{"text": …}``, or ``{"error": …}``.

    The text is ``str()`` of it, or ``format(value, spec)``. Output that the expression prints is
    the caller's matter. KeyboardInterrupt is raised on.
    """
    names = script.module.__dict__
    script.harmless = False

    def text() -> str:
        value = eval(compiled, names)
        return str(value) if spec is None else format(value, spec)

    try:
        compiled = compile(
            expression.strip(), f"<value on {script.page}>", "eval", script.flags, True, 0
        )
        return {"text": script.context.run(text)}
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return {"error": tracebacks.summary(error, tracebacks.message_of(error))}


def _execute(script: Script, compiled: types.CodeType) -> None:
    if script.debugger is None:
        _execute_now(script, compiled)
    else:
        with script.debugger.around(script):
            _execute_now(script, compiled)


def _execute_now(script: Script, compiled: types.CodeType) -> None:
    names = script.module.__dict__
    if compiled.co_flags & _CO_COROUTINE:
        script.context = script.loop.run(eval(compiled, names), script.context)
    else:
        script.context.run(exec, compiled, names)


def _syntax_failure(script: Script, error: BaseException, line: int) -> FailureDict:
    # The traceback holds only our own frames.
    failure = tracebacks.describe(error.with_traceback(None), script.files, kind="syntax")
    failure["line"] = (error.lineno if isinstance(error, SyntaxError) else None) or line
    return failure


def _exit_failure(script: Script, error: SystemExit) -> FailureDict | None:
    if error.code is None or (isinstance(error.code, int) and error.code == 0):
        return None
    failure = describe(script, error, kind="exit")
    if isinstance(error.code, int):
        failure["summary"] = f"SystemExit: exit status {error.code}"
    return failure


def _add_operands(script: Script, error: AssertionError, failure: FailureDict) -> None:
    *_, innermost = tracebacks.frames(error.__traceback__)
    if innermost.tb_frame.f_code.co_filename not in script.files:
        return  # raised by a library, not by an assert on the page
    fence = script.source.fence_at(innermost.tb_lineno)
    if fence is None:
        return
    try:
        found = FailedAssert(fence.code, fence.line, innermost)
        failure["values"] = script.context.run(found.values, script.recorder)
        if not failure["message"] and found.text():
            failure["summary"] = f"AssertionError: {found.text()}"
    except Exception:
        return  # the report goes on without values, whatever the operands' own code did
