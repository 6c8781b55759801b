"""Lets children that multiprocessing spawns import a chain's fences as their main module.

A spawned child re-imports ``__main__`` from its file, and ours is a Markdown page. While a chain
runs, children are told to import a small generated file instead, which runs the chain's fences on
their page lines. It is written when the first child is started, never before.
"""

from __future__ import annotations

import ast
import os
import sys
import types

from fencerun.worker.source import PageLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The modules whose first import means that a child is about to be spawned.
_STARTERS = frozenset({"multiprocessing.popen_spawn_posix", "multiprocessing.popen_forkserver"})

#: The child's main module. It imports the standard library only, because the child need not have
#: fencerun, and pads the source with blank lines, because starting a child costs far more.
_TEMPLATE = """\
def run(names):
    import linecache
    files, file, setup, fences = {data!r}
    lines = []
    for code, line, flags in fences:
        text = code.split("\\n")
        lines += ["\\n"] * (line - 1 + len(text) - len(lines))
        lines[line - 1 : line - 1 + len(text)] = [one + "\\n" for one in text]
    for name in files:
        linecache.cache[name] = (len(lines), None, lines, name)
    names["__file__"] = file
    sources = [(setup[1], setup[0], 0)] if setup else []
    for code, line, flags in fences:
        sources.append(("\\n" * (line - 1) + code + "\\n", files[0], flags))
    for code, name, flags in sources:
        compiled = compile(code, name, "exec", flags | {wait}, True, 0)
        result = eval(compiled, names)
        if compiled.co_flags & {coroutine}:
            import asyncio
            asyncio.run(result)

(lambda run: run(globals()))(globals().pop("run"))
"""


class MainForChildren:
    """A chain's main module as the children that multiprocessing spawns get to see it.

    ``files`` are the names that code of the chain goes by, the first one in tracebacks.
    """

    def __init__(self, module: types.ModuleType, source: PageLines, files: tuple[str, ...]) -> None:
        self._module = module
        self._file = module.__file__
        self._source = source
        self._files = files
        #: The path and the text of a file that runs before the fences.
        self.setup: tuple[str, str] | None = None
        self._original: Any = None
        self._written: dict[int, str] = {}

    def install(self) -> None:
        """Serve the children of this process, also when multiprocessing gets loaded later."""
        if "multiprocessing.spawn" in sys.modules:
            self._patch()
        else:
            _FINDER.serves = self
            sys.meta_path.insert(0, _FINDER)

    def remove(self) -> None:
        """Undo ``install`` and delete what was written."""
        if _FINDER in sys.meta_path:
            sys.meta_path.remove(_FINDER)
        _FINDER.serves = None
        if self._original is not None:
            sys.modules["multiprocessing.spawn"].get_preparation_data = self._original  # type: ignore[attr-defined]
            self._original = None
        for path in self._written.values():
            try:
                os.unlink(path)
                os.rmdir(os.path.dirname(path))
            except OSError:
                pass
        self._written.clear()

    def child_is_near(self) -> None:
        """A fence is loading what spawns children."""
        if self._original is None:
            import multiprocessing.spawn  # noqa: F401  # a fence is loading it anyway

            self._patch()

    def _patch(self) -> None:
        spawn: Any = sys.modules["multiprocessing.spawn"]
        original = self._original = spawn.get_preparation_data

        def get_preparation_data(name: str) -> dict[str, Any]:
            data: dict[str, Any] = original(name)
            if sys.modules.get("__main__") is self._module:
                data.pop("init_main_from_name", None)
                data.pop("init_main_from_path", None)
                # A fork server lives longer than the chain, so it must not preload it.
                if sys._getframe(1).f_code.co_name != "ensure_running":
                    data["init_main_from_path"] = self._write()
            return data

        spawn.get_preparation_data = get_preparation_data

    def _write(self) -> str:
        """The path of a file that runs the chain's fences so far."""
        count = len(self._source.fences)
        if count not in self._written:
            import tempfile

            fences = [(fence.code, fence.line, fence.flags) for fence in self._source.fences]
            text = _TEMPLATE.format(
                data=(self._files, self._file, self.setup, fences),
                wait=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT,
                coroutine=0x80,  # inspect.CO_COROUTINE, without importing inspect
            )
            folder = tempfile.mkdtemp(prefix="fencerun-")
            path = os.path.join(folder, "main.py")
            with open(path, "w", encoding="utf-8", errors="surrogatepass") as stream:
                stream.write(text)
            self._written[count] = path
        return self._written[count]


class _Finder:
    """Finds nothing; notices that a child is about to be spawned. (A finder of sys.meta_path.)

    One for all chains, so that each begins with the same finders.
    """

    serves: MainForChildren | None = None

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in _STARTERS and self.serves is not None:
            self.serves.child_is_near()


_FINDER = _Finder()
