"""A page to HTML: parsed in full, arranged, written, sanitised.

With ``reader``, the only importer of markdown_it. What is a fence was decided there, on block
structure alone; here the blocks are met again by their lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import Any

from fencerun import frontmatter, mkdocs
from fencerun.gathering import DEPTH
from fencerun.page import Fence, Page
from fencerun.patterns import later
from fencerun.rendering import addresses, blocks, containers, headings, mathml, mathrules, sanitise
from fencerun.rendering.rendered import Decoration, Rendered
from fencerun.rendering.work import Tokens, Work, work

_BINDING = later(r"\s*([1-9][0-9]{0,5}):(.+)", re.DOTALL)
_TITLE = later(r"""title[ \t]*[:=][ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\n#]*))""")
_SURROGATES = later(r"[\ud800-\udfff]")
#: Hebrew, Arabic, and what else runs from the right.
_FROM_THE_RIGHT = later(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_PROSE = ("paragraph_open", "heading_open", "th_open", "td_open")
_AROUND = ("bullet_list", "ordered_list", "blockquote")

#: What the caller makes of links and images, and knows of images' sizes.
_Callers = tuple[
    Callable[[str], str], Callable[[str], str], Callable[[str], tuple[int, int] | None]
]


def render(
    page: Page,
    *,
    decorate: Callable[[Fence], Decoration | None],
    link: Callable[[str], str],
    image: Callable[[str], str],
    size: Callable[[str], tuple[int, int] | None],
    hidden: bool,
) -> Rendered:
    """See `fencerun.rendering.render`."""
    front = _front(page)
    title = _title(page, front)
    try:
        for extended in (True, False):
            doing = work(page, decorate, hidden)
            rendered = _rendered(doing, front, title, (link, image, size), extended)
            # What is no CommonMark may read a fence as something else; then it has to go.
            if len(doing.shown) == len(page.fences):
                break
    except RecursionError:
        source = escape(_SURROGATES.sub("\ufffd", page.text), quote=False)
        return Rendered(f'<pre class="code"><code>{source}</code></pre>', title)
    return rendered


def _rendered(
    doing: Work,
    front: int,
    title: str,
    callers: _Callers,
    extended: bool,
) -> Rendered:
    link, image, size = callers
    parser = _parser(doing.page.syntax == "mkdocs", extended)
    fenced = {k for t in doing.page.tokens if t.type == "fence" for k in range(*t.map)}
    env: dict[str, Any] = {"work": doing, "fenced": fenced}
    tokens = parser.parse(_source(doing.page, front), env)

    def safe(html: str) -> str:
        return doing.slots.fill(sanitise.whole(html, doing.slots.holds, link, image))

    def inline(children: Tokens) -> str:
        return safe(parser.renderer.renderInline(children, parser.options, env))

    addresses.linked(tokens)
    found = headings.anchored(tokens, doing, inline)
    tokens = blocks.arranged(containers.arranged(tokens, doing), doing)
    _number(tokens)
    if _FROM_THE_RIGHT.search(doing.page.text):
        _direct(tokens)
    _measure(tokens, size)
    body = safe(parser.renderer.render(tokens, parser.options, env))
    first = next((one.text for one in found if one.level == 1), found[0].text if found else "")
    return Rendered(body, title or first, tuple(found))


def _front(page: Page) -> int:
    """How many lines of front matter the page begins with."""
    return frontmatter.read(page.lines, page.path)[0] if page.text[:1] in ("-", "+") else 0


def _source(page: Page, front: int) -> str:
    """What the parser gets; as in ``reader``, lines stay where they are."""
    text = _SURROGATES.sub("\ufffd", page.text)
    if front:
        text = "\n" * front + text[page.lines.end[front - 1] :]
    return text if not text or text[-1] in "\r\n" else text + "\n"


def _title(page: Page, front: int) -> str:
    for line in range(1, front - 1):
        if match := _TITLE.match(page.lines.text(line)):
            return str(match[1] or match[2] or match[3] or "").strip()
    return ""


def _measure(tokens: Tokens, size: Callable[[str], tuple[int, int] | None]) -> None:
    """Images whose size is known say it."""
    for one in tokens:
        if one.type == "image" and (known := size(str(one.attrs.get("src", "")))):
            one.attrSet("width", str(known[0]))
            one.attrSet("height", str(known[1]))
        if one.children:
            _measure(one.children, size)


def _number(tokens: Tokens) -> None:
    """Blocks say on which page line they stand, tables scroll, cells are aligned by attribute."""
    for one in tokens:
        if one.map and one.nesting >= 0 and one.tag:
            one.attrSet("data-line", str(one.map[0] + 1))
        # A policy that forbids inline styles would forbid this one.
        style = one.attrs.pop("style", None)
        if isinstance(style, str) and style.startswith("text-align:"):
            one.attrSet("align", style.removeprefix("text-align:"))


def _direct(tokens: Tokens) -> None:
    """Prose runs from where its first letter does; in a list or a quote, all as the first."""
    inside = 0
    for one in tokens:
        around = one.type.startswith(_AROUND)
        if not inside and one.nesting > 0 and (around or one.type in _PROSE):
            one.attrSet("dir", "auto")
        inside += one.nesting if around else 0


@lru_cache(maxsize=4)
def _parser(with_mkdocs: bool, extended: bool) -> Any:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"maxNesting": DEPTH}).enable("strikethrough")
    if extended:
        parser.enable("table")
        parser.use(footnote_plugin, inline=False)
        mathrules.install(parser)
    if with_mkdocs:
        mkdocs.install(parser)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _raw(renderer: Any, tokens: Tokens, at: int, options: Any, env: Any) -> str:
    doing: Work = env["work"]

    def special(name: str, attributes: dict[str, str]) -> str | None:
        """A value in prose, marked as one."""
        binding = _BINDING.fullmatch(attributes.get("data-fence", "")) if name == "span" else None
        if binding is None:
            return None
        value = escape(f"{binding[1]}:{binding[2].strip()}")
        shown = escape(f"fence {binding[1]}: {binding[2].strip()}")
        said = f'class="value" data-value="{value}" title="{shown}"'
        return doing.slots.opening(said, "span")

    return sanitise.piece(tokens[at].content, special)


def _slot(renderer: Any, tokens: Tokens, at: int, options: Any, env: Any) -> str:
    return f"{tokens[at].content}\n" if tokens[at].block else str(tokens[at].content)


def _math(renderer: Any, tokens: Tokens, at: int, options: Any, env: Any) -> str:
    one = tokens[at]
    doing: Work = env["work"]
    leaf = doing.slots.leaf(mathml.mathml(one.content, one.meta["display"]), "span")
    if one.type == "math":
        return leaf
    return f'<p data-line="{one.map[0] + 1}">{leaf}</p>\n'


def _table_open(renderer: Any, tokens: Tokens, at: int, options: Any, env: Any) -> str:
    doing: Work = env["work"]
    frame = doing.slots.opening('class="table" tabindex="0" role="region" aria-label="table"')
    return f"{frame}{renderer.renderToken(tokens, at, options, env)}"


def _table_close(renderer: Any, tokens: Tokens, at: int, options: Any, env: Any) -> str:
    return f"{renderer.renderToken(tokens, at, options, env)}</div>\n"


def _notes_open(renderer: Any, tokens: Tokens, at: int, options: Any, env: Any) -> str:
    doing: Work = env["work"]
    return doing.slots.opening('class="footnotes"', "section") + "<ol>\n"


def _notes_close(renderer: Any, tokens: Tokens, at: int, options: Any, env: Any) -> str:
    return "</ol></section>\n"


_RULES = {
    "html_block": _raw,
    "html_inline": _raw,
    "slot": _slot,
    "math": _math,
    "math_block": _math,
    "table_open": _table_open,
    "table_close": _table_close,
    "footnote_block_open": _notes_open,
    "footnote_block_close": _notes_close,
}
