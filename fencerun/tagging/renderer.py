"""Which form of tags the site that publishes a page shows well.

`publishing` knows the site generators; here is only what it means for new tags.
"""

from __future__ import annotations

from fencerun.frozen import dataclass
from fencerun.infostring import Carrier
from fencerun.page import Page
from fencerun.publishing.finding import Sites


@dataclass(frozen=True, slots=True)
class Choice:
    """A form, and why: the file that says so, or nothing where none does."""

    carrier: Carrier
    why: str = ""


def choose(page: Page, sites: Sites) -> Choice:
    """The form for new tags on ``page``, which one of ``sites`` may publish."""
    if sites.only == "none":
        return Choice("words")
    site = sites.site(page.path, page.text)
    if site is None or site.carrier == "words":
        return Choice("words")
    return Choice(site.carrier, site.file)
