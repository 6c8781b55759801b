"""Questions about one Python and its machine, answered inside that Python, in a process of its own.

Run by path with the question as JSON; the answer is the last line it prints. Imports torch only
for ``devices``: that initialises CUDA, which must not happen in a process that forks later.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import json
import os
import platform
import re
from typing import Any

#: What the line with the answer begins with, since a library may print while it is imported.
MARK = "\x1efencerun-probe "

# Torch writes `cuda: Optional[str] = '13.0'` since 1.12, and `cuda = '10.2'` before.
_ASSIGNED = re.compile(
    r"^(__version__|cuda|hip|xpu)\b[^=\n]*=\s*(?:'([^']*)'|\"([^\"]*)\"|None)", re.M
)


def basics() -> dict[str, Any]:
    """The version of this Python (``3.11.7``), and of its torch with what that is built for."""
    return {"python": platform.python_version(), "torch": torch_build()}


def version(name: str) -> str | None:
    """The version of an installed distribution, or None."""
    import importlib.metadata

    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def has_module(name: str) -> bool:
    """Whether a top-level module could be imported. Imports nothing."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def torch_build() -> dict[str, str | None] | None:
    """What torch was built for, from the text of its ``version.py``; None without torch.

    The wheels on PyPI say ``2.11.0`` in their metadata and ``2.11.0+cu130`` there.
    """
    try:
        spec = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.origin:
        return None
    path = os.path.join(os.path.dirname(spec.origin), "version.py")
    try:
        with open(path, encoding="utf-8") as file:
            found = _ASSIGNED.findall(file.read())
    except OSError:
        return None
    said = {name: single or double or None for name, single, double in found}
    return said if said.get("__version__") else None


def devices() -> dict[str, Any]:
    """The accelerators that torch can use, by backend, in torch's order. Imports torch.

    A CUDA or ROCm device has its compute capability as ``sm`` (9.0 is 90).
    """
    torch: Any = importlib.import_module("torch")
    found: dict[str, Any] = {"cuda": [], "rocm": [], "xpu": [], "mps": []}
    if torch.cuda.is_available():
        backend = "rocm" if torch.version.hip else "cuda"
        for index in range(torch.cuda.device_count()):
            major, minor = torch.cuda.get_device_capability(index)
            name = torch.cuda.get_device_name(index)
            found[backend].append({"name": name, "sm": 10 * major + minor})
    xpu = getattr(torch, "xpu", None)
    if xpu is not None and xpu.is_available():
        found["xpu"] = [{"name": xpu.get_device_name(i)} for i in range(xpu.device_count())]
    mps = getattr(torch.backends, "mps", None)
    if mps is not None and mps.is_available():
        found["mps"] = [{"name": "Apple MPS"}]
    return found


def evaluate(expression: str) -> bool:
    """Whether an expression is true; a name that is not builtin is a module, imported for it."""
    tree = ast.parse(expression, "<capability>", "eval")
    names: dict[str, Any] = {}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in found if not isinstance(node.ctx, ast.Load)}
    for name in dict.fromkeys(node.id for node in found):
        if name not in bound and not hasattr(builtins, name) and has_module(name):
            names[name] = importlib.import_module(name)
    return bool(eval(compile(tree, "<capability>", "eval"), names))


def main(question: str) -> None:
    """Answer ``{"ask": NAME, "of": ARGUMENT?}`` with a value, or an error in words."""
    asked = json.loads(question)
    known = {f.__name__: f for f in (basics, version, has_module, devices, evaluate)}
    try:
        arguments = [asked["of"]] if "of" in asked else []
        answer = {"value": known[asked["ask"]](*arguments)}
    except BaseException as error:  # an import may raise anything, SystemExit too
        text = str(error).strip().split("\n")[0]
        answer = {"error": f"{type(error).__name__}: {text}" if text else type(error).__name__}
    print("\n" + MARK + json.dumps(answer), flush=True)
