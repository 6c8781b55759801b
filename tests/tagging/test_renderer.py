"""The form of tags that a project's renderer shows well."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencerun.tagging.renderer import choose

FENCES = "markdown_extensions:\n  - admonition\n  - pymdownx.superfences\n"


@pytest.mark.parametrize(
    ("files", "carrier", "why"),
    [
        pytest.param({}, "words", "", id="nothing"),
        pytest.param({"mkdocs.yml": FENCES}, "attributes", "mkdocs.yml", id="mkdocs"),
        pytest.param(
            {"mkdocs.yml": "x: !!python/name:a.b\n" + FENCES}, "attributes", "mkdocs.yml", id="tags"
        ),
        pytest.param({"mkdocs.yml": "site_name: x\n"}, "comment", "mkdocs.yml", id="plain-mkdocs"),
        pytest.param(
            {"mkdocs.yml": f"{FENCES[:-1]}:\n      relaxed_headers: true\n"},
            "words",
            "mkdocs.yml",
            id="relaxed",
        ),
        pytest.param({"mkdocs.yml": f"docs_dir: other\n{FENCES}"}, "words", "", id="docs-dir"),
        pytest.param({"zensical.toml": ""}, "attributes", "zensical.toml", id="zensical"),
        pytest.param({"_quarto.yml": ""}, "attributes", "_quarto.yml", id="quarto"),
        pytest.param({"_config.yml": "title: x\n"}, "comment", "_config.yml", id="jekyll"),
        pytest.param(
            {"_config.yml": "markdown: CommonMarkGhPages\n"}, "words", "_config.yml", id="jekyll-cm"
        ),
        pytest.param({"_config.yml": "title: x\n", "_toc.yml": ""}, "words", "", id="jupyter-book"),
        pytest.param({"_config.yml": "sphinx:\n  x: 1\n"}, "words", "", id="sphinx"),
    ],
)
def test_choice(tmp_path: Path, files: dict[str, str], carrier: str, why: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "docs/part").mkdir(parents=True)
    choice = choose(str(tmp_path / "docs/part/page.md"), tmp_path)
    assert (choice.carrier, choice.why) == (carrier, why)


def test_mkdocs_does_not_render_the_readme(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text(FENCES)
    assert choose(str(tmp_path / "README.md"), tmp_path).carrier == "words"


def test_nothing_above_the_root_counts(tmp_path: Path) -> None:
    (tmp_path / "_quarto.yml").write_text("")
    root = tmp_path / "project"
    root.mkdir()
    assert choose(str(root / "page.md"), root).carrier == "words"
