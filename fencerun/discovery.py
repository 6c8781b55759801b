"""Which pages a run is about: files as named, and the Markdown below directories.

Asks git what it ignores. Reads no page.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from fencerun.errors import UsageError

SUFFIXES = (".md", ".markdown")

# Set in git hooks, where they would point `git -C` at another checkout's index.
_HOOK_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")


class NoSuchPath(UsageError):
    """A path that was asked for and cannot be read."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path = path


def discover(paths: Sequence[str], *, root: Path, exclude: Sequence[str] = ()) -> tuple[str, ...]:
    """The pages that ``paths`` name, in that order, each once.

    A file is taken as named, whatever it is called. A directory stands for the Markdown below it,
    sorted, without hidden folders, what git ignores, and ``exclude`` (patterns of paths relative
    to ``root``; one without a slash matches any part). Raises NoSuchPath.
    """
    found: dict[str, str] = {}
    for named in paths:
        path = Path(named)
        if named and path.is_dir():
            below = (page for page in _below(path) if not excluded(page, root, exclude))
            pages: Iterable[str] = (page.as_posix() for page in below)
        elif named and path.exists():
            pages = [named.replace(os.sep, "/")]
        else:
            raise NoSuchPath(named, "no such file or directory")
        for page in pages:
            found.setdefault(os.path.realpath(page), page)
    return tuple(found.values())


def excluded(page: Path, root: Path, patterns: Sequence[str]) -> bool:
    """Whether one of ``patterns`` matches the page or a directory that it lies in."""
    if not patterns:
        return False
    parts = Path(os.path.relpath(page, root)).parts
    heads = ["/".join(parts[: count + 1]) for count in range(len(parts))]
    return any(
        fnmatchcase(name, pattern.rstrip("/"))
        for pattern in patterns
        for name in (heads if "/" in pattern.rstrip("/") else parts)
    )


def _below(directory: Path) -> list[Path]:
    names = _listed_by_git(directory)
    if not names and git(directory, "check-ignore", "-q", ".") is not None:
        names = None  # all of it is ignored, and yet it was asked for by name
    pages = _walked(directory) if names is None else _listed(directory, names)
    return sorted(pages, key=lambda page: page.parts)


def _listed(directory: Path, names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        path = directory / name
        if any(part.startswith(".") for part in Path(name).parts[:-1]):
            continue
        if path.is_dir() and not path.is_symlink() and not path.name.startswith("."):
            yield from _below(path)  # a checkout within the checkout
        elif name.lower().endswith(SUFFIXES) and path.is_file():
            yield path


def _walked(directory: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(directory):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(where, name)
            if name.lower().endswith(SUFFIXES) and path.is_file():
                yield path


def _listed_by_git(directory: Path) -> list[str] | None:
    """What git tracks or would track below ``directory``; None where there is no checkout."""
    listing = git(directory, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return (
        None if listing is None else [name for name in dict.fromkeys(listing.split("\0")) if name]
    )


def git(directory: Path, *arguments: str) -> str | None:
    """What git prints, run in ``directory``; None where it fails or is absent."""
    environment = {k: v for k, v in os.environ.items() if k not in _HOOK_VARIABLES}
    command = ["git", "-C", os.fspath(directory), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False, env=environment)
    except OSError:
        return None
    return os.fsdecode(done.stdout) if done.returncode == 0 else None
