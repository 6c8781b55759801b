"""The form of tags that a project's renderer shows well."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencerun.publishing.finding import Sites
from fencerun.reader import parse
from fencerun.tagging.renderer import choose

FENCES = "markdown_extensions:\n  - admonition\n  - pymdownx.superfences\n"


@pytest.mark.parametrize(
    ("files", "carrier", "why"),
    [
        pytest.param({}, "words", "", id="nothing"),
        pytest.param({"mkdocs.yml": FENCES}, "attributes", "mkdocs.yml", id="mkdocs"),
        pytest.param({"mkdocs.yml": "site_name: x\n"}, "comment", "mkdocs.yml", id="plain-mkdocs"),
        pytest.param({"mkdocs.yml": f"docs_dir: other\n{FENCES}"}, "words", "", id="docs-dir"),
        pytest.param({"_quarto.yml": ""}, "attributes", "_quarto.yml", id="quarto"),
        pytest.param({"_config.yml": "title: x\n"}, "comment", "_config.yml", id="jekyll"),
        pytest.param({"_config.yml": "markdown: CommonMarkGhPages"}, "words", "", id="commonmark"),
        pytest.param({"_config.yml": "title: x\n", "_toc.yml": ""}, "words", "", id="book"),
    ],
)
def test_choice(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    carrier: str,
    why: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    page = parse(b"---\ntitle: x\n---\n", "docs/part/page.md")
    choice = choose(page, Sites())
    assert (choice.carrier, choice.why) == (carrier, why)
    assert choose(page, Sites("none")).carrier == "words"


def test_what_the_project_says_of_itself() -> None:
    assert choose(parse(b"", "page.md"), Sites("quarto")).carrier == "attributes"
