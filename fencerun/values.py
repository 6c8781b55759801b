"""Values in prose: ``<span data-fence="2:raw.graph_count">4</span>``, found and rewritten. Pure.

A value's text is what an expression came to in the namespace as a fence left it. Found in prose
and raw HTML, outside code spans and comments; everything else on the page is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fencerun.frozen import dataclass
from fencerun.patterns import later
from fencerun.tags import TagError, Tolerance, read
from fencerun.text import Lines

#: What may stand in an HTML tag behind its name (CommonMark 0.31 §6.6).
ATTRIBUTES = r"""(?:\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*"""
_TAG = later(rf"<([A-Za-z][\w-]*)({ATTRIBUTES})\s*(/?)>")
#: What should be a tag with a binding, whatever else is wrong with it.
_MEANT = later(r"<[A-Za-z][^<>]*\sdata-fence(?![\w-])")
_TEXT = later(r"([^<\r\n]*)(</span>)?")
_ATTRIBUTE = later(
    r"""(?<![\w:.-])([A-Za-z_:][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))"""
)
_RIGHT = 'write `<span data-fence="2:expression"></span>`'
_BINDING = later(r"([1-9][0-9]{0,5}):(.+)", re.DOTALL)
# What Markdown would take for more than text. In raw HTML it takes nothing for more. A backtick
# and a pipe count even behind a backslash: for scanners of code spans, and for table cells.
_MARKDOWN = later(r"[\\*_~$]")
_LINKS = later(r"\][\[(:]|\[\^")
_ESCAPED = later(
    r"\\([!-/:-@\[-`{-~])|(&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][0-9A-Za-z]*);)"
)
_CONTROL = later(r"[\x00-\x1f\x7f-\x9f]")


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
        if self.raw_html:
            return _unescape(self.text)
        return _ESCAPED.sub(lambda match: match[1] or _unescape(match[2]), self.text)


def _unescape(text: str) -> str:
    from html import unescape  # slow to import, and few pages have values

    return unescape(text)


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
    from fencerun.prose import without_code, without_comments  # few pages have values

    # Blanked out at the same length, so that offsets stay.
    prose = without_comments(text) if raw else without_code(text)
    tags = {match.start(): match for match in _TAG.finditer(prose)}
    meant = {match.start() for match in _MEANT.finditer(prose)}
    for at in sorted({*tags, *meant}):
        tag = tags.get(at)
        line = lines.number_at(start + at) + 1
        if tag is None:
            yield Misbound(line, "a tag with `data-fence` does not parse", _RIGHT)
            continue
        attributes = _ATTRIBUTE.findall(tag[2])[::-1]  # of two with one name, the first counts
        said = {name.lower(): a or b or c for name, a, b, c in attributes}
        if at not in meant and "data-fence" not in said:
            continue
        if tag[1] != "span" or tag[3]:
            yield Misbound(line, f"`<{tag[1]}{tag[3]}>` takes no value of a fence", _RIGHT)
            continue
        inner = _TEXT.match(prose, tag.end())
        if inner is None or not inner[2]:
            yield Misbound(line, "a value holds markup or is not closed", "close it with `</span>`")
            continue
        line = lines.number_at(start + tag.end()) + 1
        yield _value(said, text[inner.start(1) : inner.end(1)], start + tag.end(), line, raw)


def _value(said: dict[str, str], text: str, offset: int, line: int, raw: bool) -> Value | Misbound:
    bound = _unescape(said.get("data-fence", ""))
    binding = _BINDING.fullmatch(bound)
    if binding is None:
        what = f"`data-fence={bound!r}` names no fence and expression"
        return Misbound(line, what, _RIGHT)
    try:
        rtol = read("rtol", said["data-rtol"])["rtol"] if "data-rtol" in said else None
    except TagError as error:
        what = error.args[0].replace("`rtol` ", "", 1)
        return Misbound(line, f"`data-rtol`: {what}", 'write `data-rtol="1e-3"`, say')
    spec = _unescape(said["data-format"]) if "data-format" in said else None
    end = offset + len(text)
    number, expression = int(binding[1]), binding[2].strip()
    return Value(number, expression, spec, rtol, text, offset, end, line, raw)


def one_line(text: str) -> str:
    """``text`` as a value shows it: in one line, and without what no page can hold."""
    line = " ".join(text.split()).encode("utf-8", "backslashreplace").decode("utf-8")
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", line)


def escape(text: str, raw_html: bool) -> str:
    """``text`` as it must stand on the page to be read as itself, in one line."""
    from html import escape as escaped  # as slow to import

    line = escaped(one_line(text), quote=False)
    if raw_html:
        return line
    links = _LINKS.search(line) or _unpaired(line)
    line = _MARKDOWN.sub(r"\\\g<0>", line)
    for sign in "`|[]" if links else "`|":
        line = line.replace(sign, f"&#{ord(sign)};")
    return line


def _unpaired(line: str) -> bool:
    """Whether a bracket has no other one: it would pair with one of the prose around it."""
    depth = 0
    for letter in line:
        depth += (letter == "[") - (letter == "]")
        if depth < 0:
            return True
    return depth > 0


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
