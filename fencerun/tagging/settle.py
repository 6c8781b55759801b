"""Which candidates of a page become fences, and what they continue.

Found in their code, and by running them where that is asked for: each on its own merits, or the
page as one script. Knows nothing of text or disks.
"""

from __future__ import annotations

from collections.abc import Sequence

from fencerun.frozen import dataclass
from fencerun.members import Member
from fencerun.page import Page
from fencerun.tagging.candidates import Candidate
from fencerun.tagging.drafts import nodes
from fencerun.tagging.links import worth_a_setting
from fencerun.tagging.rounds import Rounds, Settled, Subject, Try


@dataclass(slots=True)
class Search:
    """Finds what of ``candidates`` can be tagged. ``settable``: the page can be set as a whole."""

    page: Page
    members: Sequence[Member]
    candidates: Sequence[Candidate]
    settable: bool
    run: Try | None = None

    @property
    def subject(self) -> Subject:
        """What it is about."""
        return Subject(self.page, self.members, self.candidates)

    def settled(self) -> Settled:
        """What is to be tagged."""
        subject, set_already = self.subject, self._set_already()
        previous = set_already or self._worth_setting()
        if self.run is None:
            return Settled(self.candidates, subject.links(self.candidates, {}, previous))
        if not previous:
            return Rounds(subject, self.run, previous=False).settled()
        first = Rounds(subject, self.run, previous=True)
        settled = first.settled()
        if set_already or not first.curious:
            return settled
        other = Rounds(subject, self.run, previous=False).settled()
        return other if len(other.kept) > len(settled.kept) else settled

    def _set_already(self) -> bool:
        return self.page.settings.defaults.continues == "previous"

    def _worth_setting(self) -> bool:
        """Whether most blocks of a page without fences need those before them."""
        if not self.settable or self.page.fences:
            return False
        links = self.subject.links(self.candidates, {}, previous=False)
        return worth_a_setting(nodes(self.candidates, self.members), links)
