"""Open pages and their runs: what front ends of the author's loop hold on to.

All that is asked of it returns at once; runs happen on a thread of its own, one at a time. A run
is a session of :mod:`fencerun.session` over the fences that are due. It knows no terminal, no
browser and no file watcher.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from fencerun.events import LiveEvent
from fencerun.live.view import PageView


class Live:
    """Pages that are kept open, and one warm engine for them.

    ``targets`` are command-line arguments (pages, directories, single fences), by default the
    project's pages. ``emit`` gets every event, one at a time but from several threads: those of
    each run from RunStarted to RunDone, and PageRead, EngineReady and Trouble between or, when a
    save comes while a run goes on, within them. It must not call back into this object.

    Every method may be called from any thread.
    """

    def __init__(
        self,
        targets: Sequence[str] = (),
        emit: Callable[[LiveEvent], None] = lambda event: None,
        *,
        python: str | None = None,
        without: Collection[str] = (),
        root: Path | None = None,
    ) -> None: ...

    def start(self) -> None:
        """Read every page, and begin to load what their fences need without waiting for it.

        Nothing runs yet. Raises FencerunError for a call or a configuration that makes no sense.
        """
        raise NotImplementedError

    def pages(self) -> tuple[PageView, ...]:
        """Every open page as it is known now, in the order in which they run."""
        raise NotImplementedError

    def page(self, path: str) -> PageView | None:
        """The open page called ``path``."""
        raise NotImplementedError

    @property
    def about(self) -> str:
        """The interpreter and what it has loaded; empty until it is ready."""
        raise NotImplementedError

    @property
    def busy(self) -> bool:
        """Whether a run goes on, or waits for its turn."""
        raise NotImplementedError

    def watched(self) -> frozenset[str]:
        """The absolute directories in which a change may concern an open page, or be a new one."""
        raise NotImplementedError

    def saved(self, paths: Iterable[str] | None = None) -> None:
        """Read again what depends on these files (all without any), and run what that makes due.

        A run that goes on is ended where the save makes what it runs pointless. Paths may be
        anything that happened in a directory of ``watched()``; what is none of ours is ignored.
        """
        raise NotImplementedError

    def run(self, ids: Iterable[str] | None = None) -> None:
        """Run these fences (``page.md::3``) or pages (``page.md``), all without any, long or not.

        Ids that there are not are ignored.
        """
        raise NotImplementedError

    def run_stale(self) -> None:
        """Run every fence that is stale, also those that were held back."""
        raise NotImplementedError

    def record(self, ids: Iterable[str] | None = None) -> None:
        """Run these fences or pages as `fencerun record` does; without any, all that differ.

        The page's own change does not make anything due.
        """
        raise NotImplementedError

    def stop(self) -> None:
        """End the run that goes on, if any; what it did not get to stays stale."""
        raise NotImplementedError

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing runs or waits for its turn; whether that is so."""
        raise NotImplementedError

    def close(self) -> None:
        """End the run and every process. Safe to call twice."""
        raise NotImplementedError
