"""Raw HTML of a page, made safe: an allow list of elements, attributes and schemes.

Two steps. Each piece of raw HTML first loses what would swallow the rest of the page (comments and
tags that never end, scripts), so that pieces stay pieces. The whole then goes through nh3, which
balances elements and looks at every attribute. The only importer of nh3.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import nh3

from fencerun.patterns import later

_ATTRIBUTES = r"""(?:\s+[^\s"'<>/=\x00]+(?:\s*=\s*(?:[^\s"'=<>`]+|"[^"]*"|'[^']*'))?)*"""
_PIECE = later(
    rf"<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*)(?P<attributes>{_ATTRIBUTES})\s*/?>"
    r"|<!--(?:.*?-->|.*)|<\?(?:.*?\?>|.*)|<!\[CDATA\[(?:.*?\]\]>|.*)|<![A-Za-z][^>]*>?",
    re.DOTALL,
)

#: Elements that a page may hold.
_TAGS = frozenset(
    (
        *("a", "abbr", "address", "article", "aside", "audio", "b", "bdi", "bdo", "blockquote"),
        *("br", "caption", "center", "cite", "code", "col", "colgroup", "dd", "del", "details"),
        *("dfn", "div", "dl", "dt", "em", "figcaption", "figure", "footer", "h1", "h2", "h3"),
        *("h4", "h5", "h6", "header", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p"),
        *("picture", "pre", "q", "rp", "rt", "ruby", "s", "samp", "section", "small", "source"),
        *("span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot"),
        *("th", "thead", "time", "tr", "tt", "u", "ul", "var", "video", "wbr"),
    )
)

#: Elements whose text goes with them.
_SILENT = frozenset(
    (
        *("script", "style", "svg", "math", "template", "iframe", "object", "noscript", "title"),
        *("textarea", "select", "xmp", "noembed", "noframes"),
    )
)

_EVERYWHERE = {"id", "title", "lang", "dir", "align", "data-line", "data-slot"}
_SIZE = {"width", "height"}
_ATTRIBUTES_OF = {
    "*": _EVERYWHERE,
    "a": {"href", "name"},
    "img": {"src", "alt", *_SIZE},
    "video": {"src", "poster", "controls", "loop", "muted", *_SIZE},
    "audio": {"src", "controls", "loop", "muted"},
    "source": {"src", "srcset", "media", "type"},
    "ol": {"start", "type"},
    "li": {"value"},
    "td": {"colspan", "rowspan", "valign", "headers"},
    "th": {"colspan", "rowspan", "valign", "headers", "scope"},
    "col": {"span", *_SIZE},
    "colgroup": {"span"},
    "table": {"width"},
    "details": {"open"},
    "time": {"datetime"},
    "blockquote": {"cite"},
    "q": {"cite"},
    "del": {"cite", "datetime"},
    "ins": {"cite", "datetime"},
}
_SCHEMES = {"http", "https", "mailto", "tel", "data"}
_PICTURE = later(r"data:image/(?:png|gif|jpeg|webp|avif|svg\+xml)[;,]", re.IGNORECASE)
_SOURCES = {("img", "src"), ("source", "src"), ("video", "poster"), ("video", "src"),
            ("audio", "src")}  # fmt: skip
_SCHEME = later(r"[\x00-\x20]*([A-Za-z][A-Za-z0-9+.-]*):")

#: What the ids of elements begin with that are ours: fences, tabs, and what stands around a page.
_OUR_IDS = ("fence:", "tab:", "ui:")

#: Gives an element that stands for a start tag with these attributes, or None.
Special = Callable[[str, dict[str, str]], str | None]

_ATTRIBUTE = later(
    r"""([^\s"'<>/=\x00]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?""", re.DOTALL
)


def piece(html: str, special: Special = lambda name, attributes: None) -> str:
    """One piece of raw HTML in which everything that begins ends, or is text.

    ``special`` may replace a start tag by HTML of its own, by its name and attributes.
    """
    out: list[str] = []
    at = 0
    endless: set[str] = set()
    while (match := _PIECE.search(html, at)) is not None:
        out.append(_text(html[at : match.start()]))
        at = match.end()
        name = (match["name"] or "").lower()
        if name in _TAGS:
            made = None
            if not match["close"]:
                made = special(name, attributes(match["attributes"]))
            out.append(match[0] if made is None else made)
        elif name in _SILENT and not match["close"] and name not in endless:
            end = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(html, at)
            if end is None:
                endless.add(name)
            else:
                at = end.end()
    out.append(_text(html[at:]))
    return "".join(out)


def attributes(text: str) -> dict[str, str]:
    """The attributes in a start tag, by lower-case name, decoded."""
    return {name.lower(): unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(text)}


def _text(html: str) -> str:
    return html.replace("<", "&lt;")


def whole(
    html: str,
    holds: Callable[[str], bool],
    link: Callable[[str], str],
    image: Callable[[str], str],
) -> str:
    """A page's HTML, safe to show. ``holds`` knows the slots that are ours."""

    def attribute(element: str, name: str, value: str) -> str | None:
        if name == "data-slot":
            return value if holds(value) else None
        if name == "data-line":
            return value if value.isdecimal() else None
        if name == "id":
            return None if value.startswith(_OUR_IDS) else value
        return _address(element, name, value, link, image)

    return nh3.clean(
        html,
        tags=set(_TAGS),
        attributes=_ATTRIBUTES_OF,
        attribute_filter=attribute,
        url_schemes=_SCHEMES,
        link_rel="noreferrer",
    )


def _address(
    element: str,
    name: str,
    value: str,
    link: Callable[[str], str],
    image: Callable[[str], str],
) -> str | None:
    if (element, name) in _SOURCES:
        if scheme(value) == "data" and not _PICTURE.match(value):
            return None
        return image(value)
    if name == "srcset":
        return _srcset(value, image)
    if name in ("href", "cite"):
        return None if scheme(value) == "data" else link(value)
    return value


def _srcset(value: str, image: Callable[[str], str]) -> str | None:
    made = []
    for candidate in filter(None, (part.split() for part in value.split(","))):
        if scheme(candidate[0]) not in ("", "http", "https"):
            return None
        made.append(" ".join((image(candidate[0]), *candidate[1:])))
    return ", ".join(made)


def scheme(address: str) -> str:
    """The scheme of an address, in lower case; empty for a relative one."""
    match = _SCHEME.match(address)
    return match[1].lower() if match else ""
