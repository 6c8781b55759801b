"""Images of a page, and what was drawn just now."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import pytest

from fencerun.events import Verdict
from fencerun.reader import parse
from fencerun.serve import pictures


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lessons/figures").mkdir(parents=True)
    (tmp_path / "lessons/figures/a b.svg").write_text("<svg/>")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_images_beside_the_page_have_a_size(here: Path) -> None:
    size = pictures.sized("lessons/x.md")
    svg = here / "lessons/figures/a b.svg"
    assert size("figures/a%20b.svg#part") is None
    svg.write_text('<svg width="72pt" height="36pt">' + " " * 9000 + "</svg>")
    assert size("figures/a%20b.svg#part") == (96, 48)
    os.mkfifo(here / "lessons/waits.png")
    for other in ("none.svg", "waits.png", "figures", "https://x.example/a.svg", "a\0.svg"):
        assert size(other) is None


def test_an_address_changes_with_its_file(here: Path) -> None:
    address = pictures.versioned("lessons/x.md")
    before = address("figures/a%20b.svg")
    assert before.startswith("figures/a%20b.svg?v=")
    assert address("figures/a%20b.svg#part") == before
    os.utime(here / "lessons/figures/a b.svg", ns=(1, 1))
    assert address("figures/a%20b.svg") != before


@pytest.mark.parametrize(
    "written",
    [
        "https://x.example/a.svg",
        "//x.example/a.svg",
        "data:image/png;base64,AA",
        "none.svg",
        "",
        "figures/a%20b.svg?v=1",
        "#part",
        "a%00b.svg",
        "\udce9.svg",
    ],
)
def test_other_addresses_stay(written: str) -> None:
    assert pictures.versioned("lessons/x.md")(written) == written


def test_a_page_with_figures_is_another_one_once_they_are_drawn_anew(here: Path) -> None:
    page = parse(b"```python fence:1 figure:a.svg\n1\n```\n", "lessons/x.md")
    before = pictures.stamps(page)
    assert before == pictures.stamps(page)
    os.utime(here / "lessons/figures/a b.svg", ns=(1, 1))
    assert pictures.stamps(page) != before


def test_no_file_is_looked_at_for_a_page_without_figures() -> None:
    assert pictures.stamps(parse(b"```python fence:1\n1\n```\n", "lessons/x.md")) == ()
    assert pictures.stamps(parse(b"```python fence:1 figure:a.svg\n1\n```\n", "no/x.md")) == ()


@pytest.mark.parametrize(
    ("kind", "shown"), [("changed", True), ("unrecorded", True), ("passed", False)]
)
def test_what_was_drawn_is_an_image_and_no_markup(kind: Any, shown: bool) -> None:
    svg = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    html = pictures.drawn(Verdict("a.md::1", kind, "a.md", 1, 1, figures=(svg,)))
    assert bool(html) == shown
    assert "<script" not in html
    assert (base64.b64encode(svg.encode()).decode() in html) == shown
    assert pictures.drawn(None) == ""
