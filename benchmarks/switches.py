"""Switches for guards, for measuring alone: nothing of fencerun knows of them.

Installed (by ``switched``) in the process that forks the workers, before it makes its guards. A
fence flips them by changing ``OFF``; while an item's name is in it, its functions do nothing.
Every switch costs the same whether it is on or off, so that it cancels out.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

from fencerun.worker import (
    children,
    cuda,
    ending,
    figures,
    garbage,
    guards,
    memory,
    modules,
    newfiles,
    seeds,
    threads,
)
from fencerun.worker.guards import (
    configs,
    dynamo,
    evidence,
    exits,
    leftovers,
    native,
    onceonly,
    state,
)

#: The burden that shows whether a switch is seen at all: CPU seconds a fence, off by default.
CONTROL, BURDEN = "control", 0.001

#: The items that are off.
OFF = {CONTROL}

#: By item: what owns a function, its name, and what it gives while it is off.
ITEMS: dict[str, tuple[tuple[Any, str, Any], ...]] = {
    "settings of Python and torch, and tables of modules": (
        (state.State, "begin", None),
        (state.State, "observe", None),
        (state.State, "settle", ()),
    ),
    "configuration in context variables": (
        (configs.Contexts, "begin", None),
        (configs.Contexts, "changes", ()),
    ),
    "`sys.modules`": (
        (leftovers.ModulesWatch, "begin", None),
        (leftovers.ModulesWatch, "mend", None),
        (leftovers.ModulesWatch, "settle", ()),
        (modules.Modules, "_remember", None),
        (modules.Modules, "end_chain", 0),
    ),
    "file descriptors": (
        (leftovers.DescriptorsWatch, "begin", None),
        (leftovers.DescriptorsWatch, "settle", ()),
    ),
    "files in the page's directory": (
        (newfiles.NewFiles, "begin", None),
        (newfiles.NewFiles, "end", ()),
    ),
    "warnings that come once": ((onceonly.OnceOnly, "begin", None),),
    "operators": ((guards.Guards, "_hook_torch", None), (guards, "undo", None)),
    "native libraries": (
        (native.NativeWatch, "begin", None),
        (native.NativeWatch, "settle", ()),
    ),
    "first compilation, `torch._dynamo.reset()`": (
        (dynamo.FirstCompile, "begin", None),
        (ending, "_reset_dynamo", None),
    ),
    "generators of random numbers": ((seeds, "fix", None),),
    "garbage, memory limit": ((garbage.Garbage, "collect", None), (memory, "grown", None)),
    "threads and exit handlers": (
        (threads.Threads, "begin_chain", None),
        (threads.Threads, "wait", None),
        (threads.Threads, "left", ()),
        (exits.ExitHandlers, "run", None),
        (exits.ExitHandlers, "forget", None),
    ),
    "child processes": ((children, "sweep", ()),),
    "CUDA, figures": (
        (cuda, "settle", None),
        (cuda, "release", None),
        (figures, "close", None),
    ),
    "the line to blame": ((evidence.Evidence, "add", None),),
}


def install() -> None:
    """Put a switch before every function of the items, for good."""
    for item, functions in ITEMS.items():
        for owner, name, nothing in functions:
            setattr(owner, name, _switched(item, getattr(owner, name), nothing))
    guards.Guards.fence_begin = _burdened(guards.Guards.fence_begin)  # type: ignore[method-assign]


def _switched(item: str, function: Callable[..., Any], nothing: Any) -> Callable[..., Any]:
    @functools.wraps(function)
    def switched(*arguments: Any, **options: Any) -> Any:
        return nothing if item in OFF else function(*arguments, **options)

    return switched


def _burdened(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def burdened(*arguments: Any, **options: Any) -> Any:
        if CONTROL not in OFF:
            until = time.thread_time() + BURDEN
            while time.thread_time() < until:
                pass
        return function(*arguments, **options)

    return burdened
