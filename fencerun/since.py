"""Which pages a change touches: those that differ from a git ref, or that use a file that does.

Asks git, and reads pages to see what they import. Knows nothing of runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Set
from pathlib import Path

from fencerun import localmodules
from fencerun.discovery import git
from fencerun.errors import UsageError
from fencerun.figures import read as shown
from fencerun.frontmatter import PageSettings
from fencerun.kinds import PYTHONS
from fencerun.members import members
from fencerun.page import Page

Read = Callable[[str], "bytes | None"]


def changed(ref: str, directory: Path) -> frozenset[str]:
    """The real paths of files that differ from ``ref``, deleted and untracked ones too.

    A branch that went on meanwhile changes nothing here: what counts is the commit at which it
    and the working tree parted. Raises UsageError where git does not know ``ref``.
    """
    commit = None
    if not ref.startswith("-"):
        commit = git(directory, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if commit is None:
        raise UsageError(
            f"--since {ref}: git knows no such commit here",
            "name a commit or branch; in CI, fetch its history (`fetch-depth: 0`)",
        )
    parted = git(directory, "merge-base", commit.strip(), "HEAD") or commit
    top = (git(directory, "rev-parse", "--show-toplevel") or "").removesuffix("\n")
    # Set by some in their own configuration: names would begin at the directory.
    whole = ("-c", "diff.relative=false")
    difference = (*whole, "diff", "--name-only", "--no-renames", "-z", parted.strip(), "--")
    names = _names(directory, *difference)
    new = ("ls-files", "--others", "--exclude-standard", "--full-name", "-z", ":/")
    names += _names(directory, *new)
    return frozenset(_real(os.path.join(top, name)) for name in names)


def touched(page: Page, base: PageSettings, files: Set[str], read: Read) -> bool:
    """Whether a page, or a file that its fences use, is among ``files``.

    ``base`` are the project's settings for the page, and ``read`` gives the files beside it.
    """
    directory = os.path.dirname(os.path.abspath(page.path))
    paths = (os.path.join(directory, name) for name in _used(page, base, files, read))
    return any(_real(path) in files or os.path.realpath(path) in files for path in paths)


def _used(page: Page, base: PageSettings, files: Set[str], read: Read) -> Iterator[str]:
    """The paths of what a page consists of, relative to its directory."""
    yield os.path.basename(page.path)
    directory = os.path.dirname(os.path.abspath(page.path))
    sources = []
    for member in members(page, base):
        yield from member.tags.uses or ()
        if member.fence.language in PYTHONS:
            sources.append(member.fence.code)
        if member.setup is not None:
            yield member.setup
            sources.append(localmodules.decoded(read(member.setup) or b""))
    for recording in page.recordings:
        if recording.region:
            yield from shown(recording.text).paths

    def read_or_deleted(path: str) -> bytes | None:
        """A deleted module is one that the page imports, as far as its text can say."""
        data = read(path)
        if data is None and _real(os.path.join(directory, path)) in files:
            return b""
        return data

    own = {block.path: block.text.encode("utf-8", "surrogateescape") for block in page.files}
    found = localmodules.find(
        sources, lambda path: own[path] if path in own else read_or_deleted(path)
    )
    yield from (path for path, _ in found if path not in own)


def _real(path: str) -> str:
    """The path with its directory's links followed, and not its own."""
    head, tail = os.path.split(path)
    return os.path.join(os.path.realpath(head), tail)


def _names(directory: Path, *arguments: str) -> list[str]:
    listing = git(directory, *arguments)
    if listing is None:
        raise UsageError(f"--since: `git {' '.join(arguments)}` failed in {directory}")
    return [name for name in listing.split("\0") if name]
