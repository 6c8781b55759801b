"""Figures: medians with their spread, held against a bar, as JSON and as a Markdown table."""

from __future__ import annotations

import math
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
    #: ``value`` must reach the bar instead.
    at_least: bool = False

    @property
    def measured(self) -> bool:
        """Whether there is a value; ``note`` says why not."""
        return not math.isnan(self.value)

    @property
    def held(self) -> bool:
        """Whether the promise is kept. What was not measured breaks none."""
        if self.bar is None or not self.measured:
            return True
        return self.value >= self.bar if self.at_least else self.value <= self.bar


def figure(
    what: str,
    unit: str,
    values: Sequence[float],
    bar: float | None = None,
    note: str = "",
    *,
    at_least: bool = False,
) -> Figure:
    """The figure of several rounds' values."""
    low, middle, high = _quartiles(values)
    return Figure(what, unit, middle, low, high, len(values), bar, note, at_least)


def missing(what: str, why: str) -> Figure:
    """The row of something that could not be measured."""
    return Figure(what, "", math.nan, math.nan, math.nan, 0, note=f"**not measured**: {why}")


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
    return [
        {name: _plain(value) for name, value in asdict(one).items()} | {"held": one.held}
        for one in figures
    ]


def _plain(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


def as_markdown(figures: Iterable[Figure]) -> str:
    """A table for docs/benchmarks.md."""
    rows = ["| what | median | quartiles | bar | |", "|---|---|---|---|---|"]
    for one in figures:
        sign = "≥" if one.at_least else "≤"
        bar = "" if one.bar is None else f"{sign} {text(one.bar, one.unit)}"
        if not one.measured:
            rows.append(f"| {one.what} | – | – | {bar} | {one.note} |")
            continue
        over = "" if one.held else " **below**" if one.at_least else " **over**"
        spread = f"{text(one.low, '')}–{text(one.high, '')}".replace(" ", "")
        rows.append(
            f"| {one.what} | {text(one.value, one.unit)}{over} | {spread} | {bar} | {one.note} |"
        )
    return "\n".join(rows)


def text(value: float, unit: str) -> str:
    """A value with as many digits as mean something."""
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 100 else 0
    return f"{value:.{digits}f} {unit}".rstrip()
