"""`fencerun status`: every fence and what is known of it, without running anything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from fencerun.frontmatter import PageSettings
from fencerun.page import Page
from fencerun.plan import Member, members
from fencerun.selection import selector


def show(pages: Iterable[Page], word: str | None, stream: TextIO) -> int:
    """Write a line a fence to ``stream``; the exit code is 0, or 3 where a page has a problem."""
    selects = selector((), word)
    fences = recorded = broken = 0
    for page in pages:
        for problem in page.problems:
            remedy = f". {problem.remedy}" if problem.remedy else ""
            kind = "problem" if problem.severity == "error" else "warning"
            stream.write(f"{page.path}:{problem.line}: {kind}: {problem.what}{remedy}\n")
        broken += page.broken
        chosen = [member for member in members(page, PageSettings()) if selects(member)]
        for member in chosen:
            stream.write(_line(member) + "\n")
            fences += 1
            recorded += member.fence.recording is not None
        for orphan in page.orphans:
            what = f"orphan: output:{orphan.number} has no fence"
            stream.write(f"{page.path}:{orphan.block.line}: {what}\n")
    stream.write(f"{fences} fences, {recorded} with a recording\n")
    return 3 if broken else 0


def _line(member: Member) -> str:
    fence = member.fence
    facts = []
    if fence.recording:
        count = len(fence.recording.text)
        facts.append(f"recorded, {count} line{'s' if count != 1 else ''}")
        if fence.recording.on:
            facts.append(f"on {fence.recording.on}")
    else:
        facts.append("no recording")
    if member.parent:
        facts.append(f"continues fence {member.parent}")
    if member.requires:
        facts.append("requires " + ", ".join(member.requires))
    if member.tags.skip:
        facts.append(f"skipped: {member.tags.skip}")
    return f"{member.page.path}:{fence.line}: fence {fence.number}: " + "; ".join(facts)
