"""Who did it: the code that a change came from, judged by the file that its frame belongs to.

Knows which files are installed (the standard library and distributions) and which belong to a
fence. Does not know torch or what was changed.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_PACKAGE_DIRECTORIES = ("site-packages", "dist-packages", "lib-dynload")

#: The package ``fencerun.worker``: its frames are never to blame.
OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Origin:
    """A place in code: where something was registered or changed.

    ``line`` is a line of ``file``; ``page_line`` the innermost line on a page of the same call
    stack, or None.
    """

    __slots__ = ("file", "line", "page_line")

    def __init__(self, file: str, line: int, page_line: int | None) -> None:
        self.file = file
        self.line = line
        self.page_line = page_line

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def installed_prefixes() -> tuple[str, ...]:
    """Prefixes of installed files. Taken before a page's directory is on ``sys.path``."""
    roots = {os.path.dirname(os.path.abspath(os.__file__))}
    roots.update(entry for entry in sys.path if os.path.basename(entry) in _PACKAGE_DIRECTORIES)
    return tuple(sorted(root.rstrip(os.sep) + os.sep for root in roots))


class Origins:
    """Tells a fence's files from installed ones and finds the frame that is to blame."""

    def __init__(self, pages: Callable[[str], bool]) -> None:
        self.is_page = pages
        self._prefixes = installed_prefixes()

    def is_installed(self, filename: str) -> bool:
        """Whether ``filename`` belongs to the standard library or a distribution."""
        return filename.startswith(self._prefixes) and not self.is_page(filename)

    def is_installed_module(self, name: str) -> bool:
        """Whether the module ``name``, loaded or about to be, is built in or installed."""
        root = name.partition(".")[0]
        if root == "__main__":
            return False  # a fence's, and gone by the time that it is asked for
        if root in sys.stdlib_module_names:
            return True
        for loaded in (name, root):
            module = sys.modules.get(loaded)
            file = getattr(module, "__file__", None)
            if isinstance(file, str):
                return self.is_installed(file)
        if root in sys.modules:
            # A namespace package has no file; what C code makes has no spec worth reading.
            path = list(getattr(sys.modules[root], "__path__", ()))
            return bool(path) and all(self.is_installed(entry + os.sep) for entry in path)
        return self._is_installed_on_disk(root)

    def _is_installed_on_disk(self, root: str) -> bool:
        machinery = sys.modules.get("importlib._bootstrap_external") or sys.modules.get(
            "_frozen_importlib_external"
        )
        try:
            spec = machinery.PathFinder.find_spec(root)  # type: ignore[union-attr]
        except Exception:  # a broken finder is the import's problem, not ours
            return False
        if spec is None:
            # Not on sys.path: an editable install's finder knows it, or nobody does.
            return any(name.startswith("__editable__") and root in name for name in sys.modules)
        places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or ())
        return bool(places) and all(self.is_installed(place + os.sep) for place in places)

    def blame(self, frame: FrameType | None, machinery: tuple[str, ...]) -> Origin | None:
        """The fence's (or its local module's) place in the stack, or None for installed code.

        Frames of ``machinery`` (prefixes of file names) and of code without a file of its own
        (``<string>``, ``<frozen …>``, generated code) are passed over: the first other frame
        decides.
        """
        while frame is not None:
            name = frame.f_code.co_filename
            page = self.is_page(name)
            if page or not (name.startswith(machinery) or name.startswith("<")):
                if not page and self.is_installed(name):
                    return None
                return Origin(name, frame.f_lineno, self._page_line(frame))
            frame = frame.f_back
        return None

    def _page_line(self, frame: FrameType | None) -> int | None:
        while frame is not None:
            if self.is_page(frame.f_code.co_filename):
                return frame.f_lineno
            frame = frame.f_back
        return None
