"""The environment that fences get."""

from __future__ import annotations

from fencerun.engines.base import EngineOptions
from fencerun.engines.environment import for_fences, pinned


def test_pinned_over_inherited_and_the_authors_over_pinned() -> None:
    options = EngineOptions(python="p", env={"TZ": "Europe/Oslo", "A": "1"}, threads=2, width=99)
    found = for_fences({"TZ": "Asia/Tokyo", "HOME": "/h", "FORCE_COLOR": "1"}, options)
    assert (found["TZ"], found["A"], found["HOME"]) == ("Europe/Oslo", "1", "/h")
    assert (found["COLUMNS"], found["OMP_NUM_THREADS"]) == ("99", "2")
    assert "FORCE_COLOR" not in found


def test_pinned_depends_on_options_only() -> None:
    options = EngineOptions(python="p")
    assert pinned(options)["PYTHONHASHSEED"] == "0"
    assert set(pinned(options)) <= set(for_fences({}, options))
