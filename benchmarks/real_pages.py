"""``python -m benchmarks.real_pages DIR …``: pages that strangers wrote, read and left as they are.

For every Markdown file below each directory: its bytes survive reading, tagging nothing and
recording nothing; its code blocks are those that cmark sees, with the same info strings, contents
and places; and where every block of it that may run is tagged, in each of the three forms, and
recorded, taking the recordings away gives the tagged page back. Prints a table with a row for
each directory, then every page that is an exception. Runs no code of any page.
"""

from __future__ import annotations

import argparse
import html
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cmarkgfm
from cmarkgfm import cmark
from markdown_it.common.utils import unescapeAll

from fencerun.infostring import Carrier
from fencerun.merge import apply
from fencerun.page import Page
from fencerun.reader import parse
from fencerun.splice import NewRecording, SpliceError, encode, splice
from fencerun.tagging.candidates import Candidate, candidates
from fencerun.tagging.writing import Tag, possible, tagged

SUFFIXES = (".md", ".markdown", ".mdx", ".qmd", ".rmd", ".livemd")

CARRIERS: tuple[Carrier, ...] = ("words", "attributes", "comment")

#: What every fence is made to print: it asks for a long delimiter and tempts scanners.
PRINTED = ("first", "```python fence:99", "", "~~~~ <!-- output:1 -->")

#: cmark-gfm.h: everything behind the language goes into an attribute of its own.
_FULL_INFO_STRING = 1 << 16
_OPTIONS = cmark.Options.CMARK_OPT_UNSAFE | cmark.Options.CMARK_OPT_SOURCEPOS | _FULL_INFO_STRING
_PRE = re.compile(
    r'<pre data-sourcepos="(\d+):[^>]*><code(?: class="language-([^"]*)")?'
    r'(?: data-meta="([^"]*)")?>(.*?)</code></pre>',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A code block, fenced or indented, as a parser sees it; ``line`` counts from 1."""

    line: int
    info: str
    content: str


@dataclass(slots=True)
class Row:
    """What was found below one directory."""

    name: str
    counts: Counter[str] = field(default_factory=Counter)
    #: Pages that are an exception: where, and how.
    odd: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        c = self.counts
        identical = f"{c['identical']:,} / {c['pages']:,}"
        agreeing = f"{c['agreeing']:,} / {c['text']:,}"
        retagged = f"{c['restored']:,} / {c['retagged']:,}"
        cells = (self.name, f"{c['bytes'] / 1e6:.2f}", f"{c['blocks']:,}", identical, agreeing)
        return f"| {' | '.join((*cells, retagged))} |"


HEAD = (
    "| pages of | MB | code blocks | bytes kept | as cmark sees them "
    "| recorded and stripped |\n|---|---|---|---|---|---|"
)


def pages(directory: Path) -> Iterator[Path]:
    """The Markdown files below a directory."""
    for where, _, names in sorted(os.walk(directory)):
        yield from (Path(where, n) for n in sorted(names) if n.lower().endswith(SUFFIXES))


def examine(path: Path, row: Row) -> None:
    """One page, counted in ``row``."""
    data, counts = path.read_bytes(), row.counts
    page = parse(data, str(path))
    counts["pages"] += 1
    counts["bytes"] += len(data)
    counts["identical"] += _is_kept(page, data)
    if not _is_kept(page, data):
        row.odd.append(f"{path}:1: its bytes are not kept")
    if any(problem.code == "encoding" for problem in page.problems):
        row.odd.append(f"{path}:{page.problems[0].line}: not read: {page.problems[0].what}")
        return
    counts["text"] += 1
    ours, theirs = list(_ours(page)), list(_theirs(page))
    counts["blocks"] += len(ours)
    if ours == theirs:
        counts["agreeing"] += 1
    else:
        row.odd.append(f"{path}:{_first(ours, theirs)}")
    found, _ = candidates(page)
    for carrier in CARRIERS if found and not page.fences and not page.broken else ():
        counts["retagged"] += 1
        try:
            _restore(page, found, carrier)
        except (SpliceError, AssertionError) as error:
            row.odd.append(f"{path}:1: tagged with {carrier}: {error}")
        else:
            counts["restored"] += 1


def _is_kept(page: Page, data: bytes) -> bool:
    merged, refused = apply(page, page, {})
    return encode(page) == splice(page, {}) == merged == tagged(page, []) == data and not refused


def _ours(page: Page) -> Iterator[Block]:
    for token in page.tokens:
        if token.type in ("fence", "code_block"):
            info = " ".join(unescapeAll(token.info).split()) if token.info else ""
            yield Block(token.map[0] + 1, info, token.content)


def _theirs(page: Page) -> Iterator[Block]:
    text = page.text.replace("\0", "\ufffd")
    if front := _front(page):
        text = "\n" * front + text[page.lines.start[front] :] if front < len(page.lines) else ""
    for line, language, rest, content in _PRE.findall(cmarkgfm.markdown_to_html(text, _OPTIONS)):
        info = " ".join(html.unescape(f"{language} {rest}").split())
        yield Block(int(line), info, html.unescape(content))


def _front(page: Page) -> int:
    """How many lines front matter takes up: as many as the parser was not shown."""
    if not page.text.startswith(("---", "+++")):
        return 0
    mark = page.text[:3]
    for line in range(1, len(page.lines)):
        if page.lines.text(line).rstrip() in (mark, "..." if mark == "---" else mark):
            blank = all(token.map is None or token.map[0] > line for token in page.tokens)
            return line + 1 if blank else 0
    return 0


def _first(ours: Sequence[Block], theirs: Sequence[Block]) -> str:
    """The line of the first difference, and both sides of it."""
    for one, other in zip(ours, theirs, strict=False):
        if one != other:
            return f"{min(one.line, other.line)}: ours {_short(one)}, cmark's {_short(other)}"
    longer, whose = (ours, "ours") if len(ours) > len(theirs) else (theirs, "cmark's")
    extra = longer[min(len(ours), len(theirs))]
    return f"{extra.line}: only {whose} {_short(extra)}"


def _short(block: Block) -> str:
    content = block.content if len(block.content) < 50 else f"{block.content[:50]}…"
    return f"{block.line} `{block.info}` {content!r}"


def _restore(page: Page, found: Sequence[Candidate], carrier: Carrier) -> None:
    """Tag every block that may run, record all, and take the recordings away again."""
    lesson = parse(_tagged(page, found, carrier), page.path)
    assert not lesson.broken, f"tagged, line {lesson.problems[0].line}: {lesson.problems[0].what}"
    numbers = [fence.number for fence in lesson.fences if fence.transcript is None]
    new = NewRecording(PRINTED)
    made = splice(lesson, dict.fromkeys(numbers, new))
    after = parse(made, page.path)
    assert splice(after, dict.fromkeys(numbers, new)) == made, "a second recording changes it"
    recorded = {recording.block.line for recording in after.recordings}
    kept = [(b.info, b.content) for b in _theirs(after) if b.line not in recorded]
    assert kept == [(b.info, b.content) for b in _theirs(lesson)], "cmark sees other code blocks"
    bare = splice(after, dict.fromkeys(numbers))
    assert bare == encode(lesson), "stripped, it is another page"


def _tagged(page: Page, found: Sequence[Candidate], carrier: Carrier) -> bytes:
    """The page with a number on every such block, as `fencerun tag` writes it."""
    tags = [
        Tag(one.block, number, form)
        for number, one in enumerate(found, 1)
        if (form := possible(page, one.block, carrier)) is not None
    ]
    made = tagged(page, tags)
    assert isinstance(made, bytes), f"not tagged, line {made.line}: {made.what}"
    return made


def main() -> int:
    """Exit code 1 where a page lost a byte."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_pages")
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    rows: list[Row] = []
    for directory in arguments.directories:
        row = Row(directory.name)
        for path in pages(directory):
            examine(path, row)
        rows.append(row)
    total = Row("all", sum((row.counts for row in rows), Counter[str]()))
    print("\n".join((HEAD, *map(str, (*rows, total)))))
    print("".join(f"\n{line}" for row in rows for line in row.odd))
    return 0 if total.counts["identical"] == total.counts["pages"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
