"""The environment variables that every fence gets, so that output is the same on every machine.

Pure: mappings in, a mapping out.
"""

from __future__ import annotations

from collections.abc import Mapping

from fencerun.engines.base import EngineOptions

_PINNED = {
    "PYTHONHASHSEED": "0",
    "PYTHONIOENCODING": "utf-8",
    "PYTHONUTF8": "1",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "NO_COLOR": "1",
    "MPLBACKEND": "agg",
    "LINES": "24",
    # 1980-01-01, the first date that a zip archive can hold.
    "SOURCE_DATE_EPOCH": "315532800",
    # Inductor's default leaves helper processes and a thread behind.
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
}

#: What would change output or behaviour behind the author's back: colours, buffering, asserts
#: that vanish, a prompt at the end.
_REMOVED = (
    "PYTHONUNBUFFERED",
    "PYTHONOPTIMIZE",
    "PYTHONINSPECT",
    "PYTHONSAFEPATH",
    "PYTHONSTARTUP",
    "PYTHONFAULTHANDLER",
    "PYTHONPROFILEIMPORTTIME",
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
    "PYTHON_COLORS",
)

#: With more than one thread, a fork after the first parallel operation can hang for ever, and
#: sums may differ in their last digits from run to run.
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def for_fences(inherited: Mapping[str, str], options: EngineOptions) -> dict[str, str]:
    """The whole environment of the process that runs fences."""
    kept = {name: value for name, value in inherited.items() if name not in _REMOVED}
    return {**kept, **pinned(options)}


def pinned(options: EngineOptions) -> dict[str, str]:
    """The variables that do not depend on the caller's environment."""
    threads = dict.fromkeys(_THREADS, str(options.threads))
    return {**_PINNED, "COLUMNS": str(options.width), **threads, **options.env}
