"""Figures: medians with their spread, held against a bar, as JSON and as a Markdown table."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from benchmarks.measure import Sample


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: ``value`` is a median, ``low`` and ``high`` are the quartiles beside it."""

    what: str
    unit: str
    value: float
    low: float
    high: float
    rounds: int
    #: What ``value`` must not exceed, where something is promised.
    bar: float | None = None
    note: str = ""

    @property
    def held(self) -> bool:
        """Whether the promise is kept."""
        return self.bar is None or self.value <= self.bar


def figure(
    what: str, unit: str, values: Sequence[float], bar: float | None = None, note: str = ""
) -> Figure:
    """The figure of several rounds' values."""
    low, middle, high = _quartiles(values)
    return Figure(what, unit, middle, low, high, len(values), bar, note)


def _quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def ratios(ours: Sequence[Sample], theirs: Sequence[Sample]) -> list[float]:
    """CPU against CPU, round by round."""
    return [our.cpu / their.cpu for our, their in zip(ours, theirs, strict=True)]


def seconds(samples: Sequence[Sample]) -> str:
    """A note: the median CPU time itself."""
    return f"{statistics.median(sample.cpu for sample in samples):.3f} s"


def as_json(figures: Iterable[Figure]) -> list[dict[str, object]]:
    """Plain data for a file."""
    return [{**asdict(figure), "held": figure.held} for figure in figures]


def as_markdown(figures: Iterable[Figure]) -> str:
    """A table for docs/benchmarks.md."""
    rows = ["| what | median | quartiles | bar | |", "|---|---|---|---|---|"]
    for one in figures:
        bar = "" if one.bar is None else f"≤ {_text(one.bar, one.unit)}"
        over = "" if one.held else " **over**"
        spread = f"{_text(one.low, '')}–{_text(one.high, '')}".replace(" ", "")
        rows.append(
            f"| {one.what} | {_text(one.value, one.unit)}{over} | {spread} | {bar} | {one.note} |"
        )
    return "\n".join(rows)


def _text(value: float, unit: str) -> str:
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 100 else 0
    return f"{value:.{digits}f} {unit}".rstrip()
