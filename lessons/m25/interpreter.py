"""Runs a function in a process of its own, where Triton interprets kernels on CPU tensors.

Triton decides when it is first imported: its library (`tl.sum`, `tl.rand`, …) is made of kernels
too. In a process that has imported it for the compiler, as `torch.compile` does, kernels that use
the library can no longer be interpreted. Knows nothing of the kernels.
"""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path

LESSONS = Path(__file__).resolve().parent.parent

# Triton 3.6 cannot use a one-element array of NumPy 2.4 as the bound of a loop; 3.9 can.
_RUN = """\
import runpy, sys
from triton.runtime import interpreter

patch = interpreter._patch_lang_tensor

def patch_and_mend(tensor, *scope):
    patch(tensor, *scope)
    tensor.__index__ = lambda self: int(self.handle.data.item())

interpreter._patch_lang_tensor = patch_and_mend
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def interpreted(function: Callable[[], None]) -> Callable[[], None]:
    """A decorator: the function's body runs interpreted, and what it prints is printed here.

    The body sees nothing of the module around it, so it has its own imports.

    Raises:
        RuntimeError: It failed there; the message is what that process wrote to stderr.
    """
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, ast.FunctionDef), "a decorator is written above a function"
    body = "\n".join(ast.unparse(statement) for statement in definition.body)

    def run() -> None:
        print(run_interpreted(body), end="")

    return run


def run_interpreted(source: str) -> str:
    """What a Python script prints when run with `TRITON_INTERPRET=1` and `m25` in reach."""
    reach = os.pathsep.join(filter(None, [str(LESSONS), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": reach}
    with tempfile.TemporaryDirectory() as folder:
        # Triton reads a kernel's source from its file, so a string would not do.
        script = Path(folder, "interpreted.py")
        script.write_text(source, encoding="utf-8")
        command = [sys.executable, "-c", _RUN, str(script)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout
