"""How a recording is written: its lines, in the container and the carrier of its fence.

Makes whole lines with their endings; does not know where on the page they go (``splice`` does),
nor what a recording should say. An existing recording keeps all that its author gave it: the
language, words of other tools, a longer delimiter, ``~~~``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fencerun.infostring import PROVENANCE, Carrier
from fencerun.page import CodeBlock, Fence, Recording
from fencerun.patterns import later
from fencerun.text import Lines

Provenance = tuple[tuple[str, str], ...]

# A word ends at a blank outside double quotes, as in ``infostring``.
_WORD = later(r'(?:(?<!\\)"(?:[^"\\]|\\.)*"|[^ \t"]|(?<=\\)")+|"[^ \t]*')
_BRACES = later(r"\{([^{}]*)\}[ \t]*\Z")
_COMMENT = later(r"<!--(.*?)-->")
_BARE = later(r'[^ \t"]+\Z')


def prefix(lines: Lines, block: CodeBlock) -> str:
    """What each line of ``block``'s container begins with, as spaces and ``>``.

    Tabs are written as the spaces they stand for: where a container's marker splits a tab, cmark
    and markdown-it disagree on the code. A bare ``>`` gets its optional space, because it would
    take a leading space of the text otherwise.
    """
    return lead_of(lines, block.open, block.end - 1, block.markup)


def lead_of(lines: Lines, first: int, last: int, markup: str) -> str:
    """The same of a block from line ``first`` to ``last``, both of which ``markup`` begins."""
    before = _before(lines.text(first), markup)
    if before.strip(" \t>"):  # opened on the line of a list marker; the closing line is not
        before = _before(lines.text(last), markup)
    before = before.expandtabs(4)
    return before + " " if before.endswith(">") else before


def _before(text: str, markup: str) -> str:
    return text[: text.find(markup[0])]


def region(
    fence: Fence,
    lines: Lines,
    text: tuple[str, ...],
    said: Provenance,
    found: Recording | None,
    *,
    spaced: bool,
) -> Iterator[str]:
    """The lines of a region: the same in all carriers. ``found`` is what stands there now.

    ``spaced`` puts blank lines around its text, without which kramdown does not read a table.
    """
    ending = lines.ending(fence.block.end - 1) or lines.ending(fence.block.open)
    lead, number = prefix(lines, fence.block), str(fence.number)
    tag = f" {' '.join(_words((('output', number), *said), 'comment'))} "
    if (
        found is not None
        and found.region
        and (old := _COMMENT.search(lines.text(found.block.start)))
    ):
        tag = _retag(old[1], "comment", said)
    between = [_put(lead, "") + ending] if spaced else []
    yield f"{lead}<!--{tag}-->{ending}"
    yield from between
    yield from (_put(lead, line) + ending for line in text)
    yield from between
    yield f"{lead}<!-- /output:{number} -->{ending}"


def new(fence: Fence, lines: Lines, text: tuple[str, ...], said: Provenance) -> Iterator[str]:
    """The lines of a first recording, with the ending of its fence's closing line."""
    block = fence.block
    ending = lines.ending(block.end - 1) or lines.ending(block.open)
    lead = prefix(lines, block)
    mark = _delimiter("`", text, 3)
    tag = " ".join(_words((("output", str(fence.number)), *said), fence.carrier))
    if fence.carrier == "comment":
        yield f"{lead}<!-- {tag} -->{ending}"
        yield f"{lead}{mark}text{ending}"
    elif fence.carrier == "attributes":
        yield f"{lead}{mark}text {{{tag}}}{ending}"
    else:
        yield f"{lead}{mark}text {tag}{ending}"
    yield from (_put(lead, line) + ending for line in text)
    yield f"{lead}{mark}{ending}"


def blank(fence: Fence, lines: Lines) -> str:
    """An empty line in the container of ``fence``."""
    ending = lines.ending(fence.block.end - 1) or lines.ending(fence.block.open)
    return _put(prefix(lines, fence.block), "") + ending


def changed(
    recording: Recording, lines: Lines, text: tuple[str, ...], said: Provenance
) -> list[str]:
    """The lines of a recording that is there already, from its comment to its closing line."""
    block = recording.block
    ending, lead = lines.ending(block.open), prefix(lines, block)
    mark = _delimiter(block.markup[0], text, len(block.markup))
    made = [lines.text(k) + lines.ending(k) for k in range(block.start, block.open)]
    head = lines.text(block.open)
    before, info = _before(head, block.markup), head[head.find(block.markup) + len(block.markup) :]
    if not before.strip(" \t>"):
        before = before.expandtabs(4)
    if dict(block.info.provenance) != dict(said):
        if block.info.carrier == "comment":
            made[0] = _COMMENT.sub(lambda m: f"<!--{_retag(m[1], 'comment', said)}-->", made[0], 1)
        else:
            info = _retag_info(info, block.info.carrier, said)
    made.append(before + mark + info + ending)
    if text == recording.text:
        made += [lines.text(k) + lines.ending(k) for k in range(block.open + 1, block.end - 1)]
    else:
        made += [_put(lead, line) + ending for line in text]
    made.append(_closing(lines.text(block.end - 1), mark) + lines.ending(block.end - 1))
    return made


def _closing(text: str, mark: str) -> str:
    """The closing line with a delimiter of at least ``mark``; blanks after it stay."""
    at = text.find(mark[0])
    run = len(text) - at - len(text[at:].lstrip(mark[0]))
    return text[:at].expandtabs(4) + max(mark, text[at : at + run], key=len) + text[at + run :]


def _delimiter(char: str, text: Iterable[str], least: int) -> str:
    """A run of ``char`` that is longer than any in ``text``."""
    runs = re.findall(re.escape(char) + "+", "\n".join(text))
    return char * max(least, 1 + max(map(len, runs), default=0))


def _put(lead: str, line: str) -> str:
    return lead + line if line else lead.rstrip(" ")


def _words(pairs: Iterable[tuple[str, str]], carrier: Carrier) -> Iterator[str]:
    sign = "=" if carrier == "attributes" else ":"
    for name, value in pairs:
        if not _BARE.match(value):
            value = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        yield name + sign + value


def _retag_info(info: str, carrier: Carrier, said: Provenance) -> str:
    if carrier == "attributes" and (match := _BRACES.search(info)):
        tail = info[match.end(1) :]
        return info[: match.start(1)] + _retag(match[1], carrier, said) + tail
    return _retag(info, carrier, said)


def _retag(words: str, carrier: Carrier, said: Provenance) -> str:
    """``words`` with other provenance beside ``output:N``; all else in it stays."""
    sign = "=" if carrier == "attributes" else ":"
    pieces, at = [], 0
    for match in _WORD.finditer(words):
        name, found, _ = match[0].partition(sign)
        if found and name in PROVENANCE:
            pieces.append(words[at : match.start()].rstrip(" \t"))
            at = match.end()
        elif found and name in ("output", "fence"):
            pieces += [words[at : match.end()], *(" " + w for w in _words(said, carrier))]
            at = match.end()
    made = "".join(pieces) + words[at:]
    return made if words[:1] in (" ", "\t") else made.lstrip(" \t")
