"""What goes into and comes out of rendering, besides the page: frozen data."""

from __future__ import annotations

from fencerun.events import Verdict
from fencerun.frozen import dataclass


@dataclass(frozen=True, slots=True)
class FenceState:
    """What is known of a fence as its badge and panel show it.

    ``running`` are the seconds since it began to run, None while it does not; ``waiting`` says
    that it is about to. ``verdict`` is the last one, None before its first. ``on`` is where its
    recording comes from (``device/torch-version/date``), for fences that do not run here.
    """

    verdict: Verdict | None = None
    running: float | None = None
    waiting: bool = False
    on: str = ""


@dataclass(frozen=True, slots=True)
class Decoration:
    """What is shown of a fence beside its code and output.

    ``state`` is one word for style sheets: a verdict's severity (``ok``, ``note``, ``warning``,
    ``outdated``, ``error``), ``running``, ``waiting`` or ``unknown``. The rest is safe HTML for
    the parts of the same names; an empty ``panel`` says that there is nothing to say.
    """

    state: str = "unknown"
    badge: str = ""
    panel: str = ""
    actions: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: ``id`` is its anchor, as GitHub makes it; ``html`` is safe and holds no link."""

    level: int
    id: str
    text: str
    html: str
    line: int


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page as HTML. ``title`` is plain text: front matter's, else the first heading's."""

    body: str
    title: str
    headings: tuple[Heading, ...] = ()
