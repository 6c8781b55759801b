"""`fencerun record --strip`: every recording off a page, nothing else."""

from __future__ import annotations

import sys

from fencerun import asked, files, reader
from fencerun.config import Project
from fencerun.errors import UsageError
from fencerun.frontmatter import Syntax
from fencerun.outlet import outlet
from fencerun.page import Page
from fencerun.plural import count
from fencerun.reporters.escape import one_line
from fencerun.reporters.wording import called, location
from fencerun.request import Request
from fencerun.splice import SpliceError, splice


def strip(page: Page) -> bytes:
    """The bytes of ``page`` without any recording. Raises SpliceError, and then nothing changed."""
    return splice(page, {recording.number: None for recording in page.recordings})


def every(request: Request, project: Project) -> int:
    """Remove every recording of the pages asked for, and return the exit code.

    A page with a problem is left as it is. Raises UsageError where less than pages is named.
    """
    single = [target for target in request.targets if target.fence or target.line]
    narrowed = request.word or request.requires or request.since or request.shard
    if single or narrowed or request.among is not None:
        raise UsageError("--strip removes every recording of a page", "name pages or directories")
    code = 0
    for name in asked.names(request.targets, project):
        syntax = project.settings_for(project.relative(name)).syntax
        code = max(code, off(name, syntax, dry_run=request.dry_run))
    return code


def off(name: str, syntax: Syntax | None, *, dry_run: bool = False) -> int:
    """Strip the page called ``name``, say so, and return the exit code.

    With ``dry_run`` it is only said, and 1 returned where there is anything to strip. A page with a
    problem is left as it is. It is read under its lock, so that no edit made meanwhile is taken
    back. Raises FencerunError where it cannot be read or written.
    """
    with files.locked(name):
        data = files.read(name)
        page = reader.parse(data, name, syntax)
        if page.broken:
            problem = page.problems[0]
            what = f"problem: {problem.what}. The page is left as it is"
            _say(f"{location(name, problem.line)}: {what}")
            return 3
        if not page.recordings:
            return 0
        try:
            stripped = strip(page)
            if not dry_run:
                files.replace(name, stripped, data)
        except SpliceError as error:
            line = next(r.line for r in page.recordings if r.number == error.fence)
            _say(f"{location(name, line)}: refused: output:{error.fence}, {error.why}")
            return 1
    done = "would be removed" if dry_run else "removed"
    _say(f"{called(name)}: {count(len(page.recordings), 'recording')} {done}")
    return 1 if dry_run else 0


def _say(line: str) -> None:
    outlet(sys.stdout, "stdout").write(f"{one_line(line)}\n")
