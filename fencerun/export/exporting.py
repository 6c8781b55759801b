"""From the arguments of `fencerun export` to files and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TextIO

from fencerun import files, launch
from fencerun.beside import beside
from fencerun.engines.base import EngineOptions
from fencerun.engines.environment import pinned
from fencerun.errors import UsageError
from fencerun.export import written
from fencerun.export.cells import cut
from fencerun.frozen import dataclass
from fencerun.page import Page
from fencerun.pasting import pasted
from fencerun.reporters.wording import problem_head, text
from fencerun.session import Request, Session

#: The packages that a format needs, and the extra that brings them.
_NEEDS = {
    "ipynb": (("nbformat",), "notebook"),
    "html": (("pygments", "latex2mathml", "mdit_py_plugins", "nh3"), "html"),
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What to make of pages, and where; ``out`` is a file, a directory or ``-``."""

    to: str
    out: str | None = None
    force: bool = False
    python: str | None = None
    without: tuple[str, ...] = ()


def export(arguments: Sequence[str], wish: Wish, stream: TextIO) -> int:
    """Write what is wished for of each page; 3 where one has a problem, and is left out.

    Raises UsageError for arguments that make no sense, and NotWritten.
    """
    request = Request("check", launch.targets(arguments))
    for target in request.targets:
        if target.fence or target.line:
            raise UsageError(f"{target.path}: one fence of it is no page", "name the page")
    session = launch.session(request, lambda event: None, python=wish.python, without=wish.without)
    names = session.names
    several = len(names) > 1
    if several and wish.out is not None and not os.path.isdir(wish.out):
        what = f"-o {wish.out}: no directory, and there are {len(names)} pages"
        there = os.path.lexists(wish.out)
        raise UsageError(what, "name one" if there else f"run `mkdir -p {pasted(wish.out)}`")
    make = _maker(wish)
    code = 0
    refused: list[files.NotWritten] = []
    for name in names:
        page = session.page(name, files.read(name))
        if page.broken:
            code = 3
            for problem in page.problems:
                stream.write(text(problem_head(problem)) + "\n")
            continue
        try:
            _one(page, make(page, session), wish, stream)
        except files.NotWritten as error:
            refused.append(error)
    for one in refused[:-1]:
        stream.write(f"{one}\n")
    if refused:
        raise refused[-1]
    return code


def _one(page: Page, made: str, wish: Wish, stream: TextIO) -> None:
    data = written.sealed(made)
    if wish.out == "-":
        _pour(data, stream)
        return
    target = _target(page.path, wish)
    if os.path.exists(target) and os.path.samefile(target, page.path):
        raise files.NotWritten(target, "it is the page itself", "give another name with `-o`")
    module = os.path.splitext(os.path.basename(target))[0]
    if wish.to == "py" and wish.out is None and module in sys.stdlib_module_names:
        why = f"it would hide Python's own module {module}"
        raise files.NotWritten(target, why, "give another name with `-o`")
    written.insist_on_directory(target)
    if not wish.force:
        written.insist(target, page.path)
    written.write(target, data)
    stream.write(f"{target}: written\n")


def _pour(data: bytes, stream: TextIO) -> None:
    """Write ``data`` as it is, whatever encoding a terminal or pipe has."""
    below = getattr(stream, "buffer", None)
    if below is None:
        stream.write(data.decode("utf-8"))
    else:
        stream.flush()
        below.write(data)
        below.flush()


def _target(page: str, wish: Wish) -> str:
    stem = os.path.splitext(os.path.basename(page))[0]
    if wish.out is None:
        return os.path.join(os.path.dirname(page), f"{stem}.{wish.to}")
    return os.path.join(wish.out, f"{stem}.{wish.to}") if os.path.isdir(wish.out) else wish.out


def _maker(wish: Wish) -> Callable[[Page, Session], str]:
    packages, extra = _NEEDS.get(wish.to, ((), ""))
    for package in packages:
        if find_spec(package) is None:
            what = f"--to {wish.to} needs {package}, which is not installed"
            raise UsageError(what, f"pip install 'fencerun[{extra}]'")
    return {"ipynb": _notebook, "py": _script, "html": _sheet}[wish.to]()


def _variables(session: Session) -> dict[str, str]:
    """The variables of every fence, but for places of this machine and for secrets."""
    project = session.project
    secrets = session.secrets
    own = {
        name: value
        for name, value in project.env.items()
        if not name.endswith(("_CACHE_DIR", "_EXTENSIONS_DIR")) and secrets.text(value) == value
    }
    return pinned(EngineOptions(session.python, own, (), project.threads, project.width))


def _notebook() -> Callable[[Page, Session], str]:
    from fencerun.export.notebook import notebook

    def make(page: Page, session: Session) -> str:
        cells = cut(page, session.defaults(page), session.gate.unmet)
        mark = {"page": written.mark(page.path)}
        return notebook(cells, beside(page.path), _variables(session), mark)

    return make


def _script() -> Callable[[Page, Session], str]:
    from fencerun.export.script import script

    def make(page: Page, session: Session) -> str:
        cells = cut(page, session.defaults(page), session.gate.unmet)
        return script(cells, _variables(session), written.mark(page.path))

    return make


def _sheet() -> Callable[[Page, Session], str]:
    from fencerun.export.sheet import sheet

    def make(page: Page, session: Session) -> str:
        return sheet(page, beside(page.path), written.mark(page.path))

    return make
