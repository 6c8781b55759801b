"""One chain's script: the module, the context and the source text that its fences share.

A chain of fences behaves as one script would: one ``__main__``, one set of ``__future__``
imports, one file that ``inspect`` and tracebacks read. This module does not know how a fence is
compiled or run, nor what it changes elsewhere in the process.
"""

from __future__ import annotations

import contextvars
import functools
import linecache
import os
import sys
import types

from fencerun.worker.asserts import Recorder
from fencerun.worker.awaiting import EventLoop
from fencerun.worker.source import Fence, PageLines
from fencerun.worker.spawn import MainForChildren

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from fencerun.worker.debugger import Debugger


@functools.lru_cache(maxsize=8)
def _names(page: str, directory: str) -> tuple[str, tuple[str, ...]]:
    """The file that a page is, and all the names that code of it goes by."""
    file = os.path.normpath(os.path.join(directory, os.path.basename(page)))
    # Code objects hold the page as given, classes find the module's file, and pdb makes
    # names absolute from the working directory.
    joined = os.path.normpath(os.path.join(directory, page))
    return file, tuple(dict.fromkeys((page, file, joined)))


def _put_main(module: types.ModuleType | None) -> None:
    if module is None:
        sys.modules.pop("__main__", None)
    else:
        sys.modules["__main__"] = module


class Script:
    """One chain's script: a real module that is ``__main__`` while its fences run.

    ``page`` is the page's path as tracebacks and warnings shall show it, ``directory`` the
    absolute directory that the chain runs in. ``debugger`` is what ``breakpoint()`` reaches, if
    anything. ``put_main`` makes a module the main one, or none. Use it as a context manager around
    all fences of the chain; afterwards nothing of theirs is left that the script knows of.
    """

    def __init__(
        self,
        page: str,
        directory: str,
        *,
        debugger: Debugger | None = None,
        put_main: Callable[[types.ModuleType | None], None] | None = None,
    ) -> None:
        self.page = page
        self.directory = directory
        self.debugger = debugger
        self._put_main = put_main or _put_main
        self.context = contextvars.copy_context()
        self.source = PageLines()
        self.recorder = Recorder()
        self.loop = EventLoop()
        #: Compiler flags of the ``__future__`` imports made so far.
        self.flags = 0
        #: Whether all that ran could only compute and print: then there is nothing to undo.
        self.harmless = True
        #: Whether, besides, nothing of it can keep itself alive.
        self.ringless = True
        #: The number of the fence that runs, for messages.
        self.number: int | None = None
        self.file, self.files = _names(page, directory)
        self.module = types.ModuleType("__main__")
        names = self.module.__dict__  # the rest of what a script finds there
        if sys.version_info < (3, 14):
            names["__annotations__"] = {}
        names.update(__builtins__=sys.modules["builtins"], __file__=self.file, __cached__=None)
        self._children = MainForChildren(self.module, self.source, self.files)
        self._replaced: tuple[types.ModuleType | None, Any] | None = None

    def add(self, code: str, line: int) -> Fence:
        """Put a fence's text where ``linecache`` and ``inspect`` find it."""
        fence = Fence(code, line, self.flags)
        self.source.add(fence)
        # Without a modification time, linecache never looks for a newer text on disk.
        entry: Any = (len(self.source), None, self.source, self.page)
        for name in self.files:
            linecache.cache[name] = entry
        inspect = sys.modules.get("inspect")
        if inspect is not None:
            # Or the first look-up of a frame's module would walk all of sys.modules.
            inspect.modulesbyfile.update(dict.fromkeys(self.files, "__main__"))
        return fence

    def set_up(self, file: str, code: str) -> None:
        """Note what runs before all fences, for children that run them again."""
        self.harmless = False
        self._children.setup = (file, code)

    def __enter__(self) -> Script:
        self._replaced = (sys.modules.get("__main__"), sys.breakpointhook)
        self._put_main(self.module)
        if self.debugger is None:
            sys.breakpointhook = self._refuse_breakpoint
        else:
            sys.breakpointhook = self.debugger.stop
        self._children.install()
        return self

    def clear(self) -> None:
        """End the event loop and empty the namespace: the script is over, its objects die now."""
        try:
            self.loop.close()
        finally:
            self._clear_namespace()

    def __exit__(self, *exc: object) -> None:
        try:
            self.clear()
        finally:
            self._children.remove()
            self._restore()
            self._forget()

    def _refuse_breakpoint(self, *args: object, **keywords: object) -> None:
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename not in self.files:
            frame = frame.f_back
        fence = "" if self.number is None else f" in fence {self.number}"
        raise RuntimeError(
            f"breakpoint() at {self.page}:{frame.f_lineno}{fence}: a fence has no terminal "
            "to debug from"
        )

    def _clear_namespace(self) -> None:
        names = self.module.__dict__
        # Last made, first gone: what a `__del__` needs (imports, classes) is still there.
        for _ in range(len(names)):
            if not names:
                break
            names.popitem()
        names.clear()

    def _restore(self) -> None:
        if self._replaced is None:
            return
        main, hook = self._replaced
        self._replaced = None
        self._put_main(main)
        sys.breakpointhook = hook

    def _forget(self) -> None:
        self.source.clear()
        self.recorder.clear()
        for name in self.files:
            linecache.cache.pop(name, None)
        # `Optional[Net]` would keep Net, and what its attributes hold, for a hundred uses more.
        for clear in getattr(sys.modules.get("typing"), "_cleanups", ()):
            clear()
        inspect = sys.modules.get("inspect")
        if inspect is None:
            return
        names = set(self.files)
        if inspect._filesbymodname.get("__main__") in names:
            del inspect._filesbymodname["__main__"]
            names.add(os.path.realpath(self.file))
        for name in names:
            inspect.modulesbyfile.pop(name, None)
