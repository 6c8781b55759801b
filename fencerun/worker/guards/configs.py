"""Context variables: configuration of torch's compilers, of numpy and of decimal.

Fences run in a copied context, so what they set there is gone with it; this only names it. In
versions of torch whose configuration isn't kept in context variables, it is probed instead.
"""

from __future__ import annotations

import contextvars
import copy
import sys

from fencerun.worker.guards.internals import loaded
from fencerun.worker.guards.probe import ABSENT, Probe, same, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: Modules whose configuration is kept by torch.utils._config_module.
CONFIGS = (
    "torch._dynamo.config",
    "torch._inductor.config",
    "torch._functorch.config",
    "torch.fx.experimental._config",
    "torch.export._config",
    "torch._higher_order_ops.config",
    "torch.compiler.config",
    "torch.distributed.config",
    "torch.utils.serialization.config",
)


class Contexts:
    """Names what a chain changed in its context."""

    def __init__(self) -> None:
        self._known: dict[contextvars.ContextVar[Any], tuple[Any, str]] = {}
        self._modules: set[str] = set()
        #: How many modules there were, and the newest, when theirs were last looked for.
        self._looked: tuple[int, str] | None = None
        self._context: contextvars.Context | None = None
        self._before: dict[contextvars.ContextVar[Any], Any] = {}
        self._contents: list[tuple[contextvars.ContextVar[Any], Any, Any]] = []

    def begin(self, context: contextvars.Context | None, left_alone: bool = False) -> None:
        """Remember what the chain's context holds before its first fence.

        ``left_alone`` says that it is a copy of the same as the last one, which stayed as it was.
        """
        self._context = context
        if left_alone:
            return
        self._learn()
        self._before = dict(context.items()) if context is not None else {}
        # A copied context shares what is mutable with the one it was copied from.
        self._contents = [
            (variable, value, copy.copy(value))
            for variable, value in self._before.items()
            if type(value) in _MUTABLE and variable in self._known
        ]

    def _mutations(self) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
        for variable, value, before in self._contents:
            if not same(value, before):
                module, name = self._known[variable]
                yield f"{module.__name__}.{name}", short(before), short(value), (name,)
                _refill(value, before)

    def changes(self) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
        """(what, was, now, words) of each setting that differs between the context and ours."""
        context, self._context = self._context, None
        if context is None:
            return
        yield from self._mutations()
        self._learn()
        for variable in list(context):
            if self._before.get(variable, ABSENT) is context[variable]:
                continue
            known = self._known.get(variable)
            if known is not None:
                module, name = known
                was, now = getattr(module, name), context.run(getattr, module, name)
                # Reading a mutable default sets its variable too: only values count.
                if not same(was, now):
                    yield f"{module.__name__}.{name}", short(was), short(now), (name,)
            elif variable.name in _LIBRARIES:
                yield from _library_changes(variable.name, context)

    def _learn(self) -> None:
        looked = len(sys.modules), next(reversed(sys.modules))
        if looked == self._looked:
            return
        self._looked = looked
        for name in CONFIGS:
            if name in self._modules or (module := loaded(name)) is None:
                continue
            self._modules.add(name)
            for setting, entry in getattr(module, "_config", {}).items():
                variable = getattr(entry, "user_override", None)
                if isinstance(variable, contextvars.ContextVar):
                    self._known[variable] = (module, setting)


_MUTABLE = (list, dict, set)


def _refill(live: Any, content: Any) -> None:
    live.clear()
    (live.extend if isinstance(live, list) else live.update)(content)


#: Variables of libraries: (module, name, function that gives the values, words).
_LIBRARIES = {
    "format_options": ("numpy", "numpy print options", "get_printoptions", ("set_printoptions",)),
    "numpy.ufunc.extobj": ("numpy", "numpy error handling", "geterr", ("seterr", "errstate")),
    "decimal_context": ("decimal", "decimal context", "getcontext", ("getcontext", "setcontext")),
}


def _library_changes(
    variable: str, context: contextvars.Context
) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    module_name, what, getter, words = _LIBRARIES[variable]
    read = getattr(loaded(module_name), getter, None)
    if read is None:
        return
    was, now = read(), context.run(read)
    if isinstance(was, dict) and isinstance(now, dict):
        for key in now:
            if not same(was.get(key), now[key]):
                yield f"{what}: {key}", short(was.get(key)), short(now[key]), words
    elif not _same_decimal(was, now):
        yield what, short(was, 200), short(now, 200), words


def _same_decimal(was: Any, now: Any) -> bool:
    # Flags are set by ordinary arithmetic.
    fields = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp", "traps")
    return all(getattr(was, f, None) == getattr(now, f, None) for f in fields)


def probes(module: Any) -> list[Probe]:
    """Probes of a configuration module whose settings are not context variables."""
    entries = getattr(module, "_config", {})
    in_context = any(
        isinstance(getattr(entry, "user_override", None), contextvars.ContextVar)
        for entry in entries.values()
    )
    # The others warn of being deprecated, torch 2.11 on.
    ways = ("get_config_copy", "shallow_copy_dict", "to_dict")
    read = next((way for name in ways if (way := getattr(module, name, None))), None)
    write = getattr(module, "load_config", None)
    if in_context or not entries or read is None or write is None:
        return []
    return [Probe(module.__name__, read, write, *entries, by_key=True)]
