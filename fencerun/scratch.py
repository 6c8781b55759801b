"""Fresh directories for chains: a page's own files, and links to what lies beside the page.

They are made and removed by the parent, so that a chain that dies leaves none behind.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

#: What is never linked: bytecode of the page's own modules would overwrite that of its siblings.
_UNLINKED = "__pycache__"


class Scratch:
    """The directories of one run. Close it when the run is over."""

    def __init__(self) -> None:
        self._made: set[str] = set()

    def make(self, beside: str, files: Mapping[str, str]) -> str:
        """A new directory with ``files`` (by path, with ``/``) and links to what is in ``beside``.

        A file wins over an entry of its name. Hidden entries are not linked. Raises OSError.
        """
        import tempfile  # most pages need none of this

        # Resolved, as the interpreter shows it: on some systems the temporary directory is a link.
        made = os.path.realpath(tempfile.mkdtemp(prefix="fencerun-"))
        self._made.add(made)
        _fill(made, beside, files)
        return made

    def remove(self, made: str) -> None:
        """Remove a directory that ``make`` gave; other paths are left alone."""
        if made in self._made:
            import shutil

            self._made.discard(made)
            shutil.rmtree(made, ignore_errors=True)

    def close(self) -> None:
        """Remove all that are left."""
        for made in tuple(self._made):
            self.remove(made)


def _fill(directory: str, beside: str | None, files: Mapping[str, str]) -> None:
    below: dict[str, dict[str, str]] = {}
    for path, text in files.items():
        top, slash, rest = path.partition("/")
        if slash:
            below.setdefault(top, {})[rest] = text
            continue
        # No translation of line ends, and no surprise from a locale.
        with open(os.path.join(directory, path), "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
    for top, inner in below.items():
        made = os.path.join(directory, top)
        os.mkdir(made)
        there = None if beside is None else os.path.join(beside, top)
        _fill(made, there if there and os.path.isdir(there) else None, inner)
    if beside is None:
        return
    taken = {_UNLINKED, *files, *below}
    for name in os.listdir(beside):
        if not name.startswith(".") and name not in taken:
            os.symlink(os.path.join(beside, name), os.path.join(directory, name))
