"""What `tag` says: `path:line: …` for each block, a line for each page, one for all. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from fencerun.page import Page
from fencerun.plural import count
from fencerun.tagging.candidates import Left
from fencerun.tagging.renderer import Choice
from fencerun.tagging.rounds import Settled
from fencerun.tagging.writing import Tag

#: So many names are told that a block continues another one for.
_NAMES = 3


def page(
    page: Page, tags: Sequence[Tag], settled: Settled, left: Sequence[Left], previous: bool
) -> Iterator[str]:
    """A line for each block, in page order."""
    lines = [(tag.block.line, f"tagged: {_tag(tag, settled)}") for tag in tags]
    lines += [(one.line, f"left: {_sentence(one.what, one.remedy)}") for one in left]
    if previous:
        what = "set: `continues: previous`, since most blocks need those before them"
        lines.insert(0, (1, what))
    for line, text in sorted(lines, key=lambda item: item[0]):
        yield f"{page.path}:{line}: {text}"


def _tag(tag: Tag, settled: Settled) -> str:
    said = f"{tag.kind} {tag.number}"
    if tag.continues is not None:
        said += f", continues fence {tag.continues}"
        names = settled.links.names.get(tag.block.line, ())
        if names:
            shown = ", ".join(f"`{name}`" for name in names[:_NAMES])
            said += f" for {shown}" + (", …" if len(names) > _NAMES else "")
    if tag.requires:
        needs = next((c.needs for c in settled.kept if c.line == tag.block.line), None)
        said += f", requires {', '.join(tag.requires)}" + (f" for `{needs}`" if needs else "")
    if tag.echo:
        said += ", echo for its last value"
    if tag.kind == "fence" and (why := settled.idle.get(tag.block.line)):
        said += f"; not tried here: {why}"
    return said


def _sentence(what: str, remedy: str) -> str:
    stop = "" if what.endswith((".", "!", "?")) else "."
    return f"{what}{stop} {remedy[:1].upper()}{remedy[1:]}" if remedy else what


def summary(path: str, tagged: int, left: int, choice: Choice, dry_run: bool) -> str:
    """The line on one page."""
    said = f"{path}: {tagged} {'to be tagged' if dry_run else 'tagged'}, {left} left"
    if tagged and choice.why:
        said += f" (tags as {_FORMS[choice.carrier]}, for {choice.why})"
    return said


_FORMS = {"words": "words", "attributes": "attributes in braces", "comment": "comments"}


def difference(path: str, old: bytes, new: bytes) -> Iterator[str]:
    """A unified diff, without line endings."""
    before, after = (_lines(data) for data in (old, new))
    yield from difflib.unified_diff(before, after, path, path, n=1, lineterm="")


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def total(pages: int, said: str, refused: int) -> str:
    """The last line. ``refused`` are pages that have a problem."""
    problems = f", {count(refused, 'page')} with a problem" if refused else ""
    return f"{count(pages, 'page')}: {said}{problems}"


def counted(tagged: int, left: int, dry_run: bool, unwritten: int) -> str:
    """What came of the code blocks of all pages, but of the ``unwritten``, of which nothing did."""
    if not (tagged or left or unwritten):
        return "nothing to tag"
    said = f"{count(tagged, 'code block')} {'to be tagged' if dry_run else 'tagged'}, {left} left"
    return said + (f", {count(unwritten, 'page')} not written" if unwritten else "")
