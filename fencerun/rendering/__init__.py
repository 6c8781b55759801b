"""A page as HTML: for the live page in the browser, and for `fencerun export --to html`.

Everything here is pure: a `Page` in, HTML out. Nothing is run, read or written; what images and
links become is the caller's to say. All HTML that comes out is safe to show: text is escaped, raw
HTML of the page goes through an allow list.

    rendered = render(page, decorate=lambda fence: decoration(state_of(fence)))

The markup that style sheets and scripts may rely on:

- every block has ``data-line``, its page line counted from 1;
- a fence with its recording is ``<div class="fence" id="fence:3" data-fence="3"
  data-id="page.md::3" data-line="41">``, in it ``.fence-bar`` (with ``[data-part=badge]`` and
  ``[data-part=actions]``), ``.fence-code``, ``.fence-output`` (missing where nothing is recorded)
  and ``[data-part=panel]``. For a fence whose state changed, set ``innerHTML`` of the three parts
  to what `decoration` gives, and ``dataset.state`` to ``Decoration.state``;
- a recording that its author moved away from its fence is ``.fence-output.apart`` with
  ``data-output="3"``; a value in prose is ``<span class="value" data-value="3:expression">``;
- a line of code is ``<span class="line" data-line="42">`` and ends with its newline.

Needs the extra ``fencerun[html]``: importing `fencerun.rendering.body` without it raises
ImportError. This module itself imports nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fencerun.rendering.rendered import Decoration, FenceState, Heading, Rendered

if TYPE_CHECKING:
    from fencerun.page import Fence, Page

__all__ = [
    "Decoration",
    "FenceState",
    "Heading",
    "Rendered",
    "contents",
    "decoration",
    "render",
    "stylesheet",
]


def render(
    page: Page,
    *,
    decorate: Callable[[Fence], Decoration | None] = lambda fence: None,
    link: Callable[[str], str] = str,
    image: Callable[[str], str] = str,
    size: Callable[[str], tuple[int, int] | None] = lambda address: None,
    hidden: bool = False,
) -> Rendered:
    """The page as HTML that goes into ``<main class="page">``.

    ``decorate`` says what is known of a fence. ``link`` and ``image`` are given each address of a
    link, and of an image, as it stands on the page (percent-encoded), and give the one to write.
    ``size`` may tell the width and height of an image in pixels, by its address on the page
    (`pictures.size` reads them), so that nothing jumps when it is there.
    ``hidden`` shows fences that readers don't see. Never raises, whatever is on the page.
    """
    from fencerun.rendering.body import render as rendered

    return rendered(page, decorate=decorate, link=link, image=image, size=size, hidden=hidden)


def decoration(state: FenceState, actions: str = "") -> Decoration:
    """What to show of a fence of which ``state`` is known; ``actions`` is HTML, taken as it is."""
    from fencerun.rendering import panel

    return Decoration(panel.word(state), panel.badge(state), panel.panel(state), actions)


def contents(headings: tuple[Heading, ...], deepest: int = 3) -> str:
    """A table of contents: nested lists of links, for ``<nav>``; empty for less than two."""
    from fencerun.rendering.headings import contents as made

    return made(headings, deepest)


def stylesheet() -> str:
    """The style sheet of rendered pages: light and dark, narrow and wide, print."""
    from importlib.resources import files

    return (files("fencerun.rendering") / "static" / "page.css").read_text("utf-8")
