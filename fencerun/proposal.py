"""The smallest round tolerance that would let numbers pass which moved too far.

It sees only the numbers, so whether a proposal does pass is for comparing to confirm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from fencerun.numeric import Number, distance, relative, size, tidy
from fencerun.rule import Rule

#: Proposed where numbers are equal and only printed otherwise.
_SMALLEST = -12
#: No tolerance beyond these exponents is a float.
_EXPONENTS = range(-300, 300)

_FAR = Decimal("0.01")
_TINY = Decimal("1e-6")
_TINY_SHARE = Decimal("1e-3")


def propose(rule: Rule, moved: Sequence[tuple[Number, Number]]) -> tuple[str, Rule] | None:
    """Tags (``rtol:1e-6``, ``rtol:1e-6 atol:1e-8``) and ``rule`` with them; None if none will do.

    Numbers near zero (or recorded as 0), where a relative tolerance would have to be large, get
    an absolute one.
    """
    scale = max(size(recorded) for recorded, _ in moved)
    near = [distance(*pair) for pair in moved if _near_zero(*pair, scale)]
    atol = tidy(max(near)) if near else None
    room = Decimal((0, (1,), atol)) if atol is not None else Decimal(-1)
    shares = [relative(*pair) for pair in moved if distance(*pair) > room]
    rtol = max(tidy(max(shares)) if any(shares) else _SMALLEST, _SMALLEST) if shares else None
    if any(each is not None and each not in _EXPONENTS for each in (rtol, atol)):
        return None
    tags = [f"{tag}:{_power(e)}" for tag, e in (("rtol", rtol), ("atol", atol)) if e is not None]
    return " ".join(tags), replace(
        rule,
        rtol=rule.rtol if rtol is None else float(_power(rtol)),
        atol=rule.atol if atol is None else max(float(_power(atol)), rule.atol or 0.0),
    )


def _near_zero(recorded: Number, printed: Number, scale: Decimal) -> bool:
    if relative(recorded, printed) <= _FAR:
        return False
    return not size(recorded) or distance(recorded, printed) <= max(_TINY, _TINY_SHARE * scale)


def _power(exponent: int) -> str:
    return f"1e{exponent}" if exponent else "1"
