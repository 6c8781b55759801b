"""The HTML of a page in a real Chromium, at the widths of a phone, a tablet and a desktop."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
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

_LETTERS_IN_A_LINE = """() => {
    const paragraph = document.querySelector(".page > p");
    const probe = document.createElement("span");
    probe.textContent = "the quick brown fox jumps over the lazy dog ".repeat(2);
    probe.style.whiteSpace = "nowrap";
    paragraph.append(probe);
    return paragraph.getBoundingClientRect().width * probe.textContent.length /
        probe.getBoundingClientRect().width;
}"""

Browse = Callable[[Callable[[Any], Any]], Any]


@pytest.fixture(scope="module")
def browse() -> Iterator[Browse]:
    """Has a function called with a browser, and gives what it returns.

    In a thread of its own: Playwright has one browser a thread, and other tests may hold theirs.
    """
    found = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI must have a Chromium")
        pytest.skip("no Chromium is on the path")
    sync_api = pytest.importorskip("playwright.sync_api")
    with ThreadPoolExecutor(1) as thread:
        playwright = thread.submit(lambda: sync_api.sync_playwright().start()).result()
        browser = thread.submit(
            lambda: playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        ).result()
        yield lambda do: thread.submit(do, browser).result()
        thread.submit(browser.close).result()
        thread.submit(playwright.stop).result()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("export") / "lesson.html"
    page = reader.parse(LESSON.read_bytes(), str(LESSON))
    path.write_text(sheet(page, beside(str(LESSON)), MARK), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_nothing_sticks_out_and_nothing_is_wrong(browse: Browse, address: str, width: int) -> None:
    said: list[str] = []

    def look(browser: Any) -> tuple[list[str], int, bool]:
        view = browser.new_page(viewport={"width": width, "height": 900})
        view.on("console", lambda message: said.append(message.text))
        view.on("request", lambda request: said.append(request.url[:80]))
        view.goto(address)
        found = view.evaluate(_STICKING_OUT)
        whole = view.evaluate("document.documentElement.scrollWidth")
        contents = view.locator(".contents > ol").is_visible()
        view.close()
        return found, whole, contents

    assert browse(look) == ([], width, width == 1400)
    assert [one for one in said if not one.startswith(("data:", address))] == []


def test_light_dark_and_print(browse: Browse, address: str) -> None:
    def look(browser: Any) -> list[list[str]]:
        view = browser.new_page(viewport={"width": 800, "height": 900}, color_scheme="light")
        view.goto(address)
        style = "getComputedStyle(document.body)"
        colours = f"[{style}.backgroundColor, {style}.color]"
        found = [view.evaluate(colours)]
        for media in ("screen", "print"):
            view.emulate_media(color_scheme="dark", media=media)
            found.append(view.evaluate(colours))
        view.emulate_media(color_scheme="dark", media="screen")
        view.evaluate("document.documentElement.dataset.theme = 'light'")
        found.append(view.evaluate(colours))
        view.close()
        return found

    light, dark, paper, chosen = browse(look)
    assert not set(light) & set(dark)
    assert paper[0] == "rgb(255, 255, 255)" and chosen == light


def test_the_measure_and_the_pair(browse: Browse, address: str) -> None:
    def look(browser: Any) -> tuple[float, dict[str, float], dict[str, float]]:
        view = browser.new_page(viewport={"width": 1400, "height": 900})
        view.goto(address)
        letters = view.evaluate(_LETTERS_IN_A_LINE)
        code, output = (
            view.evaluate(
                f"document.querySelector('.fence > .{part}').getBoundingClientRect().toJSON()"
            )
            for part in ("fence-code", "fence-output")
        )
        view.close()
        return letters, code, output

    letters, code, output = browse(look)
    assert 62 <= letters <= 80
    assert abs(code["bottom"] - output["top"]) <= 1 and code["width"] == output["width"]
