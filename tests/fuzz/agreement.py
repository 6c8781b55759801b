"""Any bytes as a page: where it has no problem, cmark sees the same fences and recordings."""

from __future__ import annotations

import html
import re

import cmarkgfm
from cmarkgfm import cmark

from fencerun.page import Page
from fencerun.reader import parse

_OPTIONS = cmark.Options.CMARK_OPT_UNSAFE | cmark.Options.CMARK_OPT_SOURCEPOS
_PRE = re.compile(r'<pre data-sourcepos="(\d+):[^>]*><code[^>]*>(.*?)</code></pre>', re.DOTALL)


def check(data: bytes) -> None:
    """Raises AssertionError where a block is another one to cmark, and nobody is warned."""
    page = parse(data, "page.md", "commonmark")
    blocks = [fence.block for fence in page.fences if not fence.tags.hidden]
    blocks += [recording.block for recording in page.recordings if not recording.region]
    if page.broken or page.syntax != "commonmark" or not blocks:
        return
    seen = set(_blocks(page))
    for block in blocks:
        assert (block.line, block.content) in seen, f"line {block.line} differs"


def _blocks(page: Page) -> list[tuple[int, str]]:
    """The lines and contents of what cmark takes for code blocks."""
    rendered = cmarkgfm.markdown_to_html(_body(page), _OPTIONS)
    return [(int(line), html.unescape(code)) for line, code in _PRE.findall(rendered)]


def _body(page: Page) -> str:
    """The page with its front matter blanked out; cmark, too, reads NUL as U+FFFD."""
    shown = [token.map[0] for token in page.tokens if token.map]
    front = min(shown, default=0) if page.text.startswith(("---", "+++")) else 0
    return "\n" * front + page.text[page.lines.start[front] if front else 0 :]
