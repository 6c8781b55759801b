"""Values in prose: ``<span data-fence="2:raw.graph_count">4</span>``, found and rewritten. Pure.

A value's text is what an expression came to in the namespace as a fence left it. Found in prose
and raw HTML, outside code spans and comments; everything else on the page is left as it is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fencerun.frozen import dataclass
from fencerun.patterns import later
from fencerun.tags import TagError, Tolerance, read
from fencerun.text import Lines

_ATTRIBUTES = r"""(?:\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*"""
_SPAN = later(rf"<span({_ATTRIBUTES})\s*>([^<\r\n]*)(</span>)?")
_ATTRIBUTE = later(r"""([A-Za-z_:][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))""")
_CODE_OR_COMMENT = later(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|<!--.*?-->", re.DOTALL)
_BINDING = later(r"([1-9][0-9]{0,5}):(.+)", re.DOTALL)
#: What Markdown would take for more than text. In raw HTML it takes nothing for more.
_MARKDOWN = later(r"([\\`*_|~$])")
_ESCAPED = later(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class Value:
    """A span bound to a fence. ``start`` and ``end`` are the offsets of its text on the page.

    ``line`` counts from 1. ``spec`` is a format specification, or None for ``str``.
    """

    fence: int
    expression: str
    spec: str | None
    rtol: Tolerance | None
    text: str
    start: int
    end: int
    line: int
    raw_html: bool

    @property
    def shown(self) -> str:
        """Its text as a reader sees it."""
        return html.unescape(self.text if self.raw_html else _ESCAPED.sub(r"\1", self.text))


@dataclass(frozen=True, slots=True)
class Misbound:
    """A span that means to be a value and is none."""

    line: int
    what: str
    remedy: str


def find(lines: Lines, tokens: Sequence[Any]) -> tuple[tuple[Value, ...], tuple[Misbound, ...]]:
    """The values on a page, in order, and what is wrong with those that are none."""
    values: list[Value] = []
    faults: list[Misbound] = []
    if "data-fence" in lines.source:
        for token in tokens:
            if token.type not in ("inline", "html_block") or "data-fence" not in token.content:
                continue
            raw = token.type == "html_block"
            for found in _in_block(lines, token.map, raw):
                if isinstance(found, Value):
                    values.append(found)
                else:
                    faults.append(found)
    return tuple(values), tuple(faults)


def _in_block(lines: Lines, span: Sequence[int], raw: bool) -> Iterator[Value | Misbound]:
    start, end = lines.start[span[0]], lines.end[min(span[1], len(lines)) - 1]
    text = lines.source[start:end]
    # Blanked out at the same length, so that offsets stay.
    pattern = re.compile(r"<!--.*?-->", re.DOTALL) if raw else _CODE_OR_COMMENT
    prose = pattern.sub(lambda match: " " * len(match[0]), text)
    for match in _SPAN.finditer(prose):
        said = {name.lower(): a or b or c for name, a, b, c in _ATTRIBUTE.findall(match[1])}
        if "data-fence" not in said:
            continue
        offset = start + match.start(2)
        yield _value(said, match, offset, lines.number_at(offset) + 1, raw)


def _value(
    said: dict[str, str], match: re.Match[str], offset: int, line: int, raw: bool
) -> Value | Misbound:
    bound = html.unescape(said["data-fence"])
    binding = _BINDING.fullmatch(bound)
    if binding is None:
        what = f"`data-fence={bound!r}` names no fence and expression"
        return Misbound(line, what, 'write `data-fence="2:expression"`')
    if match[3] is None:
        return Misbound(line, "a value holds markup or is not closed", "close it with `</span>`")
    try:
        rtol = read("rtol", said["data-rtol"])["rtol"] if "data-rtol" in said else None
    except TagError as error:
        return Misbound(line, f"`data-rtol`: {error.args[0]}", error.args[1])
    spec = html.unescape(said["data-format"]) if "data-format" in said else None
    end = offset + len(match[2])
    number, expression = int(binding[1]), binding[2].strip()
    return Value(number, expression, spec, rtol, match[2], offset, end, line, raw)


def escape(text: str, raw_html: bool) -> str:
    """``text`` as it must stand on the page to be read as itself, in one line."""
    line = " ".join(text.split())
    line = html.escape(line, quote=False)
    return line if raw_html else _MARKDOWN.sub(r"\\\1", line)


def write(source: str, new: Iterable[tuple[Value, str]]) -> str:
    """``source`` with each value's text replaced by what its expression came to."""
    parts, at = [], 0
    for value, text in sorted(new, key=lambda pair: pair[0].start):
        parts += [source[at : value.start], escape(text, value.raw_html)]
        at = value.end
    return "".join((*parts, source[at:]))


def without_texts(source: str, values: Iterable[Value]) -> str:
    """``source`` with all values empty: what must be the same before and after writing."""
    parts, at = [], 0
    for value in values:
        parts.append(source[at : value.start])
        at = value.end
    return "".join((*parts, source[at:]))
