"""Code with its colours, line by line. The only importer of Pygments.

Classes alone, one style sheet has the colours; each line says where on the page it stands.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import Any

#: Longer texts are shown without colours: a recording may hold megabytes.
MAX_LENGTH = 200_000


def lines(code: str, language: str, first: int) -> str:
    """``code`` as HTML for ``<pre>``: a ``span`` for each line, ``first`` on the page line."""
    coloured = _coloured(code, language.lower())
    found = coloured.removesuffix("\n").split("\n")
    return "".join(
        f'<span class="line" data-line="{number}">{line}\n</span>'
        for number, line in enumerate(found, first)
    )


def block(code: str, language: str, first: int) -> str:
    """The same with its ``<pre>``, which can be scrolled by keyboard too."""
    name = f' data-language="{escape(language)}"' if language else ""
    inner = lines(code, language, first)
    return f'<pre class="code" tabindex="0"{name}><code>{inner}</code></pre>'


@lru_cache(maxsize=4096)
def _coloured(code: str, language: str) -> str:
    lexer = _lexer(language) if language and len(code) <= MAX_LENGTH else None
    if lexer is None:
        return escape(code, quote=False)
    from pygments import format as written  # type: ignore[import-untyped]
    from pygments.formatters.html import HtmlFormatter  # type: ignore[import-untyped]

    tokens = list(lexer.get_tokens(code))
    if "".join(text for _, text in tokens) != code:
        return escape(code, quote=False)  # some lexers drop a text without its last newline
    return str(written(tokens, HtmlFormatter(nowrap=True)))


@lru_cache(maxsize=64)
def _lexer(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
