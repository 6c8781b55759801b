"""What a new reading makes due."""

from __future__ import annotations

import pytest

from fencerun.frontmatter import PageSettings
from fencerun.live.due import Due, due
from fencerun.live.prints import Print
from fencerun.live.reading import Reading
from fencerun.members import members
from fencerun.reader import parse

from .desk import fence

PAGE = parse(
    "\n".join(
        (
            fence("fence:1", "a = 1"),
            fence("fence:2 continues:1", "a"),
            fence("fence:3 continues:2", "a"),
            fence("fence:4", "b = 1"),
        )
    ).encode(),
    "a.md",
)
MEMBERS = {m.fence.number: m for m in members(PAGE, PageSettings())}


def prints(**said: str) -> dict[int, Print]:
    """``_1="a.b"``: fence 1 does a and shows b."""
    return {int(name[1:]): Print(*text.split(".")) for name, text in said.items()}


NOW = prints(_1="x.s", _2="x.s", _3="x.s", _4="x.s")
CASES = {
    "nothing changed": (NOW, {}, NOW, Due()),
    "all is new": ({}, {}, {}, Due(run=(1, 2, 3, 4))),
    "one does something else": ({**NOW, **prints(_2="y.s")}, {}, NOW, Due(run=(2,))),
    "of which nobody knows how long it takes": (prints(_4="x.s"), {1: 9.0}, {}, Due(run=(1, 2, 3))),
    "long ones": (prints(_4="y.s"), {4: 11.0}, {}, Due(run=(1, 2, 3), held=(4,))),
    "a chain that is long as a whole": (
        prints(_4="x.s"),
        {1: 4.0, 2: 4.0, 3: 4.0},
        {},
        Due(run=(1, 2), held=(3,)),
    ),
    "only what it shows": ({**NOW, **prints(_2="x.t")}, {2: 99.0}, NOW, Due(judge=(2,))),
    "only what it shows, of what never ran": ({**NOW, **prints(_2="x.t")}, {}, {}, Due(run=(2,))),
    "only what it shows, of a chain that is not known": (
        {**NOW, **prints(_3="x.t")},
        {},
        prints(_3="x.s", _2="x.s"),
        Due(run=(3,)),
    ),
    "only what it shows, of a chain that ran as something else": (
        {**NOW, **prints(_3="x.t")},
        {},
        {**NOW, **prints(_1="y.s")},
        Due(run=(3,)),
    ),
    "more than what it shows": ({**NOW, **prints(_2="y.t")}, {}, NOW, Due(run=(2,))),
}


@pytest.mark.parametrize(("settled", "seconds", "printed", "found"), CASES.values(), ids=CASES)
def test_due(
    settled: dict[int, Print], seconds: dict[int, float], printed: dict[int, Print], found: Due
) -> None:
    reading = Reading("a.md", b"", PAGE, MEMBERS, NOW)
    assert due(reading, settled, seconds, printed) == found
