"""What may run on this machine, and whether a page asks for anything that does not exist.

Between the pure table of capabilities and the prober that asks this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from fencerun.capabilities import parse
from fencerun.errors import UsageError
from fencerun.events import Problem
from fencerun.frontmatter import PageSettings
from fencerun.frozen import dataclass
from fencerun.page import Page
from fencerun.pasting import pasted
from fencerun.tags import TagError, Tags, nearest

if TYPE_CHECKING:
    from fencerun.probing import Prober


@dataclass(slots=True)
class Gate:
    """Answers whether requirements hold, each asked once a run."""

    #: Makes what asks this machine. Called when something is first asked: mostly nothing is.
    make: Callable[[], Prober]
    own: Collection[str] = ()
    #: What runnable code blocks without tags are: `ignore`, `warn` or `error`.
    untagged: str = "ignore"
    answers: dict[str, str | None] = field(default_factory=dict)
    _prober: Prober | None = field(default=None, init=False)

    @property
    def prober(self) -> Prober:
        """What asks this machine."""
        if self._prober is None:
            self._prober = self.make()
        return self._prober

    def unmet(self, requirement: str) -> str | None:
        """Why ``requirement`` does not hold here, or None when it does."""
        if requirement not in self.answers:
            self.answers[requirement] = self.prober.unmet(parse(requirement, self.own))
        return self.answers[requirement]

    def insist(
        self, settings: Iterable[tuple[Callable[[str], str], PageSettings]], masks: Collection[str]
    ) -> None:
        """Raise UsageError for an unknown capability or mask in settings.

        Each comes with what says where one of its keys is.
        """
        for where, one in settings:
            for problem in self._faults(one.defaults, "", 0, masks):
                raise UsageError(f"{where(problem.code)}: {problem.what}", problem.remedy)

    def checked(self, page: Page, masks: Collection[str]) -> Page:
        """``page`` with a problem for every unknown capability, or mask not among ``masks``."""
        problems = list(self._faults(page.settings.defaults, page.path, 1, masks))
        for fence in page.fences:
            problems += self._faults(fence.tags, page.path, fence.line, masks)
        problems += self._untagged(page)
        if not problems:
            return page
        both = sorted((*page.problems, *problems), key=lambda problem: problem.line)
        return replace(page, problems=tuple(both))

    def _untagged(self, page: Page) -> list[Problem]:
        if self.untagged == "ignore":
            return []
        what = "a runnable code block without a tag"
        command = f"`fencerun tag {pasted(page.path)}`"
        remedy = f"{command} numbers it; `fence:none` says that it is not to run"
        severity: Literal["warning", "error"] = "warning" if self.untagged == "warn" else "error"
        return [
            Problem(page.path, block.line, "untagged", what, remedy, severity)
            for block in page.untagged
        ]

    def _faults(self, tags: Tags, path: str, line: int, masks: Collection[str]) -> list[Problem]:
        faults = []
        for requirement in tags.requires or ():
            try:
                parse(requirement, self.own)
            except TagError as error:
                what = f"`requires:{requirement}`: {error.args[0]}"
                faults.append(Problem(path, line, "requires", what, error.args[1]))
        for tag in ("mask", "varies"):
            for name in getattr(tags, tag) or ():
                if name not in masks:
                    what = f"`{tag}:{name}`: no mask is called `{name}`"
                    faults.append(Problem(path, line, tag, what, nearest(name, masks)))
        return faults
