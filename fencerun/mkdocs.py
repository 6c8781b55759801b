"""MkDocs' own containers, as a block rule for the Markdown parser. Pure.

Admonitions (``!!! note``, ``??? note``, ``???+ note``) and tabs (``=== "Tab"``) hold what is
indented by four spaces below them, as Python-Markdown's extensions read it. The rule is handed
to markdown-it by ``reader``; nothing is imported from it here.
"""

from __future__ import annotations

from typing import Any

from fencerun.patterns import later

#: How far the content is indented.
INDENT = 4

_OPENER = later(r'(?:!!!|\?\?\?\+?)[ \t]+[\w"].*|===[!+]?[ \t]+"[^"]*"[ \t]*\Z')


def opens(text: str) -> bool:
    """Whether a line, without what it is indented by, opens a container."""
    return text[:1] in ("!", "?", "=") and _OPENER.match(text) is not None


def install(parser: Any) -> None:
    """Make ``parser`` read the containers. They may interrupt a paragraph."""
    alternatives = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "mkdocs", _container, alternatives)


def _container(state: Any, first: int, last: int, silent: bool) -> bool:
    start, end = state.bMarks[first] + state.tShift[first], state.eMarks[first]
    if state.is_code_block(first) or not opens(state.src[start:end]):
        return False
    if silent:
        return True
    until = _until(state, first + 1, last)
    token = state.push("mkdocs_open", "div", 1)
    token.block, token.map, token.info = True, [first, until], state.src[start:end]
    before = state.parentType, state.lineMax, state.blkIndent
    state.parentType, state.lineMax = "mkdocs", until
    state.blkIndent += INDENT
    state.md.block.tokenize(state, first + 1, until)
    state.parentType, state.lineMax, state.blkIndent = before
    state.push("mkdocs_close", "div", -1).block = True
    state.line = until
    return True


def _until(state: Any, line: int, last: int) -> int:
    """The line after the last that is indented far enough; blank lines at the end stay outside."""
    until = line
    while line < last:
        if not state.isEmpty(line):
            if state.sCount[line] < state.blkIndent + INDENT:
                break
            until = line + 1
        line += 1
    return until
