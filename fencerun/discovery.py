"""Which pages a run is about: files as named, and the Markdown below directories.

Asks git what it ignores. Reads no page.
"""

from __future__ import annotations

import errno
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from fencerun.errors import UsageError
from fencerun.pasting import pasted
from fencerun.patterns import later

#: Gets a directory that cannot be read, and why.
Unread = Callable[[str, str], None]

SUFFIXES = (".md", ".markdown")

# git's dir.c, warning of what `ls-files --others` leaves out.
_NOT_OPENED = later(r"^warning: could not open directory '(.*?)/?': (.*)$", re.MULTILINE)

# Set in git hooks, where they would point `git -C` at another checkout's index.
_HOOK_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")


class NoSuchPath(UsageError):
    """A path that was asked for and cannot be read, for the reason ``why``."""

    def __init__(self, path: str, why: str, remedy: str = "") -> None:
        super().__init__(f"{path}: {why}", remedy)
        self.path = path
        self.why = why

    @classmethod
    def of(cls, path: str, error: OSError) -> NoSuchPath:
        """What the system says of ``path``, and what to do about it."""
        return cls(path, error.strerror or str(error), _remedy(path, error))

    @classmethod
    def absent(cls, path: str) -> NoSuchPath:
        """There is nothing at ``path``."""
        return cls(path, "no such file or directory", _likely(path))


def _remedy(path: str, error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return _likely(path)
    if error.errno == errno.ELOOP:
        return "its symbolic links lead in a circle: mend them"
    if error.errno not in (errno.EACCES, errno.EPERM):
        return ""
    closed = [str(one) for one in Path(path).parents if not os.access(one, os.X_OK)]
    mode, what = ("u+x", closed[-1]) if closed else ("u+r", path)
    return f"run `chmod {mode} {pasted(what)}` if it is yours, or leave it out with `exclude`"


def _likely(path: str) -> str:
    """The name that was meant, where one beside it is close."""
    from difflib import get_close_matches  # few names are wrong

    directory, name = os.path.split(path)
    try:
        with os.scandir(directory or ".") as entries:
            there = [e.name for e in entries if e.is_dir() or e.name.lower().endswith(SUFFIXES)]
    except OSError:
        return ""
    known = {**{os.path.splitext(n)[0]: n for n in there}, **{n: n for n in there}}
    close = get_close_matches(name, known, 1, 0.6)
    return f"did you mean `{pasted(os.path.join(directory, known[close[0]]))}`?" if close else ""


def discover(
    paths: Sequence[str],
    *,
    root: Path,
    exclude: Sequence[str] = (),
    unread: Unread = lambda directory, why: None,
) -> tuple[str, ...]:
    """The pages that ``paths`` name, in that order, each once.

    A file is taken as named, whatever it is called. A directory stands for the Markdown below it,
    sorted, without hidden folders, what git ignores, and ``exclude`` (patterns of paths relative
    to ``root``; one without a slash matches any part). ``unread`` gets each directory whose pages
    are left out because it cannot be read, and why. Raises NoSuchPath, also for what is no regular
    file: a pipe would keep its reader waiting.
    """
    found: dict[str, str] = {}
    for named in paths:
        path = Path(named)
        if named and _is_directory(path):
            below = (page for page in _below(path, unread) if not excluded(page, root, exclude))
            pages: Iterable[str] = (page.as_posix() for page in below)
        elif named and path.exists():
            insist_on_a_file(named)
            pages = [named.replace(os.sep, "/")]
        else:
            raise NoSuchPath.absent(named)
        for page in pages:
            found.setdefault(os.path.realpath(page), page)
    return tuple(found.values())


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()  # raises where a directory above it cannot be entered
    except OSError as error:
        raise NoSuchPath.of(str(path), error) from error


def insist_on_a_file(path: str) -> None:
    """Raise NoSuchPath for a pipe, a device and the like."""
    if not Path(path).is_file():
        raise NoSuchPath(path, "no regular file", "name a file")


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


def _below(directory: Path, unread: Unread) -> list[Path]:
    names = _listed_by_git(directory, unread)
    if not names and git(directory, "check-ignore", "-q", ".") is not None:
        names = None  # all of it is ignored, and yet it was asked for by name
    pages = _walked(directory, unread) if names is None else _listed(directory, names, unread)
    return sorted(pages, key=lambda page: page.parts)


def _listed(directory: Path, names: Iterable[str], unread: Unread) -> Iterator[Path]:
    for name in names:
        path = directory / name
        if any(part.startswith(".") for part in Path(name).parts[:-1]):
            continue
        try:
            if path.is_dir() and not path.is_symlink() and not path.name.startswith("."):
                yield from _below(path, unread)  # a checkout within the checkout
            elif name.lower().endswith(SUFFIXES) and path.is_file():
                yield path
        except PermissionError as error:
            if name.lower().endswith(SUFFIXES):
                unread(path.parent.as_posix(), error.strerror or str(error))


def _walked(directory: Path, unread: Unread) -> Iterator[Path]:
    def failed(error: OSError) -> None:
        unread(Path(error.filename).as_posix(), error.strerror or str(error))

    for where, folders, names in os.walk(directory, onerror=failed):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(where, name)
            if not name.lower().endswith(SUFFIXES):
                continue
            try:
                if path.is_file():
                    yield path
            except PermissionError as error:
                unread(Path(where).as_posix(), error.strerror or str(error))


def _listed_by_git(directory: Path, unread: Unread) -> list[str] | None:
    """What git tracks or would track below ``directory``; None where there is no checkout."""
    listing = "ls-files", "-z", "--cached", "--others", "--exclude-standard"
    done = _git(directory, *listing)
    if done is None or done.returncode:
        return None
    for name, why in _NOT_OPENED.findall(os.fsdecode(done.stderr)):
        if not any(part.startswith(".") for part in Path(name).parts):
            unread((directory / name).as_posix(), why)
    return [name for name in dict.fromkeys(os.fsdecode(done.stdout).split("\0")) if name]


def git(directory: Path, *arguments: str) -> str | None:
    """What git prints, run in ``directory``; None where it fails or is absent."""
    done = _git(directory, *arguments)
    return os.fsdecode(done.stdout) if done is not None and done.returncode == 0 else None


def _git(directory: Path, *arguments: str) -> subprocess.CompletedProcess[bytes] | None:
    environment = {k: v for k, v in os.environ.items() if k not in _HOOK_VARIABLES}
    environment["LC_ALL"] = "C"  # its warnings are read
    command = ["git", "-C", os.fspath(directory), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=False, env=environment)
    except OSError:
        return None
