"""The HTML of a page in a real Chromium, at the widths of a phone, a tablet and a desktop."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fencerun import reader
from fencerun.beside import beside
from fencerun.export.sheet import sheet

from .making import MARK

LESSON = Path(__file__).parents[2] / "lessons" / "25_custom_ops.md"

#: Elements that stick out of the page, but for those in an element that scrolls.
_STICKING_OUT = """() => {
    const scrolls = e => e && e !== document.body &&
        (getComputedStyle(e).overflowX !== "visible" || scrolls(e.parentElement));
    return [...document.querySelectorAll("body *")]
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e.parentElement))
        .map(e => e.outerHTML.slice(0, 80));
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    found = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if found is None:
        assert not os.environ.get("CI"), "no Chromium, and CI is to have one"
        pytest.skip("no Chromium is installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("export") / "lesson.html"
    page = reader.parse(LESSON.read_bytes(), str(LESSON))
    path.write_text(sheet(page, beside(str(LESSON)), MARK), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_nothing_sticks_out_and_nothing_is_wrong(chromium: Any, address: str, width: int) -> None:
    said: list[str] = []
    view = chromium.new_page(viewport={"width": width, "height": 900})
    view.on("console", lambda message: said.append(message.text))
    view.on("request", lambda request: said.append(request.url[:80]))
    view.goto(address)
    assert view.evaluate(_STICKING_OUT) == []
    assert view.evaluate("document.documentElement.scrollWidth") == width
    assert [one for one in said if not one.startswith(("data:", address))] == []
    shown = view.locator(".contents > ol").is_visible()
    assert shown == (width == 1400)
    view.close()


def test_light_dark_and_print(chromium: Any, address: str) -> None:
    def colours(view: Any) -> tuple[str, str]:
        page = "getComputedStyle(document.body)"
        found = view.evaluate(f"[{page}.backgroundColor, {page}.color]")
        return found[0], found[1]

    view = chromium.new_page(viewport={"width": 800, "height": 900}, color_scheme="light")
    view.goto(address)
    light = colours(view)
    view.emulate_media(color_scheme="dark")
    dark = colours(view)
    view.emulate_media(color_scheme="dark", media="print")
    assert colours(view)[0] == "rgb(255, 255, 255)"
    assert not set(light) & set(dark)
    view.emulate_media(color_scheme="dark", media="screen")
    view.evaluate("document.documentElement.dataset.theme = 'light'")
    assert colours(view) == light
    view.close()


def test_the_measure_and_the_pair(chromium: Any, address: str) -> None:
    view = chromium.new_page(viewport={"width": 1400, "height": 900})
    view.goto(address)
    prose = view.evaluate("document.querySelector('.page > p').getBoundingClientRect().width")
    letters = view.evaluate(
        """() => {
            const probe = document.createElement("span");
            probe.textContent = "the quick brown fox jumps over the lazy dog ".repeat(2);
            probe.style.whiteSpace = "nowrap";
            document.querySelector(".page > p").append(probe);
            const width = probe.getBoundingClientRect().width / probe.textContent.length;
            probe.remove();
            return width;
        }"""
    )
    assert 62 <= prose / letters <= 80
    code, output = (
        view.evaluate(f"document.querySelector('{part}').getBoundingClientRect().toJSON()")
        for part in (".fence > .fence-code", ".fence > .fence-output")
    )
    assert abs(code["bottom"] - output["top"]) <= 1 and code["width"] == output["width"]
    view.close()
