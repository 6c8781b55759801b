"""What holds for any request and any order of things."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencerun.serve import assets, search, shell
from fencerun.serve.app import app
from fencerun.serve.hub import Hub
from fencerun.serve.state import Line
from fencerun.serve.titles import title

from .calling import COOKIE, Listed, ask

PARTS = st.sampled_from(
    ["..", ".", "", "a", "a.png", "secret.txt", "out.png", "way", "~", "%2e%2e", "..\\", "\0", "é"]
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page's directory with links that lead out of it."""
    root = tmp_path_factory.mktemp("assets")
    inside = root / "base" / "a"
    (inside / "a").mkdir(parents=True)
    for directory in (root, root / "base", inside, inside / "a"):
        (directory / "a.png").write_text("image")
        (directory / "secret.txt").write_text("secret")
    (inside / "out.png").symlink_to(root / "a.png")
    (inside / "way").symlink_to(root)
    return root / "base"


@given(parts=st.lists(PARTS, max_size=6))
def test_what_is_handed_out_lies_beside_the_page(base: Path, parts: list[str]) -> None:
    found = assets.find("/".join(parts), base, [base / "a"])
    if found is not None:
        assert found.path.is_relative_to(base / "a")
        assert found.path.read_text() == "image"


@settings(max_examples=60)
@given(target=st.text(alphabet="/.%2eabc~\\?&=#<>\"'é", max_size=30))
def test_any_address_has_an_answer_that_is_hardened(base: Path, target: str) -> None:
    served = app(Listed({"a/x.md": "<p>x</p>"}, base))
    answer = ask(served, "GET", f"/page/{target}", COOKIE)
    assert answer.status in (200, 404)
    assert "content-security-policy" in answer.headers
    assert "<p>x</p>" not in answer.text or target.startswith("a/x.md")


@given(pauses=st.lists(st.integers(0, 5), max_size=8))
def test_a_reader_that_comes_and_goes_hears_every_message_once(pauses: list[int]) -> None:
    """Between two visits so many messages are published."""
    hub = Hub("boot")

    async def visit(last: str, count: int) -> list[str]:
        stream = hub.stream(None, last)
        frames = [await asyncio.wait_for(stream.__anext__(), 10) for _ in range(count + 1)]
        await stream.aclose()
        return re.findall(r"id: (boot-\d+)", b"".join(frames).decode())

    async def come_and_go() -> list[str]:
        heard: list[str] = []
        for count in pauses:
            for _ in range(count):
                hub.publish("run", {})
            heard += await visit(heard[-1] if heard else "boot-0", count)
        return heard

    heard = asyncio.run(come_and_go())
    assert heard == [f"boot-{number}" for number in range(1, sum(pauses) + 1)]


@given(text=st.text(), path=st.text())
def test_names_are_text_in_every_list(text: str, path: str) -> None:
    html = shell.overview([Line(path, text)], "word", "boot")
    inside = html.partition('id="ui:list"')[2].partition("</ol>")[0]
    names = set(re.findall(r"<(\w+)", inside))
    assert names <= {"li", "a", "i", "span"}


@given(words=st.text(max_size=20), text=st.text())
def test_a_hit_holds_the_words_on_the_line_that_it_names(words: str, text: str) -> None:
    lines = re.split(r"\r\n|\n|\r", text)
    for hit in search.search(words, [("p.md", "", text)]):
        if hit.text:
            line = lines[hit.number - 1].lower()
            assert all(word in line for word in words.lower().split()) or hit.number == 1


@given(text=st.text())
def test_any_text_has_a_title_or_none(text: str) -> None:
    assert "\n" not in title(text)
