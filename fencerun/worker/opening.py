"""Code that opens a page as Python finds the chain's script, not Markdown.

Most tools ask ``linecache`` for source, which knows. Some open the file that a code object names:
``torch._dynamo.funcname_cache`` tokenizes the whole page, and an unevenly indented recording in it
then fails an unrelated ``torch.compile`` with an IndentationError (torch 2.8 to 2.13 catch only
OSError and TokenError). They go through ``tokenize.open``.
"""

from __future__ import annotations

import io
import linecache
import tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import Any, TextIO


class Opening:
    """``tokenize.open``, with the pages' virtual files."""

    def __init__(self, pages: Container[str]) -> None:
        self._pages = pages
        self._original: Any = None

    def install(self) -> None:
        """Put it in the place of ``tokenize.open``."""
        self._original = tokenize.open
        tokenize.open = self._open

    def remove(self) -> None:
        """Put the original back."""
        tokenize.open = self._original

    def _open(self, filename: Any) -> TextIO:
        if filename in self._pages and filename in linecache.cache:
            return io.StringIO("".join(linecache.getlines(filename)))
        opened: TextIO = self._original(filename)
        return opened
