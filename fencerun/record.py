"""What a run found, into the page as it is now: each recording whose fence is still the same.

Pages are edited while they run. What was edited keeps what its author wrote, and everything else
goes in. Knows nothing of disks, engines or verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping

from fencerun.frontmatter import PageSettings
from fencerun.page import Page
from fencerun.plan import Member, members
from fencerun.splice import NewRecording, SpliceError, splice
from fencerun.tags import Tags

#: What a fence's output depends on, as far as the page says it: number, language, code, tags.
_Link = tuple[int, str, str, Tags]


def apply(
    before: Page,
    now: Page,
    changes: Mapping[int, NewRecording | None],
    base: PageSettings | None = None,
) -> tuple[bytes, tuple[tuple[int, str], ...]]:
    """The bytes of ``now`` with ``changes``, and the numbers refused, each with the reason.

    ``before`` is the page that ran, ``base`` the project's settings for it. A change goes in when
    its fence and those that it takes up from still have the same code and tags, and nobody edited
    its recording. Where none does, the bytes are those of ``now``.
    """
    base = base or PageSettings()
    problem = next((p for p in now.problems if p.severity == "error"), None)
    if problem is not None:
        why = f"the page now has a problem on line {problem.line}: {problem.what}"
        return splice(now, {}), tuple((number, why) for number in sorted(changes))
    was, there = ({m.fence.number: m for m in members(p, base)} for p in (before, now))
    refused = {n: reason for n in changes if (reason := _edited(was, there, n))}
    left = {number: change for number, change in changes.items() if number not in refused}
    while True:
        try:
            return splice(now, left), tuple(sorted(refused.items()))
        except SpliceError as error:
            refused[error.fence] = error.why
            del left[error.fence]


def _edited(was: Mapping[int, Member], now: Mapping[int, Member], number: int) -> str | None:
    """Why what fence ``number`` printed no longer fits the page, in words for its author."""
    if number not in was:
        return f"fence {number} was added while the page ran" if number in now else None
    if number not in now:
        return f"fence {number} is gone"
    ran, would = _chain(was, number), _chain(now, number)
    if ran[0] != would[0]:
        return f"fence {number} was edited while it ran"
    if ran != would:
        return f"fence {number} {_difference(ran, would)}"
    old, new = was[number].fence.recording, now[number].fence.recording
    if old and new and old.text != new.text:
        return f"the recording of fence {number} was edited while it ran"
    return None


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
