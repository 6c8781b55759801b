"""Files that change, told to the open pages. Knows watchfiles, and no page."""

from __future__ import annotations

from fencerun.live.core import Live


class Watching:
    """Tells ``live`` of every change of a file that may concern it, until it is closed.

    Raises UsageError where watchfiles is not installed. Use it as a context manager.
    """

    def __init__(self, live: Live) -> None: ...

    def __enter__(self) -> Watching:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Watch no more. Safe to call twice."""
