"""Files of figures beside a page: written with it or not at all, and told from other files.

With ``files`` and ``discovery``, the only place that touches pages' directories. A file that
fencerun wrote says so at its end, and for which page; no other file is ever written or deleted.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from fencerun import figures, files
from fencerun.events import Problem
from fencerun.figures import Figure
from fencerun.page import Page
from fencerun.pasting import pasted

_ANOTHER = "give one of the two another name"


def _home(page: str) -> Path:
    # A symlinked page has its figures where it is named, as its readers see them.
    return Path(page).absolute().parent


def _name(page: str) -> str:
    return os.path.basename(page)


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
            files.replace(
                str(path), (text + figures.mark(_name(page))).encode("utf-8", "backslashreplace")
            )
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
    if figures.owner(old) is None and not known:
        why = "it is there, and fencerun did not write it"
        raise files.NotWritten(path, why, "move it, or give the figure another name")
    if (other := _other(page, path, old)) is not None:
        raise files.NotWritten(path, f"it is a figure of {other}", _ANOTHER)


def _other(page: str, path: str, data: bytes) -> str | None:
    """The name of another page beside ``page`` that the file is a figure of; None for none.

    A page that is gone, or draws and shows it no more, has no figure there.
    """
    owner = figures.owner(data)
    if owner is None or owner == _name(page):
        return None
    return owner if figures.claims(_read(_home(page) / owner) or b"", path) else None


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
        if data is not None and figures.owner(data) == _name(page):
            with contextlib.suppress(OSError):
                path.unlink()
                path.parent.rmdir()


def problems(page: Page) -> Iterator[Problem]:
    """What is wrong with the files of figures beside ``page``."""
    yield from shared(page)
    yield from unnamed(page)


def shared(page: Page) -> Iterator[Problem]:
    """A problem for each fence of ``page`` whose figure is one of another page beside it.

    While both draw alike either page would pass, and then each would undo the other's.
    """
    for fence in page.fences:
        if fence.tags.figure is None:
            continue
        shown = figures.read(fence.recording.text).paths if fence.recording else ()
        for path in dict.fromkeys((*shown, f"{figures.DIRECTORY}/{fence.tags.figure}")):
            data = _read(_home(page.path) / path)
            other = None if data is None else _other(page.path, path, data)
            if other is not None:
                what = f"{path} is a figure of {other}, and fence {fence.number} draws it too"
                yield Problem(page.path, fence.line, "figure", what, _ANOTHER)
                break


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
        if figures.owner(_read(_home(page.path) / path) or b"") == _name(page.path):
            found.append(path)
    return found
