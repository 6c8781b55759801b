"""What Python and torch say only once a process, said once in each chain.

Python remembers the warnings it showed; one number makes it forget them all. C++ code of torch
remembers with flags that nothing can reset, so it is told to warn always, and a filter drops what
the same chain has heard already. Knows nothing of output.
"""

from __future__ import annotations

import contextlib
import warnings

from fencerun.worker.guards.internals import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What torch ends a warning of its C++ code with, before the place in its source.
_FROM_CPP = "(Triggered internally at "

#: Functions of torch that remember what they said.
_REMEMBER = (
    ("torch._logging._internal", "warning_once"),
    ("torch.fx._symbolic_trace", "is_fx_tracing_warning"),
    ("torch._export", "aot_compile_warning"),
    ("torch._inductor.compile_fx", "_warn_tf32_disabled"),
    ("torch._inductor.fx_passes.fuse_attention", "_warn_tf32_disabled"),
    ("torch._inductor.lowering", "_warn_complex_not_supported"),
    ("torch._inductor.lowering", "_warn_triton_random"),
)


def forget_shown() -> None:
    """Let Python show again every warning that it has shown."""
    if hasattr(warnings, "_filters_mutated"):
        warnings._filters_mutated()
        return
    mutated: Any = getattr(warnings, "_filters_mutated_lock_held", None)  # from Python 3.14 on
    if mutated is not None:
        with getattr(warnings, "_lock", contextlib.nullcontext()):
            mutated()


class _Heard:
    """Stands where a filter has a pattern: matches a warning of C++ code that came before."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def clear(self) -> None:
        """A chain begins, which has heard nothing."""
        self._texts.clear()

    def match(self, text: str) -> bool:
        """Whether this chain has heard ``text``, which it has from now on."""
        if _FROM_CPP not in text:
            return False
        heard = text in self._texts
        self._texts.add(text)
        return heard

    def __repr__(self) -> str:
        return "<what torch warned of before>"


class OnceOnly:
    """Makes each chain the first to hear it."""

    def __init__(self) -> None:
        self._heard = _Heard()
        # Behind all others: it has a say only where no filter of the fences' has.
        self._filter: Any = ("ignore", self._heard, Warning, None, 0)

    def begin(self, torch: Any) -> None:
        """A chain begins; ``torch`` is the loaded module, or None."""
        forget_shown()
        self._heard.clear()
        if torch is not None:
            self.hook(torch)
            for module, name in _REMEMBER:
                forget = getattr(table(module, name, default=None), "cache_clear", None)
                if forget is not None:
                    forget()
            typed_storage = table("torch.storage", "_warn_typed_storage_removal", default=None)
            getattr(typed_storage, "__dict__", {}).pop("has_warned", None)

    def hook(self, torch: Any) -> None:
        """Have a loaded torch warn always, and be heard once."""
        always = getattr(torch, "set_warn_always", None)
        if always is None:
            return
        always(True)
        filters: Any = warnings.filters
        if self._filter not in filters:
            filters.append(self._filter)
            forget_shown()

    def remove(self) -> None:
        """Let torch and Python be as they are by default."""
        filters: Any = warnings.filters
        if self._filter in filters:
            filters.remove(self._filter)
            forget_shown()
            always = table("torch", "set_warn_always", default=None)
            if always is not None:
                always(False)
