"""What one process keeps from chain to chain: its hooks, and what it was before the first.

Knows nothing of how a chain runs.
"""

from __future__ import annotations

import os

from fencerun.worker import compiling, seeds
from fencerun.worker.garbage import Garbage
from fencerun.worker.guards import Guards
from fencerun.worker.modules import Modules
from fencerun.worker.newfiles import NewFiles
from fencerun.worker.opening import Opening
from fencerun.worker.threads import Threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fencerun.worker.debugger import Debugger

#: Names the page to whatever a fence starts, so that a page cannot run itself.
OWN_PAGE = "FENCERUN_PAGE"


class Process:
    """What a process keeps for all its chains. Made once, before the first; forks copy it."""

    def __init__(self, root: str, *, owned: bool = True, debugger: Debugger | None = None) -> None:
        """``root`` is the project's directory.

        ``owned`` says that the process is fencerun's alone (so its heap may be frozen and its
        memory limited). ``debugger`` is for the fences to reach.
        """
        self.pages: set[str] = set()
        self.owned = owned
        self.debugger = debugger
        self.opening = Opening(self.pages)
        self.opening.install()
        compiling.install()
        self.modules = Modules(root)
        self.new_files = NewFiles()
        self.seeds = seeds.Seeds()
        self.seeds.install()
        self.threads = Threads(self.modules.owns)
        self.threads.install()
        self.guards = Guards(self.pages.__contains__)
        #: Children that are not the fences'.
        self.children: set[int] = set()
        #: Page and number of the fence that ran last.
        self.last: tuple[str, int] | None = None
        self.garbage = Garbage(owned)
        #: The pages whose fences run this very process, one within the other.
        self.outer = os.environ.get(OWN_PAGE, "")
        self._variables: dict[str, str] = {}

    def set_variable(self, name: str, value: str) -> None:
        """Set an environment variable for a chain.

        In a process of ours it stays as it was set: the guards see to that.
        """
        if self.owned and self._variables.get(name) == value:
            return
        self._variables[name] = value
        if os.environ.get(name) != value:
            os.environ[name] = value

    def close(self) -> None:
        """Take every hook out again (only a process that goes on without us needs it)."""
        self.guards.close()
        self.threads.remove()
        self.seeds.remove()
        compiling.remove()
        self.opening.remove()
