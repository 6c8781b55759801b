"""Where and when a recording was made, as its ``on:`` says it. Pure.

Knows nothing of what was recorded.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from fencerun.frozen import dataclass
from fencerun.patterns import later


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where and when a recording was made; ``torch`` is ``torch-2.11.0+cu130``.

    Without torch it is the version of Python: ``python-3.11.7``.
    """

    device: str
    torch: str
    date: datetime.date

    def age_days(self, today: datetime.date) -> int:
        """Whole days since then; less than 0 for a date that is still to come."""
        return (today - self.date).days


_ON = later(r"([^/\s]+)/([^/\s]+)/([0-9]{4})-([0-9]{2})-([0-9]{2})")


def parse_on(text: str) -> Provenance | None:
    """The provenance that ``text`` writes (``nvidia-h200/torch-2.11.0+cu130/2026-11-29``)."""
    match = _ON.fullmatch(text)
    if match is None:
        return None
    try:
        day = datetime.date(int(match[3]), int(match[4]), int(match[5]))
    except ValueError:
        return None
    return Provenance(match[1], match[2], day)


def format_on(provenance: Provenance) -> str:
    """What ``parse_on`` reads."""
    return f"{provenance.device}/{provenance.torch}/{provenance.date.isoformat()}"


def software(versions: Mapping[str, str]) -> str:
    """The version that a recording names: torch's, else Python's."""
    name = "torch" if "torch" in versions else "python"
    return f"{name}-{versions[name]}"
