"""A site generator as a page's author should know it. Data; knows no generator and no disk."""

from __future__ import annotations

from collections.abc import Set
from fnmatch import fnmatchcase
from typing import Literal

from fencerun.frozen import dataclass
from fencerun.infostring import Carrier

#: Where a template engine acts: in everything; or nowhere in code, as the generator guards that.
Reach = Literal["page", "prose"]


@dataclass(frozen=True, slots=True)
class Engine:
    """A template engine that reads a page before, or after, its Markdown is read.

    ``marks`` are texts without which it does nothing; ``pattern`` is what it acts on, within a
    line. ``exempts`` are two patterns of lines between which it does nothing; ``front`` is a
    pattern of a line of front matter, and ``word`` one of a recording's opening line and of the
    tag of a value, that turn it off.
    """

    name: str
    marks: tuple[str, ...]
    pattern: str
    remedy: str
    reach: Reach = "page"
    exempts: tuple[str, str] | None = None
    front: str | None = None
    word: str | None = None


@dataclass(frozen=True, slots=True)
class Extent:
    """Which pages a generator publishes. Directories are absolute.

    ``hidden`` are patterns of files and directories below them that are left out, each by its
    name or by its path, but for those with a name in ``kept``. Where there are ``chosen``
    patterns, only what matches one is published; with ``fronted``, only pages with front matter.
    """

    directories: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    fronted: bool = False

    def holds(self, path: str, text: str) -> bool:
        """Whether the page at ``path`` (absolute, with ``/``) with this text is published."""
        if self.fronted and not text.startswith("---"):
            return False
        return any(
            self._within(path[len(directory.rstrip("/")) + 1 :])
            for directory in self.directories
            if path.startswith(directory.rstrip("/") + "/")
        )

    def _within(self, path: str) -> bool:
        parts = path.split("/")
        ways = ["/".join(parts[: count + 1]) for count in range(len(parts))]
        hidden = any(
            part not in self.kept and (_matches(part, self.hidden) or _leads(way, self.hidden))
            for part, way in zip(parts, ways, strict=True)
        )
        return not hidden and (
            not self.chosen
            or _matches(parts[-1], self.chosen)
            or any(_leads(way, self.chosen) for way in ways)
        )


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a name matches one of the patterns that are not of whole paths."""
    return any(fnmatchcase(name, one) for one in patterns if "/" not in one)


def _leads(way: str, patterns: tuple[str, ...]) -> bool:
    """Whether a path matches one of those that are; a pattern that is a directory's path does."""
    return any(fnmatchcase(way, one.strip("/")) for one in patterns if "/" in one)


@dataclass(frozen=True, slots=True)
class Site:
    """A site generator with its settings.

    ``file`` is what the page's author calls the file of its settings. ``shows`` are the carriers
    whose tags readers would see, ``carrier`` is one that they would not see, and ``remedy`` what
    to set in ``file`` instead, where there is something.
    """

    generator: str
    file: str
    extent: Extent
    shows: Set[Carrier] = frozenset()
    carrier: Carrier = "words"
    remedy: str = ""
    engines: tuple[Engine, ...] = ()
