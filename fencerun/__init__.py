"""fencerun: run the fenced code blocks of Markdown lessons, record and check what they print.

``check`` and ``record`` are the Python API, and ``Run`` is what they return (``docs/api.md``).

The package runs in two roles. The parent (``cli``, ``session`` and what they drive) never
imports torch. The child (``worker``) is stdlib-only, because it runs under the interpreter of
the lesson, which need not have fencerun's dependencies. This file imports nothing until a name is
asked for, so that the child pays for nothing.
"""

__version__ = "0.1.0"
__all__ = ["Run", "check", "record"]

# Type checkers take a name so called for true; ``typing`` would cost the child its import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from fencerun.api import Run as Run
    from fencerun.api import check as check
    from fencerun.api import record as record
else:  # hidden from type checkers: with it, no attribute would be unknown to them

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from fencerun import api

        return getattr(api, name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
