from __future__ import annotations

import re
from pathlib import Path

import pytest

from fencerun import rendering
from fencerun.export.sheet import inlined, sheet

from .making import MARK, page

SVG = b"<svg xmlns='http://www.w3.org/2000/svg'/>"


@pytest.mark.parametrize(
    ("address", "made"),
    [
        ("a.png", "data:image/png;base64,eA=="),
        ("figures/a%20b.svg", "data:image/svg+xml;base64,eA=="),
        ("a.png?raw=true#x", "data:image/png;base64,eA=="),
        ("missing.png", "missing.png"),
        ("a.html", "a.html"),
        ("https://x.org/a.png", "https://x.org/a.png"),
        ("/etc/a.png", "/etc/a.png"),
        ("data:image/png;base64,AA", "data:image/png;base64,AA"),
    ],
)
def test_images_beside_the_page_are_in_the_file(address: str, made: str) -> None:
    there = {"a.png": b"x", "figures/a b.svg": b"x", "a.html": b"x"}
    assert inlined(address, there.get) == made


def test_a_sheet_is_one_file_that_loads_nothing() -> None:
    text = "# A\n\n## B\n\n![f](f.svg)\n\n## C\n\n```python fence:1\n1\n```\n"
    made = sheet(page(text), {"f.svg": SVG}.get, MARK)
    assert made.startswith(f"<!doctype html>\n<!-- {MARK} -->\n")
    assert "<title>A</title>" in made
    assert '<nav class="contents"' in made and 'href="#b"' in made
    assert "data:image/svg+xml;base64," in made
    assert "<script" not in made and "<link" not in made and "@import" not in made
    assert "default-src 'none'" in made.replace("&#x27;", "'")
    assert not re.search(r'(?:src|href)="(?!#|data:)', made)


def test_a_title_of_the_front_matter_is_shown_where_there_is_no_heading() -> None:
    assert "<h1>T &lt;</h1>" in sheet(
        page("---\ntitle: T <\n---\n\ntext\n"), lambda path: None, MARK
    )
    assert "<h1>T</h1>" not in sheet(page("---\ntitle: T\n---\n\n# U\n"), lambda path: None, MARK)


def test_every_colour_is_for_light_and_for_dark() -> None:
    styles = rendering.stylesheet()
    defined = set(re.findall(r"^  (--[\w-]+):", styles, re.MULTILINE))
    own = Path(rendering.__file__).parents[1] / "export" / "static" / "sheet.css"
    used = set(re.findall(r"var\((--[\w-]+)\)", styles + own.read_text("utf-8")))
    assert used - {"--tone"} <= defined
    plain = {"--sans", "--mono", "--measure", "--wide", "--radius"}
    for name in defined - plain - {"--tone"}:
        value = re.search(rf"^  {name}: (.*);", styles, re.MULTILINE)
        assert value is not None and value[1].startswith("light-dark("), name


@pytest.mark.parametrize(
    ("front", "said"),
    [("", "<html>"), ("---\nlang: de\n---\n", '<html lang="de">'),
     ("---\ntitle: x\nlanguage: 'pt-BR'\n---\n", '<html lang="pt-BR">'),
     ("---\ntitle: x\n---\nlang: de\n", "<html>")],
)  # fmt: skip
def test_the_language_of_front_matter(front: str, said: str) -> None:
    assert said in sheet(page(f"{front}\ntext\n"), lambda path: None, MARK)
