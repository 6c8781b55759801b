"""Tags onto a page: its text with the info strings changed and nothing else, or a refusal. Pure.

Every result is read again and compared with the page that it was made of. Knows nothing of disks,
and nothing of how the tags were found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from fencerun.events import Problem
from fencerun.frozen import dataclass
from fencerun.infostring import Carrier
from fencerun.page import CodeBlock, Page
from fencerun.patterns import later
from fencerun.reader import parse
from fencerun.tagging.setting import SETTING, Edit, setting

_BRACES = later(r"\{[^{}]*\}[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class Tag:
    """What an info string is to say from now on. ``continues`` is a fence's number."""

    block: CodeBlock
    number: int
    carrier: Carrier
    kind: Literal["fence", "output"] = "fence"
    continues: int | None = None
    requires: tuple[str, ...] = ()
    echo: bool = False

    def words(self, sign: str) -> str:
        """The tags, with ``sign`` between name and value."""
        said = [f"{self.kind}{sign}{self.number}"]
        said += [f"continues{sign}{self.continues}"] if self.continues else []
        said += [f"requires{sign}{','.join(self.requires)}"] if self.requires else []
        said += ["echo=yes" if sign == "=" else "echo"] if self.echo else []
        return " ".join(said)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a tag, or all of them (``line`` is that of a problem then), cannot be written."""

    line: int
    what: str
    remedy: str = ""
    tag: Tag | None = None
    code: str = "tag"

    def problem(self, path: str) -> Problem:
        """What the page at ``path`` would have, were it tagged."""
        return Problem(path, self.line, self.code, self.what, self.remedy)


def possible(page: Page, block: CodeBlock, wished: Carrier) -> Carrier | None:
    """The form that ``block`` can take, as near as can be to ``wished``; None where there is none.

    Words and braces on one line are no code block to MkDocs, so a block that has words of other
    tools gets a comment there.
    """
    head, info = _opening(page, block)
    rest = info[len(block.info.language) :].strip(" \t")
    if wished == "attributes" and rest and not (rest[:1] == "{" and _BRACES.match(rest)):
        wished = "comment"
    if wished == "comment" and head.strip(" \t>"):
        return None  # it begins on the line of its list marker
    return wished


def settable(page: Page) -> bool:
    """Whether ``continues: previous`` can be set for the page in one line."""
    return not isinstance(tagged(page, (), True), Refusal)


def tagged(page: Page, tags: Sequence[Tag], previous: bool = False) -> bytes | Refusal:
    """The page's bytes with ``tags``, and the setting where ``previous`` asks for it."""
    edits = [_edit(page, tag) for tag in tags]
    where = setting(page) if previous else None
    if previous and where is None:
        return Refusal(1, f"`{SETTING}` cannot be set here", "set it by hand")
    made = _joined(page, [*([where] if where else []), *edits])
    after = parse(made, page.path, page.syntax)
    return _fault(page, after, tags, previous) or made


def _opening(page: Page, block: CodeBlock) -> tuple[str, str]:
    """What stands before and behind the delimiter on the opening line."""
    line = page.lines.text(block.open)
    at = line.find(block.markup)
    return line[:at], line[at + len(block.markup) :].strip(" \t")


def _edit(page: Page, tag: Tag) -> Edit:
    line, ending = page.lines.text(tag.block.open), page.lines.ending(tag.block.open)
    if tag.carrier == "comment":
        head = line[: line.find(tag.block.markup)]
        return Edit(tag.block.open, f"{head}<!-- {tag.words(':')} -->{ending}")
    after = line.find(tag.block.markup) + len(tag.block.markup)
    rest = line[after:]
    end = after + len(rest) - len(rest.lstrip(" \t")) + len(tag.block.info.language)
    if tag.carrier == "words":
        said = f"{'' if tag.block.info.language else 'text'} {tag.words(':')}"
    elif _BRACES.search(line, end):
        end = line.rfind("}")
        said = f"{'' if line[end - 1] in '{ ' else ' '}{tag.words('=')}"
    else:
        said = f"{'' if tag.block.info.language else 'text'} {{{tag.words('=')}}}"
    return Edit(tag.block.open, "", f"{line[:end]}{said}{line[end:]}{ending}")


def _joined(page: Page, edits: Sequence[Edit]) -> bytes:
    """The page's bytes with the edits made; of two on one line, the first goes above."""
    lines, pieces, at = page.lines, [], 0
    for edit in sorted(edits, key=lambda edit: edit.line):
        start = lines.start[edit.line]
        pieces += [page.text[at:start], edit.before]
        at = max(at, start)
        if edit.new is not None:
            pieces.append(edit.new)
            at = lines.end[edit.line]
    pieces.append(page.text[at:])
    text = ("\ufeff" if page.bom else "") + "".join(pieces)
    return text.encode("utf-8", "surrogateescape")


def _fault(page: Page, after: Page, tags: Sequence[Tag], previous: bool) -> Refusal | None:
    """What is wrong with ``after``; None if it is the page with these tags and nothing else."""
    fences = {fence.number: fence.block for fence in after.fences}
    outputs = {recording.number: recording.block for recording in after.recordings}
    made = {id(tag): (fences if tag.kind == "fence" else outputs).get(tag.number) for tag in tags}
    if problem := _fresh(page, after):
        for tag in tags:
            block = made[id(tag)]
            if block is not None and block.start <= problem.line - 1 < block.end:
                return Refusal(tag.block.line, problem.what, problem.remedy, tag, problem.code)
        return Refusal(problem.line, problem.what, problem.remedy, None, problem.code)
    for tag in tags:
        block = made[id(tag)]
        if block is None or not _is_meant(tag, block):
            return Refusal(tag.block.line, "its tag would not read back", "tag it by hand", tag)
    numbers = {fence.number for fence in page.fences}
    numbers |= {tag.number for tag in tags if tag.kind == "fence"}
    if len(after.fences) != len(numbers) or fences.keys() != numbers:
        return Refusal(1, "the page would have other fences than it should")
    settings = page.settings
    if previous:
        settings = replace(settings, defaults=replace(settings.defaults, continues="previous"))
    if after.settings != settings:
        return Refusal(1, "the page would not have the setting that it should", "set it by hand")
    new = [block for block in made.values() if block is not None]
    if list(_skeleton(page, [tag.block for tag in tags])) != list(_skeleton(after, new)):
        return Refusal(1, "with these tags the rest of the page would read differently")
    return None


def _fresh(page: Page, after: Page) -> Problem | None:
    """A problem that the page did not have; a warning is none."""
    now, before = _errors(after), _errors(page)
    codes = Counter(p.code for p in now) - Counter(p.code for p in before)
    return next((p for p in now if p.code in codes), None)


def _errors(page: Page) -> list[Problem]:
    return [problem for problem in page.problems if problem.severity == "error"]


def _is_meant(tag: Tag, block: CodeBlock) -> bool:
    info = block.info
    language = tag.block.info.language or ("" if tag.carrier == "comment" else "text")
    return (
        block.content == tag.block.content
        and (info.language, info.carrier) == (language, tag.carrier)
        and info.tags.continues == tag.continues
        and (info.tags.requires or ()) == tag.requires
        and bool(info.tags.echo) == tag.echo
        and not info.faults
    )


def _skeleton(page: Page, tagged: Sequence[CodeBlock]) -> Iterator[tuple[Any, ...]]:
    """All that a reader sees of the page, but the info strings of ``tagged`` and our comments."""
    own = {index for block in tagged for index in block.tokens}
    for index, token in enumerate(page.tokens):
        if token.type == "html_block" and (index in own or _is_setting(index, token)):
            continue
        info = "" if index in own else token.info
        yield token.type, token.tag, token.level, token.hidden, token.markup, token.content, info


def _is_setting(index: int, token: Any) -> bool:
    return index == 0 and str(token.content).startswith("<!-- fencerun:")
