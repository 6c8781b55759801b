"""What a run found, into the page as it is now: each recording whose fence is still the same.

Pages are edited while they run. What was edited keeps what its author wrote, and everything else
goes in. Knows nothing of disks, engines or verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fencerun import reader
from fencerun import values as values_on_page
from fencerun.frontmatter import PageSettings
from fencerun.members import Member, members
from fencerun.page import Page
from fencerun.splice import NewRecording, SpliceError, encode, splice
from fencerun.tags import Tags
from fencerun.values import Value, one_line

#: What a fence's output depends on, as far as the page says it: number, language, code, tags.
_Link = tuple[int, str, str, Tags]


def apply(
    before: Page,
    now: Page,
    changes: Mapping[int, NewRecording | None],
    base: PageSettings | None = None,
    bindings: Mapping[int, Sequence[tuple[Value, str]]] | None = None,
) -> tuple[bytes, tuple[tuple[int, str], ...]]:
    """The bytes of ``now`` with ``changes``, and the numbers refused, each with the reason.

    ``before`` is the page that ran, ``base`` the project's settings for it. A change goes in when
    its fence and those that it takes up from still have the same code and tags, and nobody edited
    its recording. Where none does, the bytes are those of ``now``. ``bindings`` say, by the number
    of their fence, what values in the prose should say; they go in under the same conditions.
    """
    base, bindings = base or PageSettings(), bindings or {}
    problem = next((p for p in now.problems if p.severity == "error"), None)
    if problem is not None:
        why = f"the page now has a problem on line {problem.line}: {problem.what}"
        return splice(now, {}), tuple((number, why) for number in sorted({*changes, *bindings}))
    was, there = ({m.fence.number: m for m in members(p, base)} for p in (before, now))
    touched = {*changes, *bindings}
    refused = {n: said for n in touched if (said := _edited(was, there, n, changes.get(n)))}
    left = {number: change for number, change in changes.items() if number not in refused}
    while True:
        try:
            recorded = splice(now, left)
        except SpliceError as error:
            refused[error.fence] = error.why
            del left[error.fence]
            continue
        if bindings:
            wanted = {n: new for n, new in bindings.items() if n not in refused}
            recorded = _bound(reader.parse(recorded, now.path, now.syntax), wanted, refused)
        return recorded, tuple(sorted(refused.items()))


def _bound(
    page: Page, wanted: Mapping[int, Sequence[tuple[Value, str]]], refused: dict[int, str]
) -> bytes:
    """The bytes of ``page`` with these values; those that were edited meanwhile are refused."""
    # By place: a page may say the same value twice, and each of them is the same as both.
    new: dict[int, tuple[Value, str]] = {}
    for number, pairs in wanted.items():
        there = [value for value in page.values if value.fence == number]
        for value, text in pairs:
            same = [other for other in there if _is_same(other, value)]
            if not same:
                refused[number] = f"the value `{value.expression}` was edited while it ran"
            new |= {other.start: (other, text) for other in same}
    text = values_on_page.write(page.text, new.values())
    written = ("\ufeff" * page.bom + text).encode("utf-8")
    after = reader.parse(written, page.path, page.syntax)
    shown = [one_line(new[v.start][1]) if v.start in new else v.shown for v in page.values]
    kept = values_on_page.without_texts(page.text, page.values)
    there_now = values_on_page.without_texts(after.text, after.values)
    if there_now != kept or [value.shown for value in after.values] != shown:
        refused.update(dict.fromkeys(wanted, "its value would not read back from the page"))
        return encode(page)
    return written


def _is_same(value: Value, other: Value) -> bool:
    bound = (value.expression, value.spec, value.text)
    return bound == (other.expression, other.spec, other.text)


def _edited(
    was: Mapping[int, Member], now: Mapping[int, Member], number: int, change: NewRecording | None
) -> str | None:
    """Why what fence ``number`` printed no longer fits the page, in words for its author."""
    if number not in was:
        return f"fence {number} was added while the page ran" if number in now else None
    if number not in now:
        return f"fence {number} is gone"
    files, there = _files(was[number]), _files(now[number])
    for path in {**files, **there}:
        if files.get(path) != there.get(path):
            return f"file:{path} was edited while fence {number} ran"
    ran, would = _chain(was, number), _chain(now, number)
    if ran[0] != would[0]:
        return f"fence {number} was edited while it ran"
    if ran != would:
        return f"fence {number} {_difference(ran, would)}"
    if _around(was[number]) != _around(now[number]):
        return f"fence {number} ran with another set-up file or directory than it has now"
    old, new = was[number].fence.recording, now[number].fence.recording
    if old and new and old.text != new.text:
        return f"the recording of fence {number} was edited while it ran"
    if old is None and new and change and new.text != change.lines:
        return f"a recording of fence {number} was added while it ran"
    return None


def _around(member: Member) -> tuple[str | None, bool]:
    """What a fence finds when it begins, as far as the page says it elsewhere than in tags."""
    return member.setup, member.scratch


def _files(member: Member) -> dict[str, str]:
    """The files that the page has for its fences."""
    return {block.path: block.text for block in member.page.files}


def _difference(ran: tuple[_Link, ...], would: tuple[_Link, ...]) -> str:
    """How two chains of one fence differ."""
    present = {link[0]: link for link in would}
    for link in ran:
        if link[0] not in present:
            return f"ran after fence {link[0]}, which it no longer continues"
        if link != present[link[0]]:
            return f"continues fence {link[0]}, which was edited while it ran"
    added = next(link[0] for link in would if link not in ran)
    return f"now continues fence {added}, and ran without it"


def _chain(page: Mapping[int, Member], number: int) -> tuple[_Link, ...]:
    """The fence itself, then what it continues, one after the other."""
    links: list[_Link] = []
    at: int | None = number
    while at is not None:
        member = page[at]
        links.append((at, member.fence.language, member.fence.code, member.tags))
        at = member.parent
    return tuple(links)
