"""Which pages a call is about, and what they are called in all that is said of them.

Asks the disk and git. Reads a page only to see whether a fence is still there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fencerun import config, known
from fencerun.discovery import NoSuchPath, discover
from fencerun.errors import UsageError
from fencerun.selection import Target

if TYPE_CHECKING:
    from fencerun.page import Page

#: Set in every fence (by ``worker/process``) to the pages that are being run: none can run itself.
OWN_PAGE = "FENCERUN_PAGE"


def names(
    wanted: Sequence[Target], settings: config.Project, notes: list[str] | None = None
) -> tuple[str, ...]:
    """The pages that are wanted; without any targets, those of the configuration.

    ``notes`` get a sentence for each directory that cannot be read. Raises UsageError.
    """

    def unread(directory: str, why: str) -> None:
        note = f"warning: {directory} cannot be read ({why}): pages in it are left out"
        if notes is not None and note not in notes:
            notes.append(note)

    paths = [target.path for target in wanted]
    try:
        found = discover(
            paths or _own_paths(settings),
            root=settings.root,
            exclude=settings.exclude,
            unread=unread,
        )
    except NoSuchPath as error:
        if paths:
            raise
        where = config.place(settings.root, "paths")
        raise UsageError(
            f"{where}: paths: {error.what}", error.remedy or "correct it there"
        ) from None
    # What nobody named is called as short as can be: `a.md`, not `../lessons/a.md`.
    return found if paths else tuple(map(os.path.relpath, found))


def called(
    wanted: Sequence[Target], pages: Sequence[str], settings: config.Project
) -> tuple[Target, ...]:
    """The targets, with each of ``pages`` called as the run calls it.

    `x.md` and `./x.md` are one page. Directories become their pages where single fences are named
    besides.
    """
    if not any(target.fence or target.line for target in wanted):
        return tuple(wanted)
    by_place = {os.path.realpath(name): name for name in pages}
    found: list[Target] = []
    for target in wanted:
        if target.fence or target.line:
            own = by_place.get(os.path.realpath(target.path), target.path)
            found.append(replace(target, path=own))
        else:
            below = map(os.path.realpath, names([target], settings))
            found += (Target(by_place[place]) for place in below)
    return tuple(found)


def _own_paths(settings: config.Project) -> list[str]:
    """The configured paths, as they are called from the working directory."""
    return [os.path.relpath(settings.root / path) for path in settings.paths]


def homeless(pages: Sequence[str], settings: config.Project) -> Iterator[str]:
    """A note for each entry of `known` that is about none of all pages, which ``pages`` are."""
    there = [settings.relative(name) for name in pages]
    for entry in known.homeless(there, settings.known):
        if not (settings.root / known.page_of(entry)).is_file():
            where = config.place(settings.root, "known", entry)
            yield f"warning: {where}: known lists {entry}, and there is no such page: delete it"


def there(fences: Sequence[str], settings: config.Project) -> Iterator[str]:
    """Those of ``fences``, ids from the root, that their pages still have.

    A page with a problem may have any.
    """
    from fencerun import files, reader

    pages: dict[str, Page | None] = {}
    for fence in fences:
        name, _, number = fence.rpartition("::")
        if name not in pages:
            try:
                data = files.read(os.fspath(settings.root / name))
                pages[name] = reader.parse(data, name, settings.settings_for(name).syntax)
            except NoSuchPath:
                pages[name] = None
        page = pages[name]
        if page is not None and (page.broken or any(f"{f.number}" == number for f in page.fences)):
            yield fence


def refuse_own_page(pages: Sequence[str]) -> None:
    """Raise UsageError in a fence of one of these pages: its run would start a run, without end."""
    running = os.environ.get(OWN_PAGE)
    for name in pages if running else ():
        # Not split: a path may hold the separator.
        if f"{os.pathsep}{os.path.realpath(name)}{os.pathsep}" in f"{running}{os.pathsep}":
            raise UsageError(f"{name}: a fence of this page runs fencerun on the page itself")
