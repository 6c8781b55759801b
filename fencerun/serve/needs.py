"""What `fencerun serve` needs besides fencerun itself, asked for before anything is loaded."""

from __future__ import annotations

from importlib.util import find_spec

from fencerun.errors import UsageError

#: A module of each distribution that the extra brings.
_MODULES = (
    "starlette",
    "uvicorn",
    "watchfiles",
    "pygments",
    "latex2mathml",
    "mdit_py_plugins",
    "nh3",
)


def insist() -> None:
    """Raise UsageError where one of them is missing."""
    missing = [name for name in _MODULES if find_spec(name) is None]
    if missing:
        what = f"fencerun serve needs {', '.join(missing)}"
        raise UsageError(what, "pip install 'fencerun[serve]'")
