"""The names after `requires:`: a table, and what to write for a name that is not in it. Pure.

Knows how a name is written in full, not how to read one; that is ``capabilities``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from fencerun.patterns import later
from fencerun.tags import near_miss, nearest

Kind = Literal[
    "accelerator", "gpu", "machine", "switch", "environment", "python", "distribution", "own"
]

#: Every name of ours: its kind, and how it is written in full.
KNOWN: Mapping[str, tuple[Kind, str]] = {
    "cuda": ("accelerator", "cuda"),
    "rocm": ("accelerator", "rocm"),
    "mps": ("accelerator", "mps"),
    "xpu": ("accelerator", "xpu"),
    "accelerator": ("accelerator", "accelerator"),
    "gpu": ("gpu", "gpu:NAME"),
    "gpus": ("gpu", "gpus>=2"),
    "sm": ("gpu", "sm>=90"),
    "nvcc": ("machine", "nvcc"),
    "triton": ("machine", "triton"),
    "cxx": ("machine", "cxx"),
    "linux": ("machine", "linux"),
    "macos": ("machine", "macos"),
    "windows": ("machine", "windows"),
    "network": ("switch", "network"),
    "slow": ("switch", "slow"),
    "env": ("environment", "env:NAME"),
    "python": ("python", "python>=3.11"),
    "dist": ("distribution", "dist:NAME"),
}

#: What authors write for them elsewhere, too far off to be a typo.
_ELSEWHERE: Mapping[str, str] = {
    "gpu": "gpus>=1",
    "nvidia": "cuda",
    "amd": "rocm",
    "hip": "rocm",
    "metal": "mps",
    "darwin": "macos",
    "osx": "macos",
    "mac": "macos",
    "win32": "windows",
    "c++": "cxx",
    "cpp": "cxx",
    "gcc": "cxx",
    "g++": "cxx",
    "clang": "cxx",
    "internet": "network",
}

#: The name of a distribution, by PEP 508.
NAME = later(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_ARCHITECTURE = later(r"sm_?(\d+)a?")


def full(name: str) -> str:
    """How a capability is written in full: ``gpu`` is ``gpu:NAME``."""
    return KNOWN[name][1] if name in KNOWN else name


def for_prefix(prefix: str, rest: str) -> str:
    """What to write instead of ``PREFIX:REST`` where no name begins so."""
    if prefix in KNOWN:
        return f"write `{KNOWN[prefix][1]}`"
    return nearest(prefix, ("env", "gpu", "dist")) if rest else f"leave the colon out: `{prefix}`"


def for_name(text: str, own: Collection[str]) -> str:
    """What to write instead of a bare name that is no capability."""
    known = (*KNOWN, *own)
    if architecture := _ARCHITECTURE.fullmatch(text.lower()):
        return f"did you mean `sm>={architecture[1]}`?"
    meant = _ELSEWHERE.get(text.lower()) or near_miss(text, known)
    if not meant:
        from difflib import get_close_matches  # few names are wrong

        meant = next(iter(get_close_matches(text.lower(), known, 1, 0.75)), None)
    if meant:
        return f"did you mean `{full(meant)}`?"
    if text in KNOWN:
        return f"write `{full(text)}`"
    if text.lower() in ("torch", "pytorch"):
        return "write `dist:torch`, or `torch>=2.11` for a version"
    listed = ", ".join(dict.fromkeys((*(full for _, full in KNOWN.values()), *own)))
    if NAME.fullmatch(text):
        return f"write `dist:{text}` if it is a distribution; known are {listed}"
    return f"known are {listed}"
