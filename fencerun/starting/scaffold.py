"""What `fencerun init` writes and where, and what is in its way. Reads the disk, writes nothing."""

from __future__ import annotations

import os
import sys
from importlib import resources
from pathlib import Path

from fencerun.frozen import dataclass
from fencerun.starting.configuration import Unfit, with_table
from fencerun.starting.origin import Origin

LESSON = "lessons/first.md"
CONFIGURATION = "pyproject.toml"
WORKFLOW = ".github/workflows/fences.yml"

_NOTE = """\
      # This fencerun came from a folder of its author's machine. If the package index has no such
      # version, name a place here that CI can reach, such as 'fencerun @ git+https://…'.
"""


@dataclass(frozen=True, slots=True)
class File:
    """A file to write. ``before`` are the bytes that it holds now, None where it is new."""

    path: Path
    data: bytes
    before: bytes | None = None


def scaffold(directory: Path, origin: Origin) -> tuple[list[File], list[str]]:
    """The files for ``directory``, and what stands in their way, in words; any of it is too much.

    A workflow counts only at the top of a checkout, so there it goes, and starts in ``directory``.
    """
    top = _checkout(directory) or directory
    configuration, why = _configuration(directory / CONFIGURATION)
    wanted = [
        File(directory / LESSON, _text("first.md").encode()),
        configuration,
        File(top / WORKFLOW, _workflow(directory, top, origin).encode()),
    ]
    new = [file for file in wanted if file.before is None and not (why and file is configuration)]
    in_the_way = [*why, *(line for file in new for line in _in_the_way(file.path))]
    return wanted, list(dict.fromkeys(in_the_way))


def _configuration(path: Path) -> tuple[File, list[str]]:
    if not os.path.lexists(path):
        return File(path, with_table(b"")), []
    try:
        before = path.read_bytes()
        return File(path, with_table(before), before), []
    except OSError as error:
        return File(path, b""), [f"{_called(path)}: {error.strerror or error}"]
    except Unfit as unfit:
        return File(path, b""), [f"{_called(path)}: {unfit}"]


def _in_the_way(path: Path) -> list[str]:
    """What keeps a new file from being made at ``path``."""
    if os.path.lexists(path):
        return [f"{_called(path)}: it is there already"]
    for parent in path.parents:
        if parent.is_dir():
            break
        if os.path.lexists(parent):
            return [f"{_called(parent)}: it is no directory"]
    return []


def _called(path: Path) -> str:
    """The path as it is called from the working directory."""
    return os.path.relpath(path)


def _checkout(directory: Path) -> Path | None:
    """The top of the git checkout that ``directory`` lies in."""
    for parent in (directory, *directory.parents):
        if (parent / ".git").exists():
            return parent
    return None


def _workflow(directory: Path, top: Path, origin: Origin) -> str:
    text = _text("fences.yml")
    text = text.replace("@PYTHON@", f"{sys.version_info[0]}.{sys.version_info[1]}")
    text = text.replace("@NOTE@", _NOTE if origin.local else "")
    text = text.replace("@REQUIREMENT@", origin.requirement)
    if directory != top:
        where = directory.relative_to(top).as_posix().replace("'", "''")
        command = "      - run: fencerun check --report github\n"
        text = text.replace(command, f"{command}        working-directory: '{where}'\n")
    return text


def _text(name: str) -> str:
    return (resources.files("fencerun.starting") / "files" / name).read_text(encoding="utf-8")
