"""Figures on a page: what they are called, and the region that shows them. Pure.

A fence tagged ``figure:loss.svg`` has the region of what it printed, as a code block, and an image
for each figure. Knows nothing of what is in a figure's file (``svg`` does) or where it lies.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence

from fencerun import tables
from fencerun.frozen import dataclass
from fencerun.page import Fence
from fencerun.patterns import later
from fencerun.tags import Tags

#: The directory beside a page in which its figures lie.
DIRECTORY = "figures"

_IMAGE = later(
    r"!\[(?:[^\\\[\]]|\\.|\[[^\[\]]*\])*\]\((figures/[A-Za-z0-9_.-]+\.svg)(?:[ \t][^)]*)?\).*"
)
_FENCE = later(r" {0,3}(`{3,}|~{3,})")
_MARK = re.compile(rb"<!-- fencerun: ([^\s<>]+) -->\s*\Z")
_TAG = re.compile(rb"figure[:=]\"?([A-Za-z0-9_.-]+\.svg)")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: its path from the page's directory, with ``/``, and its SVG text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """What a region of figures shows.

    ``text`` are the lines printed, ``head`` and ``foot`` the delimiters around them as they stand
    there. ``images`` are the lines of images by path, with the alt text that their author wrote.
    ``other`` says that the region holds more than these.
    """

    text: tuple[str, ...] = ()
    head: str = ""
    foot: str = ""
    images: tuple[tuple[str, str], ...] = ()
    other: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of its figures."""
        return tuple(path for path, _ in self.images)


def named(name: str, texts: Sequence[str]) -> tuple[Figure, ...]:
    """The figures that ``figure:name`` drew: one has that name, several are numbered."""
    stem = name.removesuffix(".svg")
    if len(texts) == 1:
        return (Figure(f"{DIRECTORY}/{name}", texts[0]),)
    return tuple(
        Figure(f"{DIRECTORY}/{stem}-{number}.svg", text) for number, text in enumerate(texts, 1)
    )


def clashes(fences: Iterable[Fence]) -> Iterator[tuple[Fence, str, Fence]]:
    """Fences whose figures another one before them may write over: which, why, and that one."""
    named: list[tuple[str, Fence]] = []
    for fence in fences:
        name = fence.tags.figure
        if name is None:
            continue
        for other, before in named:
            if is_of(f"{DIRECTORY}/{name}", other) or is_of(f"{DIRECTORY}/{other}", name):
                how = "stands twice" if name == other else f"may name a figure of figure:{other}"
                yield fence, f"figure:{name} {how}", before
                break
        named.append((name, fence))


def is_of(path: str, name: str) -> bool:
    """Whether ``path`` could be a figure of ``figure:name``."""
    stem = re.escape(name.removesuffix(".svg"))
    return re.fullmatch(rf"{DIRECTORY}/{stem}(?:-[1-9][0-9]*)?\.svg", path, re.I) is not None


def mark(page: str) -> str:
    """The last line of a file that was drawn for the page of this name."""
    from urllib.parse import quote

    name = quote(page.encode(sys.getfilesystemencoding(), "surrogateescape"), safe="")
    # Two hyphens may not stand in a comment of XML.
    return f"<!-- fencerun: {name.replace('-', '%2D')} -->\n"


def owner(data: bytes) -> str | None:
    """The name of the page that a file was drawn for; None for a file that is not ours."""
    from urllib.parse import unquote_to_bytes

    match = _MARK.search(data[-1024:])
    name = unquote_to_bytes(match[1]) if match else b"/"
    return None if b"/" in name else name.decode(sys.getfilesystemencoding(), "surrogateescape")


def claims(page: bytes, path: str) -> bool:
    """Whether a page of this text shows the figure at ``path``, or has a fence that draws it."""
    if path.encode() in page:
        return True
    return any(is_of(path, match[1].decode()) for match in _TAG.finditer(page))


def read(lines: Sequence[str]) -> Shown:
    """What the lines of a region show."""
    text: tuple[str, ...] = ()
    head = foot = ""
    rest = list(lines)
    opening = _FENCE.match(rest[0]) if rest else None
    if opening is not None:
        end = next((k for k in range(1, len(rest)) if _closes(rest[k], opening[1])), len(rest) - 1)
        head, text, foot = rest[0], tuple(rest[1:end]), rest[end]
        rest = rest[end + 1 :]
    found = [(match, line) for line in rest if (match := _IMAGE.fullmatch(line))]
    other = any(line and not _IMAGE.fullmatch(line) for line in rest)
    return Shown(text, head, foot, tuple((match[1], line) for match, line in found), other)


def _closes(line: str, delimiter: str) -> bool:
    run = line.strip(" ")
    return len(run) >= len(delimiter) and not run.strip(delimiter[0])


def write(text: Sequence[str], paths: Iterable[str], before: Shown) -> tuple[str, ...]:
    """The lines of a region with this text and these figures.

    What ``before`` has of them stays as it is: images, and the block where it holds the text.
    """
    kept = dict(before.images)
    made: list[str] = []
    if text:
        runs = [len(run) for line in text for run in re.findall("`+", line)]
        mark = "`" * max(3, 1 + max(runs, default=0))
        head, foot = f"{mark}text", mark
        if before.head and tuple(text) == before.text:
            head, foot = before.head, before.foot
        made += [head, *text, foot]
    for path in paths:
        alt = path.removeprefix(f"{DIRECTORY}/").removesuffix(".svg")
        made += [*([""] if made else []), kept.get(path, f"![{alt}]({path})")]
    return tuple(made)


def essence(tags: Tags, lines: Sequence[str]) -> tuple[str, ...]:
    """What a key covers of recorded lines: all but what authors and formatters may change."""
    if tags.as_:
        return tables.normal(lines)
    if not tags.figure:
        return tuple(lines)
    shown = read(lines)
    return (*shown.text, *(f"\0{path}" for path in shown.paths))
