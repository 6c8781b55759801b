"""What judging a fence comes to: a verdict, and what the page should say. Frozen data."""

from __future__ import annotations

from fencerun.events import Verdict
from fencerun.figures import Figure
from fencerun.frozen import dataclass
from fencerun.rule import Rule
from fencerun.values import Value


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, and the lines that a recording should hold; None leaves it as it stands."""

    verdict: Verdict
    lines: tuple[str, ...] | None = None
    rule: Rule | None = None
    #: Canonical output, with the line that an expected exception adds; None when it failed.
    printed: tuple[str, ...] | None = None
    #: What the values bound to the fence came to, in page order.
    values: tuple[str, ...] = ()
    #: The values on the page that say something else, and what they should say.
    bindings: tuple[tuple[Value, str], ...] = ()
    #: The figures it drew, as SVG texts, and those whose files show something else.
    drawn: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()

    @property
    def news(self) -> bool:
        """Whether the page should say something else."""
        return self.lines is not None or bool(self.bindings)
