"""Who did it: the code that a change came from, judged by the file that its frame belongs to.

Knows which files are installed (the standard library and distributions) and which belong to a
fence. Does not know torch or what was changed.
"""

from __future__ import annotations

import site
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType


@dataclass(frozen=True, slots=True)
class Origin:
    """A place in code: where something was registered or changed.

    ``line`` is the page line when ``file`` is a page, else the line in that file. ``page_line``
    is the innermost line on a page of the same call stack, or None.
    """

    file: str
    line: int
    page_line: int | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def installed_prefixes() -> tuple[str, ...]:
    """Directory prefixes below which code counts as installed, each ending in a separator."""
    roots = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    roots.update(site.getsitepackages() if hasattr(site, "getsitepackages") else [])
    roots.add(site.getusersitepackages())
    roots.update(entry for entry in sys.path if Path(entry).name in _PACKAGE_DIRECTORIES)
    # Extension modules of the standard library may lie apart from it.
    roots.update(entry for entry in sys.path if Path(entry).name == "lib-dynload")
    return tuple(sorted(root.rstrip("/\\") + "/" for root in roots if root))


_PACKAGE_DIRECTORIES = ("site-packages", "dist-packages")


class Origins:
    """Tells a fence's files from installed ones and finds the frame that is to blame."""

    def __init__(self, pages: Callable[[str], bool]) -> None:
        self.is_page = pages
        self._prefixes = installed_prefixes()

    def is_installed(self, filename: str) -> bool:
        """Whether ``filename`` belongs to the standard library or a distribution."""
        return filename.startswith(self._prefixes)

    def is_installed_module(self, name: str) -> bool:
        """Whether the loaded module ``name`` is built in, frozen or installed."""
        module = sys.modules.get(name)
        if module is None:
            return False
        file = getattr(module, "__file__", None)
        if isinstance(file, str):
            return self.is_installed(file)
        # Packages made by C code (torch._C._dynamo) have neither a file nor a spec of their own.
        root = sys.modules.get(name.partition(".")[0])
        root_file = getattr(root, "__file__", None)
        if root is not module and isinstance(root_file, str):
            return self.is_installed(root_file)
        return getattr(module, "__spec__", None) is not None

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

    def page_frame(self, frame: FrameType | None) -> Origin | None:
        """The innermost frame of ``frame``'s stack that lies on a page."""
        while frame is not None:
            if self.is_page(frame.f_code.co_filename):
                return Origin(frame.f_code.co_filename, frame.f_lineno, frame.f_lineno)
            frame = frame.f_back
        return None


#: This package: its frames are never to blame.
OWN = str(Path(__file__).parent) + "/"


def code_file(function: object) -> str:
    """The file that a Python function was compiled from, or an empty string."""
    code = getattr(function, "__code__", None)
    return code.co_filename if isinstance(code, CodeType) else ""
