"""Files of figures beside a page: written with it or not at all, and told from other files.

With ``files`` and ``discovery``, the only place that touches pages' directories. A file that
fencerun wrote says so at its end, and for which page; no other file is ever written or deleted.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from fencerun import figures, files
from fencerun.events import Problem
from fencerun.figures import Figure
from fencerun.page import Page
from fencerun.pasting import pasted

_MARK = re.compile(rb"<!-- fencerun: ([^\s<>]+) -->\s*\Z")


def _mark(page: str) -> str:
    from urllib.parse import quote

    # Two hyphens may not stand in a comment of XML.
    name = quote(os.path.basename(page), safe="").replace("-", "%2D")
    return f"<!-- fencerun: {name} -->\n"


def _owner(data: bytes) -> str | None:
    """The name of the page that a file was drawn for; None for a file that is not ours."""
    from urllib.parse import unquote

    match = _MARK.search(data[-1024:])
    return unquote(match[1].decode("ascii", "replace")) if match else None


def _home(page: str) -> Path:
    # A symlinked page has its figures where it is named, as its readers see them.
    return Path(page).absolute().parent


@contextlib.contextmanager
def written(page: str, drawn: Iterable[Figure], known: Collection[str] = ()) -> Iterator[None]:
    """Write the files of ``page``; whatever goes wrong then or inside, they are as before.

    ``known`` are paths that its recordings show: a tool may have taken our mark off those.
    Raises NotWritten for a file that cannot be written, or is not ours to write.
    """
    before: list[tuple[Path, bytes | None]] = []
    try:
        for figure in drawn:
            path = _home(page) / figure.path
            old = _read(path)
            _insist(page, figure.path, old, figure.path in known)
            before.append((path, old))
            try:
                path.parent.mkdir(exist_ok=True)
            except OSError as error:
                why = error.strerror or str(error)
                raise files.NotWritten(os.path.dirname(figure.path), why) from None
            text = figure.text if figure.text.endswith("\n") else f"{figure.text}\n"
            files.replace(str(path), (text + _mark(page)).encode("utf-8", "backslashreplace"))
        yield
    except BaseException:
        for path, old in before:
            with contextlib.suppress(OSError, files.NotWritten):
                _restore(path, old)
        raise


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _insist(page: str, path: str, old: bytes | None, known: bool) -> None:
    if old is None:
        return
    owner, own = _owner(old), os.path.basename(page)
    if owner is None and known:
        return
    if owner is None:
        why = "it is there, and fencerun did not write it"
        raise files.NotWritten(path, why, "move it, or give the figure another name")
    if owner != own and (_home(page) / owner).exists():
        why = f"it is a figure of {owner}"
        raise files.NotWritten(path, why, "give one of the two another name")


def _restore(path: Path, old: bytes | None) -> None:
    if old is None:
        path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            path.parent.rmdir()
    else:
        files.replace(str(path), old)


def delete(page: str, paths: Collection[str]) -> None:
    """Delete those of ``paths`` that were drawn for ``page``, and the directory if it is empty."""
    for path in (_home(page) / one for one in paths):
        data = _read(path)
        if data is not None and _owner(data) == os.path.basename(page):
            with contextlib.suppress(OSError):
                path.unlink()
                path.parent.rmdir()


def unnamed(page: Page) -> Iterator[Problem]:
    """A warning for each figure of ``page`` that no fence makes any more."""
    for path in orphans(page):
        what = f"{path} was drawn for this page, and no fence draws it now"
        where = os.path.join(os.path.dirname(page.path), path)
        remedy = f"delete it: `rm {pasted(where)}`"
        yield Problem(page.path, 1, "figure", what, remedy, "warning")


def orphans(page: Page) -> Sequence[str]:
    """Paths of files that were drawn for ``page``, and that no fence or recording names now."""
    directory = _home(page.path) / figures.DIRECTORY
    try:
        names = sorted(name for name in os.listdir(directory) if name.endswith(".svg"))
    except OSError:
        return ()
    tags = [fence.tags.figure for fence in page.fences if fence.tags.figure]
    shown = {path for recording in page.recordings for path in figures.read(recording.text).paths}
    found = []
    for path in (f"{figures.DIRECTORY}/{name}" for name in names):
        if path in shown or any(figures.is_of(path, tag) for tag in tags):
            continue
        if _owner(_read(_home(page.path) / path) or b"") == os.path.basename(page.path):
            found.append(path)
    return found
