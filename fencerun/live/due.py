"""What a new reading of pages makes due. Pure.

A fence is due where what its last verdict rests on is no longer so. One whose chain takes long is
held back: shown as stale, and not started until it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

from fencerun.frozen import dataclass
from fencerun.live.prints import Print
from fencerun.live.reading import Reading

#: A chain that last took longer than this is not started unasked, in seconds.
PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be done about the fences of a page, by number and in page order."""

    #: To be run.
    run: tuple[int, ...] = ()
    #: To be run, and not unasked.
    held: tuple[int, ...] = ()
    #: To be compared anew with what they printed.
    judge: tuple[int, ...] = ()


def due(
    reading: Reading,
    settled: Mapping[int, Print],
    seconds: Mapping[int, float],
    printed: Mapping[int, Print],
    patience: float = PATIENCE,
) -> Due:
    """What is to be done about ``reading``, a page without errors.

    ``settled`` are the prints that verdicts rest on (where there is none yet: those of the page
    as it was opened), ``seconds`` what fences took, and ``printed`` the prints under which those
    ran of whose output we know; all of them by number.
    """
    run: list[int] = []
    held: list[int] = []
    judge: list[int] = []
    for number, now in reading.prints.items():
        if settled.get(number) == now:
            continue
        chain = reading.chain(number)
        if number in settled and _still_holds(settled[number], now, chain, reading, printed):
            judge.append(number)
        elif sum(seconds.get(one, 0.0) for one in chain) > patience:
            held.append(number)
        else:
            run.append(number)
    return Due(tuple(run), tuple(held), tuple(judge))


def _still_holds(
    before: Print,
    now: Print,
    chain: tuple[int, ...],
    reading: Reading,
    printed: Mapping[int, Print],
) -> bool:
    """Whether all that the chain printed is known, of the very code that is there now."""
    return before.does == now.does and all(
        one in printed and printed[one].does == reading.prints[one].does for one in chain
    )
