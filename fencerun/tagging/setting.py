"""Where ``continues: previous`` goes on a page: its front matter, or a comment at its top. Pure.

Makes the edit, and leaves it to others to see what the page is with it.
"""

from __future__ import annotations

from fencerun import frontmatter
from fencerun.frozen import dataclass
from fencerun.page import Page
from fencerun.patterns import later

#: What is set.
SETTING = "continues: previous"

_OWN = later(r"fencerun[ \t]*:[ \t]*(?:#.*)?\Z")
_TOP = later(r"(<!--[ \t]+fencerun:(?:.*[^ \t])?)([ \t]*-->[ \t]*)\Z")


@dataclass(frozen=True, slots=True)
class Edit:
    """``before`` stands above line ``line``, which becomes ``new``; all with line endings."""

    line: int
    before: str = ""
    new: str | None = None


def setting(page: Page) -> Edit | None:
    """The edit that sets the page; None where no single line does."""
    lines = page.lines
    if not len(lines):
        return None
    ending = lines.ending(0) or "\n"
    front = frontmatter.extent(lines)
    if front and not lines.text(0).startswith("+++"):
        return _in_front(page, front - 1, ending)
    first = front
    while first < len(lines) and not lines.text(first).strip():
        first += 1
    if first == len(lines):
        return None
    if top := _TOP.match(lines.text(first)):
        return Edit(first, "", f"{top[1]} continues=previous{top[2]}{lines.ending(first)}")
    return Edit(first, f"<!-- fencerun: continues=previous -->{ending}{ending}")


def _in_front(page: Page, closing: int, ending: str) -> Edit | None:
    """The edit in YAML that ends above line ``closing``."""
    for line in range(1, closing):
        text = page.lines.text(line)
        if _OWN.match(text):
            return Edit(line + 1, f"{_indentation(page, line + 1, closing)}{SETTING}{ending}")
        if text.startswith("fencerun"):
            return None
    return Edit(closing, f"fencerun: {{{SETTING}}}{ending}")


def _indentation(page: Page, first: int, closing: int) -> str:
    """That of the first setting below ``fencerun:``, or two blanks."""
    for line in range(first, closing):
        text = page.lines.text(line)
        rest = text.lstrip(" ")
        if rest and not rest.startswith("#"):
            return text[: len(text) - len(rest)] or "  "
    return "  "
