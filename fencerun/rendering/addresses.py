"""Addresses that stand in prose as they are, made links as GitHub makes them. Tokens in and out."""

from __future__ import annotations

from typing import Any

from fencerun.patterns import later
from fencerun.rendering.work import Tokens

_ADDRESS = later(r"(?<![\w/])https?://[A-Za-z0-9](?:[^\s<>\"`]*[^\s<>\"`?!.,:*_~'])?")


def linked(tokens: Tokens) -> None:
    """Make links of the addresses in ``tokens`` that are not in a link."""
    for one in tokens:
        if one.type == "inline" and one.children and "://" in one.content:
            one.children = list(_linked(one.children))


def _linked(children: Tokens) -> Tokens:
    made: Tokens = []
    depth = 0
    for child in children:
        if child.type in ("link_open", "link_close"):
            depth += child.nesting
        elif child.type == "html_inline":
            depth += child.content[:2].lower() == "<a"
            depth -= child.content[:3].lower() == "</a"
        if child.type == "text" and depth <= 0 and "://" in child.content:
            made += _pieces(child)
        else:
            made.append(child)
    return made


def _pieces(text: Any) -> Tokens:
    kind, made, at = type(text), [], 0
    for match in _ADDRESS.finditer(text.content):
        address = _balanced(match[0])
        opening, closing = kind("link_open", "a", 1), kind("link_close", "a", -1)
        opening.attrSet("href", address)
        made += [_text(kind, text.content[at : match.start()]), opening, _text(kind, address)]
        made.append(closing)
        at = match.start() + len(address)
    made.append(_text(kind, text.content[at:]))
    return [one for one in made if one.type != "text" or one.content]


def _balanced(address: str) -> str:
    """An address without brackets at its end that are the sentence's."""
    while address.endswith(")") and address.count(")") > address.count("("):
        address = address[:-1].rstrip("?!.,:*_~'")
    return address


def _text(kind: Any, content: str) -> Any:
    made = kind("text", "", 0)
    made.content = content
    return made
