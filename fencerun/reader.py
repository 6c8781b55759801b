"""Reading a page: bytes in, a frozen `Page` out.

The only importer of markdown_it. It reads block structure alone, which on the CommonMark
examples and on 8,080 real pages gives the same code blocks as a full parse and costs a third.
A page's faults are Problems, all of them at once; reading never raises. It does not know what
tags do, which fences run, or what recordings should say.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any, Protocol

from fencerun import frontmatter, lint, mkdocs, regions
from fencerun.assembly import Assembly
from fencerun.events import Problem
from fencerun.gathering import DEPTH, Gatherer
from fencerun.page import Page
from fencerun.text import Lines, split_lines


class Kept(Protocol):
    """Tokens of pages that were read before."""

    def tokens(self, path: str, syntax: str, data: bytes) -> Sequence[Any] | None:
        """What the parser would make of this very page, if that is known."""
        ...

    def keep(self, path: str, syntax: str, data: bytes, tokens: list[Any]) -> None:
        """Remember what the parser made of it."""
        ...


def parse(
    data: bytes,
    path: str = "<page>",
    syntax: frontmatter.Syntax | None = None,
    kept: Kept | None = None,
) -> Page:
    """The page in ``data``. ``path`` is what messages and tracebacks call it.

    ``syntax`` is how to read it where it does not say so itself. With ``kept`` the page's tokens
    are no more than checking needs: not enough to write it.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "surrogateescape")  # so that its bytes are not lost
        fault = lint.not_utf8(data, path, error)
        return Page(path, text, lines=split_lines(text), problems=(fault,))
    bom = text.startswith("\ufeff")
    text = text[bom:]  # markdown-it would take it for text; cmark skips it, as Markdown should
    lines = split_lines(text)
    front, settings, problems = frontmatter.read(lines, path)
    chosen = (settings.syntax if settings else None) or syntax or "commonmark"
    tokens_of = partial(_tokens, path, data, _source(text, lines, front), kept)
    try:
        tokens = tokens_of(chosen)
        found = Gatherer(path, lines, tokens, list(problems), syntax=chosen)
        if settings is None:
            settings = found.top_comment()
            if settings.syntax is not None and settings.syntax != chosen:
                found.syntax = settings.syntax
                found.tokens = tokens_of(found.syntax)
    except RecursionError:
        problem = Problem(path, 1, "nesting", "nested too deeply", "flatten the quotes and lists")
        return Page(path, text, bom, lines, problems=(*problems, problem))
    found.read()
    return Assembly(found).page(text, bom, settings)


def _tokens(
    path: str, data: bytes, source: str, kept: Kept | None, syntax: frontmatter.Syntax
) -> Sequence[Any]:
    known = kept.tokens(path, syntax, data) if kept is not None else None
    if known is not None:
        return known
    tokens: list[Any] = _parser(syntax).parse(source)
    if kept is not None:
        kept.keep(path, syntax, data, tokens)
    return tokens


@cache
def _parser(syntax: frontmatter.Syntax = "commonmark") -> Any:
    from markdown_it import MarkdownIt

    # The preset's limit of 20 makes deeper fences vanish silently; a list is two levels.
    parser = MarkdownIt("commonmark", {"maxNesting": DEPTH})
    parser.core.ruler.enableOnly(["normalize", "block"])
    if syntax == "mkdocs":
        mkdocs.install(parser)
    return parser


def unfit(text: Sequence[str]) -> str | None:
    """Why these lines of Markdown cannot stand in a region; None if they can."""
    source = "".join(line + "\n" for line in text)
    return regions.unfit(text, _parser().parse(source + "\n<!-- /output:1 -->\n"))


def _source(text: str, lines: Lines, front: int) -> str:
    """What the parser gets: front matter blanked out, and always a final line ending.

    markdown-it-py 4.3 raises IndexError on ``> - <script>\\n>`` without one, and does not count
    a last line of blanks. Line numbers stay as they are.
    """
    if front:
        text = "\n" * front + text[lines.end[front - 1] :]
    return text if not text or text[-1] in "\r\n" else text + "\n"
