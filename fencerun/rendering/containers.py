"""Containers that tools made of Markdown's own: MkDocs admonitions and tabs, GitHub's alerts and
task lists. Tokens in, tokens out.
"""

from __future__ import annotations

from html import escape
from typing import Any

from fencerun.patterns import later
from fencerun.rendering.work import Tokens, Work, token

_MKDOCS = later(r'(!!!|\?\?\?\+?|===[!+]?)[ \t]*([\w -]*?)[ \t]*(?:"(.*)")?[ \t]*\Z')
_ALERT = later(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|\Z)", 2)
_TASK = later(r"\[([ xX])\][ \t]+")


def arranged(tokens: Tokens, work: Work) -> Tokens:
    """The tokens with elements for these containers."""
    out: Tokens = []
    opened: list[tuple[str, int]] = []  # the element of each container, and the group of a tab
    groups = joining = 0
    for at, one in enumerate(tokens):
        if one.type == "mkdocs_open":
            sign, kind, title = parts(one.info)
            if not sign.startswith("==="):
                out += _admonition(work, one, sign, kind, title)
                opened.append(("details" if sign.startswith("?") else "div", 0))
                continue
            if not joining:
                groups += 1
                out.append(work.opening(one, class_="tabs", data_line=one.map[0] + 1))
            group = joining or groups
            out.append(work.leaf(_label(title or "", group, at, checked=not joining), one))
            out.append(work.opening(one, class_="tab", data_line=one.map[0] + 1))
            opened.append(("div", group))
        elif one.type == "mkdocs_close":
            tag, group = opened.pop()
            out.append(work.closing(one, tag))
            joining = group if group and _goes_on(tokens, at + 1) else 0
            if group and not joining:
                out.append(work.closing(one))
        else:
            out.append(one)
    return _tasks(_alerts(out, work), work)


def parts(opener: str) -> tuple[str, str, str | None]:
    """The sign, the kind and the title of a line that opens a container."""
    found = _MKDOCS.match(opener)
    return (found[1], found[2], found[3]) if found else ("!!!", "note", opener)


def _goes_on(tokens: Tokens, at: int) -> bool:
    """Whether a tab follows that belongs to the group of the one before; ``===!`` begins anew."""
    if at >= len(tokens) or tokens[at].type != "mkdocs_open":
        return False
    info = str(tokens[at].info)
    return info.startswith("===") and not info.startswith("===!")


def _label(title: str, group: int, at: int, *, checked: bool) -> str:
    name = f"tab:{group}:{at}"
    chosen = " checked" if checked else ""
    return (
        f'<input type="radio" name="tabs:{group}" id="{name}"{chosen}>'
        f'<label for="{name}">{escape(title)}</label>'
    )


def _admonition(work: Work, one: Any, sign: str, kind: str, title: str | None) -> Tokens:
    first = kind.split(" ", 1)[0].lower() or "note"
    shown = first.capitalize() if title is None else title
    line = one.map[0] + 1
    if sign.startswith("?"):
        opened = "open" if sign == "???+" else None
        head = f"<summary>{escape(shown)}</summary>"
        return [
            work.opening(one, "details", class_=f"admonition {first}", data_line=line, open=opened),
            work.leaf(head, one),
        ]
    made = [work.opening(one, class_=f"admonition {first}", data_line=line)]
    if shown:
        made.append(work.leaf(f'<p class="admonition-title">{escape(shown)}</p>', one))
    return made


def _alerts(tokens: Tokens, work: Work) -> Tokens:
    """GitHub's alerts: quotes that begin with ``[!NOTE]``."""
    out: Tokens = []
    waiting: list[bool] = []
    for at, one in enumerate(tokens):
        if one.type == "blockquote_open":
            found = _alert(tokens, at)
            waiting.append(found is not None)
            out += [one] if found is None else _admonition(work, one, "!!!", found, None)
        elif one.type == "blockquote_close" and waiting.pop():
            out.append(work.closing(one))
        else:
            out.append(one)
    return out


def _alert(tokens: Tokens, at: int) -> str | None:
    """The kind of an alert, whose first line is taken away."""
    inner = tokens[at + 2] if at + 2 < len(tokens) else None
    if inner is None or inner.type != "inline":
        return None
    match = _ALERT.match(inner.content)
    if match is None:
        return None
    children = inner.children or []
    end = next((k for k, c in enumerate(children) if c.type == "softbreak"), len(children) - 1)
    del children[: end + 1]
    if not children:
        tokens[at + 1].hidden = tokens[at + 3].hidden = True  # a paragraph of nothing
    return str(match[1])


def _tasks(tokens: Tokens, work: Work) -> Tokens:
    """GitHub's task lists."""
    for at, one in enumerate(tokens[:-2]):
        inner = tokens[at + 2]
        if one.type != "list_item_open" or inner.type != "inline" or not inner.children:
            continue
        first = inner.children[0]
        match = _TASK.match(first.content) if first.type == "text" else None
        if match is not None:
            first.content = first.content[match.end() :]
            said = 'checked aria-label="done"' if match[1] != " " else 'aria-label="to do"'
            box = token(one, work.slots.leaf(f'<input type="checkbox" disabled {said}> ', "span"))
            inner.children.insert(0, box)
    return tokens
