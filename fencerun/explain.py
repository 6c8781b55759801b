"""`fencerun explain ID`: what a fence's key covers, what changed, its chain, its seconds."""

from __future__ import annotations

from collections.abc import Iterator

from fencerun import freshness, history
from fencerun.frontmatter import PageSettings
from fencerun.gate import Gate
from fencerun.members import Member
from fencerun.plan import Idle
from fencerun.reporters.wording import location
from fencerun.state import Last
from fencerun.unrun import Unrun


def explain(
    member: Member, unrun: Unrun, gate: Gate, base: PageSettings, last: Last | None
) -> Iterator[str]:
    """The lines that say what is known of ``member`` and why."""
    chain = freshness.chain_of(member, unrun.settled[member.page.path])
    yield f"{location(member.page.path, member.fence.line)}: fence {member.fence.number}"
    numbers = [str(one.fence.number) for one in chain]
    if len(numbers) > 1:
        yield f"  chain: {' → '.join(numbers)}, run as one script"
    for name in member.requires:
        why = gate.unmet(name)
        yield f"  requires {name}: " + ("holds here" if why is None else f"not here, {why}")
    if member.tags.skip:
        yield f"  skipped on purpose: {member.tags.skip}"
    if last is not None:
        took = "" if last.seconds is None else f", in {last.seconds:.3f} s"
        yield f"  last run here: {last.kind}{took}"
    yield from _recording(member, unrun, base)


def _recording(member: Member, unrun: Unrun, base: PageSettings) -> Iterator[str]:
    recording, parts = member.fence.recording, unrun.parts(member)
    if recording is None:
        yield "  no recording"
    elif recording.on:
        yield f"  recorded on {recording.on.replace('/', ', ')} (line {recording.line})"
    else:
        yield f"  recorded (line {recording.line})"
    yield f"  its key would begin {freshness.source_hash(parts)}, which covers:"
    yield from (f"    {part.name}" for part in parts)
    key = freshness.parse_key(recording.key or "") if recording else None
    if recording is None or key is None:
        return
    verdict = unrun.verdict(Idle(member, "unmet", "", ""))
    yield f"  {verdict.kind}: {verdict.what}"
    if key.source != freshness.source_hash(parts):
        yield from _changes(member, key.source, parts, base)


def _changes(
    member: Member, source: str, parts: tuple[freshness.Part, ...], base: PageSettings
) -> Iterator[str]:
    found = history.parts_when_recorded(member.page.path, member.fence.number, source, base)
    if found is None:
        yield f"  no commit has the code that was recorded (key {source})"
        return
    commit, before = found
    yield f"  since commit {commit}, whose code was recorded:"
    yield from (f"    {change}" for change in freshness.changes(before, parts))
