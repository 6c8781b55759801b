"""The verbs that run nothing: `status` and `explain`, from arguments to text and exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from fencerun import exits, launch, state
from fencerun.errors import UsageError
from fencerun.explain import explain as explained
from fencerun.reporters.escape import one_line
from fencerun.session import Request, Session
from fencerun.status import Status, problem_line


def _session(
    arguments: Sequence[str], word: str | None, told: Sequence[str], requires: Sequence[str] = ()
) -> Session:
    request = Request("check", launch.targets(arguments), word, tuple(requires))
    return launch.session(request, lambda event: None, told=told)


def status(
    arguments: Sequence[str],
    word: str | None,
    told: Sequence[str],
    stream: TextIO,
    requires: Sequence[str] = (),
) -> int:
    """Say what is known of every selected fence.

    The exit code is 3 where a page has a problem; with ``told``, 5 where no run accounts for a
    fence; else 0.
    """
    session = _session(arguments, word, told, requires)
    pages, settled = session.read()
    by_page = {found[0].page.path: found for found in settled}
    selects = session.selects()
    view = Status(session.unrun, session.gate.unmet, state.load(session.project.root), stream)
    for page in pages:
        chosen = [member for member in by_page.get(page.path, ()) if selects(member)]
        view.page(page, chosen, session.relative(page.path))
    view.close(len(pages))
    for note in session.notes:
        stream.write(note + "\n")
    if exits.exit_code((), session.problems, allow_empty=True)[0]:
        return 3
    return 5 if view.left else 0


def explain(arguments: Sequence[str], stream: TextIO) -> int:
    """Say of each named fence what its key covers and what changed. Raises UsageError on none."""
    session = _session(arguments, None, ())
    pages, settled = session.read()
    selects = session.selects()
    chosen = [member for found in settled for member in found if selects(member)]
    if not chosen and not session.problems:
        raise UsageError(f"{' '.join(arguments)}: no such fence")
    last = state.load(session.project.root)
    for member in chosen:
        page = member.page
        known = last.get(f"{session.relative(page.path)}::{member.fence.number}")
        base = session.defaults(page)
        for line in explained(member, session.unrun, session.gate, base, known):
            stream.write(one_line(line) + "\n")
    for problem in session.problems:
        stream.write(problem_line(problem) + "\n")
    return 3 if any(page.broken for page in pages) else 0
