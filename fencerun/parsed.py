"""Block structure of pages, kept beside the project: an unchanged page need not be parsed again.

One small file a page under ``.fencerun/parsed/``, which git ignores and which is safe to delete.
A file counts only if it begins with what it was made by (fencerun's reader, the parser, Python)
and with the very bytes of the page, and if its checksum is right; everything else is ignored and
written anew. Only checking uses it: what is written back into pages always comes from a parse.
Knows nothing of Markdown.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import fencerun
from fencerun.state import DIRECTORY

#: Changes when the files' form does.
_FORM = 1

#: The directory in ``.fencerun``.
_BELOW = "parsed"

#: At most so many files are kept, each of at most so many bytes.
_MOST, _LARGEST = 4096, 1 << 24

#: Modules of ours that decide what the parser gets, and what is kept of what it gives.
_OURS = ("parsed.py", "reader.py", "mkdocs.py", "gathering.py", "frontmatter.py", "text.py")

#: Where the parser's own code is, below its package.
_PARTS = ("", "common", "helpers", "presets", "rules_block", "rules_core")

#: How much of a page's path its file is called by, in characters: a name has 255 bytes.
_TAIL = 60


class Token:
    """What reading needs of one of the parser's tokens, which has more."""

    __slots__ = ("content", "info", "map", "markup", "nesting", "type")

    def __init__(
        self, type: str, nesting: int, map: list[int] | None, content: str, info: str, markup: str
    ) -> None:
        self.type = type
        self.nesting = nesting
        self.map = map
        self.content = content
        self.info = info
        self.markup = markup


class Parsed:
    """What is kept for the pages of the project below ``root``.

    Nothing is written where there is no ``.fencerun`` yet, nor where it can't be written to.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._directory = root / DIRECTORY / _BELOW
        self._usable = (root / DIRECTORY).is_dir()
        self._maker: str | None = None
        self._room: int | None = None

    def tokens(self, path: str, syntax: str, data: bytes) -> list[Token] | None:
        """The tokens of the page at ``path``, if they are known for these very bytes."""
        if not self._usable:
            return None
        try:
            kept = _content(self._file(path, syntax))
        except OSError:
            return None
        head = self._head(syntax, data)
        if head is None or not kept.startswith(head):
            return None
        checksum, _, text = kept[len(head) :].partition(b"\n")
        if checksum != _checksum(text):
            return None
        try:
            return [Token(*row) for row in json.loads(text)]
        except (ValueError, TypeError, RecursionError):
            return None

    def keep(self, path: str, syntax: str, data: bytes, tokens: list[Any]) -> None:
        """Keep what the parser made of a page."""
        head = self._head(syntax, data) if self._usable else None
        if head is None:
            return
        rows = [(t.type, t.nesting, t.map, t.content, t.info, t.markup) for t in tokens]
        text = json.dumps(rows, separators=(",", ":")).encode("ascii")
        with suppress(OSError):
            content = head + _checksum(text) + b"\n" + text
            if len(content) <= _LARGEST:
                self._write(self._file(path, syntax), content)

    def _file(self, path: str, syntax: str) -> Path:
        # Two pages of one name take turns; each is still told by its bytes.
        path = os.path.relpath(path, self._root)
        return self._directory / f"{path[-_TAIL:].replace('/', '+')}.{syntax}"

    def _head(self, syntax: str, data: bytes) -> bytes | None:
        if self._maker is None:
            self._maker = _maker()
        if not self._maker:
            return None
        return f"{self._maker}\n{syntax} {len(data)}\n".encode("utf-8", "surrogateescape") + data

    def _write(self, file: Path, content: bytes) -> None:
        if self._directory.is_symlink():
            return
        self._directory.mkdir(exist_ok=True)
        ignore = self._directory.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")
        if self._room is None:
            self._room = _MOST - len(os.listdir(self._directory))
        if self._room <= 0:
            self._clear()
        self._room -= 1
        name = self._directory / f".{os.getpid()}-{time.monotonic_ns()}"
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(descriptor, "wb") as stream:
                stream.write(content)
            os.replace(name, file)
        except BaseException:
            os.unlink(name)
            raise

    def _clear(self) -> None:
        """Begin anew: pages were renamed or deleted, or a killed run left something."""
        for left in os.listdir(self._directory):
            with suppress(OSError):
                (self._directory / left).unlink()
        self._room = _MOST


def _content(file: Path | str) -> bytes:
    # Without waiting, should it be a pipe; and not more than we write.
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _LARGEST + 1)
    finally:
        os.close(descriptor)


def _checksum(text: bytes) -> bytes:
    import zlib

    return b"%08x" % zlib.crc32(text)


def _maker() -> str:
    """What tokens depend on beside the page; empty where that can't be told.

    The parser is told by its files, since asking it for its version would import it.
    """
    try:
        spec = PathFinder.find_spec("markdown_it")
        if spec is None or spec.origin is None:
            return ""
        stamps = [_stamp(os.path.join(os.path.dirname(__file__), name)) for name in _OURS]
        for part in _PARTS:
            with os.scandir(os.path.join(os.path.dirname(spec.origin), part)) as entries:
                stamps += sorted(_stamp(one.path) for one in entries if one.name.endswith(".py"))
        # It holds the version: in some images all files are of one time.
        stamps.append(_checksum(_content(spec.origin)).decode("ascii"))
    except OSError:
        return ""
    return f"{_FORM} {fencerun.__version__} {sys.version_info[:3]} {spec.origin} {' '.join(stamps)}"


def _stamp(file: str) -> str:
    status = os.stat(file)
    return f"{status.st_size}:{status.st_mtime_ns}"
