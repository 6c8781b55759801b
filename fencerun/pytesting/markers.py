"""The markers of a fence: its requirements, as names that ``pytest -m`` can say. Pure."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OTHER = re.compile(r"[^A-Za-z0-9]+")

#: Names that mean something to pytest, or to its expressions.
_TAKEN = frozenset(
    {"fence", "filterwarnings", "parametrize", "skip", "skipif", "tryfirst", "trylast"}
    | {"usefixtures", "xdist_group", "xfail"}
)


def of(requirements: Iterable[str]) -> tuple[str, ...]:
    """The markers for these requirements, each once.

    ``cuda`` is ``cuda``. What is more than a name gives two: ``sm>=90`` gives ``sm`` and
    ``sm_90``, ``gpu:nvidia-h200`` gives ``gpu`` and ``gpu_nvidia_h200``.
    """
    found: dict[str, None] = {}
    for requirement in requirements:
        name = _NAME.match(requirement)
        if name is not None:
            found[_sane(name[0])] = None
        found[_sane(requirement)] = None
    return tuple(found)


def _sane(text: str) -> str:
    name = _OTHER.sub("_", text).strip("_")
    if name in _TAKEN or keyword.iskeyword(name) or not name.isidentifier():
        return f"requires_{name}"
    return name
