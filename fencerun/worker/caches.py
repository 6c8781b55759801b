"""Keeping compiled code of one chain from being taken for another's.

Inductor's disk cache knows an operator by its name and not by its fake kernel: once a lesson
mends a wrong fake, the code that was compiled with it would still be found, and run. A tag in the
cache key, of all that the chain's output depends on, keeps the two apart.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import contextvars

#: The variable that says so to a torch which a chain has still to import.
VARIABLE = "TORCH_COMPILE_CACHE_KEY_TAG"


def tag(name: str, context: contextvars.Context) -> None:
    """Let everything compiled from now on, in ``context``, be cached under ``name``."""
    config = sys.modules.get("torch.compiler.config")
    if hasattr(config, "cache_key_tag"):
        context.run(setattr, config, "cache_key_tag", name)
