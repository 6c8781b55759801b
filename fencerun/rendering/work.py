"""What the passes over a page's tokens share: the page, its slots, and tokens of our own."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from fencerun.frozen import dataclass
from fencerun.page import Fence, FileBlock, Page, Recording
from fencerun.rendering.rendered import Decoration
from fencerun.rendering.slots import Slots

Tokens = list[Any]


@dataclass(frozen=True, slots=True)
class Work:
    """One rendering. Lines count from 0 and are those on which a block opens."""

    page: Page
    slots: Slots
    decorate: Callable[[Fence], Decoration | None]
    hidden: bool
    fences: dict[int, Fence]
    recordings: dict[int, Recording]
    files: dict[int, FileBlock]
    #: The numbers of the fences that were shown, as they are.
    shown: set[int]

    def leaf(self, html: str, like: Any) -> Any:
        """A block of safe HTML of ours, as a token."""
        return token(like, self.slots.leaf(html))

    def opening(self, like: Any, tag: str = "div", /, **attributes: object) -> Any:
        """The start tag of an element of ours, as a token; ``class_`` is ``class``."""
        said = " ".join(
            f'{name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
            for name, value in attributes.items()
            if value is not None
        )
        return token(like, self.slots.opening(said, tag))

    def closing(self, like: Any, tag: str = "div") -> Any:
        """The end tag."""
        return token(like, f"</{tag}>")


def work(page: Page, decorate: Callable[[Fence], Decoration | None], hidden: bool) -> Work:
    """The rendering of ``page``, with nothing done yet."""
    return Work(
        page,
        Slots(page.text),
        decorate,
        hidden,
        {fence.block.open: fence for fence in page.fences},
        {one.block.start if one.region else one.block.open: one for one in page.recordings},
        {one.block.open: one for one in page.files},
        set(),
    )


def token(like: Any, html: str) -> Any:
    """HTML as a token, of the parser's class and at the level of ``like``."""
    made = type(like)("slot", "", 0)
    made.content, made.level, made.block = html, like.level, True
    return made
