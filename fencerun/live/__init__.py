"""The author's loop without a face: open pages, one warm engine, and what a save makes due.

`fencerun watch` and `fencerun serve` show what :class:`Live` tells, and hand it what the author
does. It knows no terminal, no browser and no file watcher.
"""

from fencerun.live.core import Live
from fencerun.live.view import FenceView, PageView, Tally

__all__ = ["FenceView", "Live", "PageView", "Tally"]
