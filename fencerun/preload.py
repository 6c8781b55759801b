"""What the zygote loads before the first fence: the heavy modules that the pages name.

A guess from text, so that pages without torch never pay for it. Wrong guesses cost time only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from fencerun.patterns import later

_TORCH = later(r"^[ \t]*(?:import|from)[ \t]+torch\b", re.MULTILINE)
_DYNAMO = later(r"\btorch\.(?:compile|_dynamo|export|library)\b|\bopcheck\b")
#: What uses Inductor, unless it names another backend.
_COMPILE = later(r"\btorch\.compile\b")
_BACKEND = later(r"\bbackend[ \t]*=")
_INDUCTOR = later(r"\b_?inductor\b")
_NUMPY = later(r"^[ \t]*(?:import|from)[ \t]+numpy\b", re.MULTILINE)


def modules(codes: Iterable[str]) -> tuple[str, ...]:
    """The modules worth loading for fences with these sources, in order."""
    codes = tuple(codes)
    text = "\n".join(codes)
    found = []
    if _NUMPY.search(text):
        found.append("numpy")
    if _TORCH.search(text):
        found.append("torch")
        if _DYNAMO.search(text):
            found.append("torch._dynamo")
        if any(map(_compiles, codes)):
            # Half as much again as torch itself, for each chain that has a process of its own.
            found.append("torch._inductor.compile_fx")
    return tuple(found)


def _compiles(code: str) -> bool:
    """Whether a fence seems to let Inductor generate code."""
    by_default = _COMPILE.search(code) and not _BACKEND.search(code)
    return bool(by_default or _INDUCTOR.search(code))
