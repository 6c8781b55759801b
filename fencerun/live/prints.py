"""What a verdict on a fence rests on, to be compared between two readings of its page."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from fencerun import freshness, known
from fencerun.frozen import dataclass
from fencerun.localmodules import Read
from fencerun.members import Member
from fencerun.session import Session

#: Tags that say how a fence runs, and are no part of its key.
_RUNS = ("requires", "skip", "timeout", "isolated", "allows", "quiet")


@dataclass(frozen=True, slots=True)
class Print:
    """What a verdict rests on.

    ``does`` changes with what the fence would do, ``shows`` with what the page says that it did
    and how that is compared: where only this changed, what it printed holds as before.
    """

    does: Hashable
    shows: Hashable


def print_of(member: Member, settled: Mapping[int, Member], read: Read, session: Session) -> Print:
    """The print of a fence; ``settled`` are all members of its page, ``read`` what lies beside."""
    parts = freshness.of_chain(freshness.chain_of(member, settled), read)
    tags = tuple(getattr(member.tags, name) for name in _RUNS)
    does = (
        *(part.digest for part in parts),
        *(tags, member.requires, member.op_namespace, member.scratch),
        *_project(member, session),
    )
    return Print(hash(does), _shows(member, session))


def _project(member: Member, session: Session) -> tuple[Hashable, ...]:
    """What it depends on that is configured for all pages."""
    project = session.project
    env = tuple(sorted(project.env.items()))
    capabilities = repr(project.capabilities) if member.requires else ""
    return session.python, env, project.threads, project.width, capabilities


def _shows(member: Member, session: Session) -> Hashable:
    project, tags, recording = session.project, member.tags, member.fence.recording
    said = recording and (recording.text, recording.region, recording.key, recording.on)
    values = tuple((value.shown, value.spec) for value in member.fence.values)
    masks = tuple(project.masks.get(name) for name in (*(tags.mask or ()), *(tags.varies or ())))
    page = session.relative(member.page.path)
    tracked = known.reference(page, member.fence.number, project.known)
    days = project.max_kept_days if member.requires else None
    return said, values, repr(tags), member.record, masks, tracked, project.max_output, days
