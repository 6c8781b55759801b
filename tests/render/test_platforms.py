"""`docs/publishing.md` tells users of each platform what the table of renderers says."""

from __future__ import annotations

from pathlib import Path

import pytest

from .expected import SHOWN
from .platforms import CARRIERS, PLATFORMS, Platform

PAGE = (Path(__file__).parents[2] / "docs/publishing.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: platform.name)
def test_the_page_has_its_row(platform: Platform) -> None:
    assert platform.row() in PAGE.splitlines()


def test_the_page_has_no_other_rows() -> None:
    table = PAGE.partition("| platform |")[2].partition("\n\n")[0].splitlines()
    assert len(table) - 2 == len(PLATFORMS)


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: platform.name)
def test_every_platform_has_a_form_without_a_flaw(platform: Platform) -> None:
    assert "fine" in {platform.outcome(carrier) for carrier in CARRIERS}
    assert bool(platform.renderer) != bool(platform.tried)


def test_tested_renderers_are_known() -> None:
    assert {platform.renderer for platform in PLATFORMS} - {""} <= SHOWN.keys()
