"""`fencerun status`: every fence and what is known of it, without running anything.

With other machines' runs it accounts for every fence: where it ran, what came of it, and which
no machine ran.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TextIO

from fencerun.events import Problem, Verdict
from fencerun.frozen import dataclass
from fencerun.members import Member
from fencerun.page import Page
from fencerun.plan import Idle, Unmet, build
from fencerun.plural import count
from fencerun.reporters.escape import one_line
from fencerun.reporters.wording import location, problem_head, text
from fencerun.state import Last
from fencerun.unrun import Unrun

#: Verdicts under which a fence counts as accounted for.
_SETTLED = ("passed", "kept", "elsewhere", "known", "recorded", "skipped")


@dataclass(slots=True)
class Status:
    """Writes a line a fence to ``stream``. ``last`` is what the last run here said, by id."""

    unrun: Unrun
    unmet: Unmet
    last: Mapping[str, Last]
    stream: TextIO
    counts: Counter[str] = field(default_factory=Counter)
    left: list[str] = field(default_factory=list)

    def page(self, page: Page, chosen: Sequence[Member], relative: str) -> None:
        """Show what is wrong with a page, each chosen fence, and recordings without a fence."""
        for problem in page.problems:
            self._say(problem_line(problem))
        idle = {}
        if chosen:
            ids = {member.id for member in chosen}
            everyone = tuple(self.unrun.settled[page.path].values())
            plan = build([everyone], lambda m: m.id in ids, self.unmet)
            idle = {one.member.id: one for one in plan.idle}
        for member in chosen:
            last = self.last.get(f"{relative}::{member.fence.number}")
            self._fence(member, idle.get(member.id), last)
        for orphan in page.orphans:
            where = location(page.path, orphan.block.line)
            self._say(f"{where}: orphan: output:{orphan.number} has no fence")
            self.counts["orphan"] += 1
        for block in page.untagged:
            self.counts["untagged block"] += 1
            if not page.fences:
                continue
            where = location(page.path, block.line)
            self._say(f"{where}: untagged: a {block.info.language} block")

    def _fence(self, member: Member, idle: Idle | None, last: Last | None) -> None:
        told = self.unrun.told_of(member)
        if idle is None and told:
            idle = Idle(member, "told", "not run here", "no run tells of it")
        if idle is not None:
            verdict = self.unrun.judgement(idle).verdict
            self._count(member, verdict.kind, verdict.what, verdict)
            return
        kind, what = "unrecorded", "no recording"
        if member.has_recording:
            kind, what = "recorded", count(_lines(member), "line")
        elif not member.recorded:
            kind = "hidden" if member.tags.hidden else "only run"
            what = "nothing of it is recorded"
        elif last is not None and last.kind == "passed":
            kind, what = "silent", "it printed nothing"
        if last is not None:
            what += f"; last run: {last.kind}"
        self._count(member, kind, what, None)

    def _count(self, member: Member, kind: str, what: str, verdict: Verdict | None) -> None:
        self.counts[kind] += 1
        told = bool(self.unrun.told)
        if told and (verdict is None or kind not in _SETTLED):
            self.left.append(member.id)
        requires = ", ".join(member.requires)
        facts = [what, f"requires {requires}" if requires else ""]
        if member.parent:
            facts.append(f"continues fence {member.parent}")
        shown = "; ".join(fact for fact in facts if fact)
        where = location(member.page.path, member.fence.line)
        self._say(f"{where}: {kind}: fence {member.fence.number}, {shown}")

    def close(self, pages: int) -> None:
        """The closing lines: how many of what, and which fences nobody accounts for."""
        counted = ", ".join(
            count(number, kind) if kind.endswith("block") else f"{number} {kind}"
            for kind, number in self.counts.items()
        )
        self._say(f"{counted or 'no fences'} on {count(pages, 'page')}")
        if self.counts["untagged block"]:
            self._say("`fencerun tag` numbers untagged blocks")
        if self.left:
            self._say(f"{len(self.left)} not accounted for by any run:")
            for fence in self.left:
                self._say(f"  {fence}")
        elif self.unrun.told:
            self._say("every fence is accounted for")

    def _say(self, line: str) -> None:
        self.stream.write(one_line(line) + "\n")


def _lines(member: Member) -> int:
    """How many lines a fence has recorded; what is typed in a transcript is none of them."""
    transcript, recording = member.fence.transcript, member.fence.recording
    if transcript is not None:
        return sum(len(turn.output) for turn in transcript.turns)
    return len(recording.text) if recording else 0


def problem_line(problem: Problem) -> str:
    """A line that says what is wrong with a page, and what to do."""
    return text(problem_head(problem))
