"""Fences, recordings and files among a page's tokens: each in an element that says what it is.

A fence and the recording below it become one figure. Blocks are known by the lines on which they
open; what they hold was read by ``reader`` and is not looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from fencerun.page import CodeBlock, Fence, FileBlock, Recording
from fencerun.patterns import later
from fencerun.rendering import code, mathml
from fencerun.rendering.rendered import Decoration
from fencerun.rendering.work import Tokens, Work

_COMMENTS = later(r"(?:\s*<!--(?:(?!-->)[\s\S])*-->)*\s*")
_TITLE = later(r"""\btitle=(?:"([^"]*)"|'([^']*)')""")


def arranged(tokens: Tokens, work: Work) -> Tokens:
    """The tokens with our blocks in their elements."""
    out: Tokens = []
    at = 0
    while at < len(tokens):
        at = _next(tokens, at, work, out)
    return out


def _next(tokens: Tokens, at: int, work: Work, out: Tokens) -> int:
    """Put what is at ``at`` into ``out``; where to go on."""
    one = tokens[at]
    line = one.map[0] if one.map and one.type in ("fence", "html_block") else -1
    fence, recording = work.fences.get(line), work.recordings.get(line)
    if fence is not None and _is_own(one, fence.block):
        return _fence(tokens, at, work, fence, out)
    if recording is not None and _is_own(one, recording.block):
        end = _end(tokens, at, recording)
        if end is not None:
            apart = "fence-output apart"
            out += _recording(tokens, at, end, work, recording, apart)
            return end
    if one.type == "fence":
        out.append(work.leaf(_plain(one, work.files.get(line)), one))
    elif one.type == "code_block":
        out.append(work.leaf(code.block(one.content, "", one.map[0] + 1), one))
    else:
        out.append(one)
    return at + 1


def _is_own(token: Any, block: CodeBlock) -> bool:
    hidden = block.markup == "<!--" and not block.region
    return bool(token.type == ("html_block" if hidden or block.region else "fence"))


def _fence(tokens: Tokens, at: int, work: Work, fence: Fence, out: Tokens) -> int:
    one, after = tokens[at], at + 1
    work.shown.add(fence.number)
    if fence.tags.hidden and not work.hidden:
        return after
    said = work.decorate(fence) or Decoration()
    out.append(
        work.opening(
            one,
            class_="fence hidden" if fence.tags.hidden else "fence",
            id=f"fence:{fence.number}",
            role="group",
            aria_label=f"fence {fence.number}",
            data_fence=fence.number,
            data_id=f"{work.page.path}::{fence.number}",
            data_line=fence.line,
            data_state=said.state,
        )
    )
    out.append(work.leaf(_bar(fence, said), one))
    shown = code.block(fence.block.content, fence.block.info.language, fence.code_line)
    out.append(work.leaf(f'<div class="fence-code">{shown}</div>', one))
    if fence.recording is not None:
        start = after
        while start < len(tokens) and _is_comment(tokens[start], work):
            start += 1
        if start < len(tokens) and _opens(tokens[start], fence.recording):
            end = _end(tokens, start, fence.recording)
            if end is not None:
                out += _recording(tokens, start, end, work, fence.recording, "fence-output")
                after = end
    out.append(work.leaf(f'<div class="fence-panel" data-part="panel">{said.panel}</div>', one))
    out.append(work.closing(one))
    return after


def _is_comment(token: Any, work: Work) -> bool:
    """Whether a token shows nothing, and is no block of ours."""
    if token.type != "html_block" or _COMMENTS.fullmatch(token.content) is None:
        return False
    return token.map[0] not in work.recordings and token.map[0] not in work.fences


def _opens(token: Any, recording: Recording) -> bool:
    block = recording.block
    line = block.start if recording.region else block.open
    return bool(token.map and token.map[0] == line and _is_own(token, block))


def _end(tokens: Tokens, at: int, recording: Recording) -> int | None:
    """The index after a recording that begins at ``at``; None where its end is not to be found."""
    if not recording.region:
        return at + 1
    for index in range(at + 1, len(tokens)):
        one = tokens[index]
        if one.level < tokens[at].level:
            return None
        if one.type == "html_block" and one.map[1] >= recording.block.end:
            return index + 1
    return None


def _recording(
    tokens: Tokens, at: int, end: int, work: Work, recording: Recording, kind: str
) -> Iterator[Any]:
    one = tokens[at]
    yield work.opening(
        one, class_=kind, data_output=recording.number, data_line=recording.block.open + 1
    )
    if recording.region:
        out: Tokens = []
        inner = tokens[at + 1 : end - 1]
        index = 0
        while index < len(inner):
            index = _next(inner, index, work, out)
        yield from out
    else:
        language = recording.block.info.language
        language = "" if language.lower() in ("text", "output") else language
        yield work.leaf(code.block(recording.block.content, language, recording.line), one)
    if recording.on:
        yield work.leaf(f'<p class="fence-origin">{_origin(recording.on)}</p>', one)
    yield work.closing(one)


def _origin(on: str) -> str:
    """Where and when, as a reader reads it."""
    return escape(" · ".join(part.replace("torch-", "torch ") for part in on.split("/")))


def _bar(fence: Fence, said: Decoration) -> str:
    tags = "".join(
        f'<span class="fence-tag">{escape(word)}</span>' for word in fence.tags.requires or ()
    )
    hidden = '<span class="fence-tag">hidden</span>' if fence.tags.hidden else ""
    number = fence.number
    return (
        '<div class="fence-bar">'
        f'<a class="fence-number" href="#fence:{number}" title="fence {number}">{number}</a>'
        f'{tags}{hidden}<span class="fence-badge" data-part="badge">{said.badge}</span>'
        f'<span class="fence-actions" data-part="actions">{said.actions}</span></div>'
    )


def _plain(token: Any, file: FileBlock | None) -> str:
    """A code block that does not run."""
    language = token.info.strip().split(None, 1)[0] if token.info.strip() else ""
    if language == "math":  # as GitHub and GitLab show it
        formula = mathml.mathml(token.content, display=True)
        return f'<p data-line="{token.map[0] + 1}">{formula}</p>'
    title = _TITLE.search(token.info)
    name = file.path if file else (title[1] or title[2] or "" if title else "")
    caption = f'<div class="code-name">{escape(name)}</div>' if name else ""
    kind = "code-block file" if file else "code-block"
    shown = code.block(token.content, language.strip("{}."), token.map[0] + 2)
    return f'<div class="{kind}" data-line="{token.map[0] + 1}">{caption}{shown}</div>'
