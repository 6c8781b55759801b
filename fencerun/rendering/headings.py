"""Headings: anchors as GitHub makes them, and a table of contents."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from fencerun.patterns import later
from fencerun.rendering.rendered import Heading
from fencerun.rendering.work import Tokens, Work

# github/cmark-gfm's pages: all but letters, marks, digits, connectors, hyphens and spaces goes.
_DROPPED = later(r"[^\w\- ]")


def slug(text: str, used: dict[str, int]) -> str:
    """The anchor of a heading; ``used`` counts those before it, and is brought up to date."""
    base = _DROPPED.sub("", text.strip().lower()).replace(" ", "-")
    made = base
    while made in used:
        used[base] += 1
        made = f"{base}-{used[base]}"
    used[made] = 0
    return made


def anchored(tokens: Tokens, work: Work, inline: Any) -> list[Heading]:
    """The headings among ``tokens``, which get their anchors; ``inline`` renders without links."""
    found: list[Heading] = []
    used: dict[str, int] = {}
    for at, one in enumerate(tokens):
        if one.type != "heading_open" or one.map is None:
            continue
        children = tokens[at + 1].children or []
        text = " ".join("".join(_text(children)).split())
        anchor = slug(text, used)
        html = inline([child for child in children if not child.type.startswith("link_")])
        found.append(Heading(int(one.tag[1]), anchor, text, html, one.map[0] + 1))
        if anchor:
            one.attrSet("id", anchor)
            link = f'<a class="anchor" href="#{escape(anchor)}" aria-label="link here">#</a>'
            made = type(one)("slot", "", 0)
            made.content = work.slots.leaf(link, "span")
            children.append(made)
    return found


def _text(children: Tokens) -> Iterator[str]:
    for child in children:
        if child.type in ("text", "code_inline", "math"):
            yield child.content
        elif child.type in ("softbreak", "hardbreak"):
            yield " "
        elif child.children:
            yield from _text(child.children)


def contents(headings: tuple[Heading, ...], deepest: int = 3) -> str:
    """Nested lists of links; levels that are left out on the page are left out here."""
    shown = [one for one in headings if one.level <= deepest and one.id]
    if len([one for one in shown if one.level > 1]) < 2:
        return ""
    if sum(one.level == 1 for one in shown) == 1:
        shown = [one for one in shown if one.level > 1]  # the page's title
    out: list[str] = []
    levels: list[int] = []
    for one in shown:
        while len(levels) > 1 and one.level < levels[-1] and one.level <= levels[-2]:
            levels.pop()
            out.append("</li></ol>")
        if not levels or one.level > levels[-1]:
            levels.append(one.level)
            out.append("<ol>")
        else:
            levels[-1] = one.level
            out.append("</li>")
        out.append(f'<li><a href="#{escape(one.id)}">{one.html}</a>')
    out += ["</li></ol>"] * len(levels)
    return "".join(out)
