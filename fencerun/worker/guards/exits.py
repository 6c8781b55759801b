"""Exit handlers of a chain, which run at its end as a script's do at the script's.

They are kept apart from the process's own, which outlive the chain. Knows nothing of output.
"""

from __future__ import annotations

import atexit
import functools
import sys
import traceback
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    import contextvars
    from collections.abc import Callable
    from typing import Any

    from fencerun.worker.guards.origin import Origins

    #: A function and its arguments.
    Handler = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class ExitHandlers:
    """Takes what code of fences registers with ``atexit``; the rest passes through."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._originals: tuple[Any, Any] = atexit.register, atexit.unregister
        self._registered: list[Handler] = []
        self.active = False

    def install(self) -> None:
        """See every registration from now on."""
        register, unregister = self._originals

        @functools.wraps(register)
        def register_here(function: Any, /, *arguments: Any, **options: Any) -> Any:
            ours = self.active and callable(function)
            if ours and self._origins.blame(sys._getframe(1), ()) is not None:
                self._registered.append((function, arguments, options))
                return function
            return register(function, *arguments, **options)

        @functools.wraps(unregister)
        def unregister_here(function: Any, /) -> None:
            self._registered = [one for one in self._registered if one[0] != function]
            unregister(function)

        atexit.register, atexit.unregister = register_here, unregister_here

    def remove(self) -> None:
        """Put the original functions back."""
        atexit.register, atexit.unregister = self._originals

    @property
    def pending(self) -> bool:
        """Whether there is any to call."""
        return bool(self._registered)

    def run(self, context: contextvars.Context) -> None:
        """Call the handlers, last registered first; none is left.

        An exception is shown on stderr, as the interpreter shows it; KeyboardInterrupt is raised
        on. One that a handler registers is not called, since Python does not call it either.
        """
        try:
            for handler in reversed(list(self._registered)):
                if not any(one is handler for one in self._registered):
                    continue  # a later one unregistered it
                function, arguments, options = handler
                try:
                    context.run(function, *arguments, **options)
                except KeyboardInterrupt:
                    raise
                except BaseException as error:
                    _show(function, error)
        finally:
            self.forget()

    def forget(self) -> None:
        """Drop what is still registered."""
        self._registered = []


def _show(function: Any, error: BaseException) -> None:
    what = "Exception ignored in atexit callback"
    # The first entry is our call.
    trace = error.__traceback__ and error.__traceback__.tb_next
    try:
        if sys.unraisablehook is not sys.__unraisablehook__:
            # The interpreter's own hook takes only what the interpreter makes.
            said = types.SimpleNamespace(
                exc_type=type(error),
                exc_value=error,
                exc_traceback=trace,
                err_msg=what,
                object=function,
            )
            sys.unraisablehook(said)
            return
        new = sys.version_info >= (3, 13)
        print(f"{what} {function!r}:" if new else f"{what}: {function!r}", file=sys.stderr)
        traceback.print_exception(type(error), error, trace, chain=False)
    except Exception:
        return  # a script's would be as lost
