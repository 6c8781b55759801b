"""What lies around chains when they run: their directories, and set-up files.

Between the plan and an engine: makes directories when chains are sent and removes them when they
are over. Knows nothing of verdicts.
"""

from __future__ import annotations

import os
from pathlib import Path

from fencerun.errors import UsageError
from fencerun.kinds import PYTHONS
from fencerun.members import Member
from fencerun.plan import PlannedChain
from fencerun.scratch import Scratch


def home(page: str) -> str:
    """The directory that a page lies in, absolute."""
    # A symlinked page runs where it is named, beside the files its author sees there.
    return str(Path(page).absolute().parent)


class Surroundings:
    """What lies around chains: their directories, made when they are sent, and set-up files."""

    def __init__(self) -> None:
        self._homes: dict[str, str] = {}
        self._setups: dict[str, str] = {}
        self._scratch = Scratch()
        #: Of chains in a fresh directory: that, and how many jobs have still to end.
        self._open: dict[str, tuple[str, int]] = {}

    def _home(self, page: str) -> str:
        if page not in self._homes:
            self._homes[page] = home(page)
        return self._homes[page]

    def directory(self, chain: str, member: Member, jobs: int) -> str:
        """Where a chain runs that has so many jobs and ``member`` for its last."""
        home = self._home(member.page.path)
        if not member.scratch:
            return home
        files = {block.path: block.text for block in member.page.files}
        made = self._scratch.make(home, files)
        self._open[chain] = (made, jobs)
        return made

    def setup(self, chain: PlannedChain) -> tuple[str, str] | None:
        """Path and text of the set-up file of a chain that is to have it."""
        name = chain.steps[-1].member.setup
        if name is None or not any(s.member.fence.language in PYTHONS for s in chain.steps):
            return None
        path = os.path.normpath(os.path.join(self._home(chain.page.path), name))
        if path not in self._setups:
            try:
                text = Path(path).read_text("utf-8-sig", "replace")
            except OSError as error:
                raise UsageError(f"the set-up file {path} cannot be read: {error}") from None
            self._setups[path] = text
        return path, self._setups[path]

    def ended(self, chain: str) -> None:
        """A job of a chain is over; with the last one goes the chain's directory."""
        if chain in self._open:
            made, left = self._open.pop(chain)
            if left > 1:
                self._open[chain] = (made, left - 1)
            else:
                self._scratch.remove(made)

    def close(self) -> None:
        """Remove the directories of chains that nobody waits for any more."""
        self._scratch.close()
