from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from fencerun.cli import main

from .making import write

PAGE = "# A\n\n```python fence:1\nprint(1)\n```\n\n```text output:1\n1\n```\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.fencerun]\nenv = {A_TOKEN = 'verysecret', B = 'b'}\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("to", ["ipynb", "py", "html"])
def test_beside_the_page_and_again(
    project: Path, to: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, PAGE)
    assert main(["export", "page.md", "--to", to]) == 0
    assert capsys.readouterr().out == f"page.{to}: written\n"
    first = (project / f"page.{to}").read_bytes()
    assert b"/tmp" not in first and str(project).encode() not in first
    write(project, PAGE + "\nmore\n")
    assert main(["export", "page.md", "--to", to]) == 0
    assert b"more" in (project / f"page.{to}").read_bytes()


@pytest.mark.parametrize("to", ["ipynb", "py"])
def test_secrets_of_the_configuration_stay_there(project: Path, to: str) -> None:
    write(project, PAGE)
    assert main(["export", "page.md", "--to", to]) == 0
    made = (project / f"page.{to}").read_text()
    assert "'B': 'b'" in made and "verysecret" not in made


def test_what_is_somebody_elses_stays(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, PAGE)
    (project / "page.py").write_text("mine\n")
    assert main(["export", "page.md", "--to", "py"]) == 2
    assert "--force" in capsys.readouterr().err
    assert (project / "page.py").read_text() == "mine\n"
    assert main(["export", "page.md", "--to", "py", "--force"]) == 0
    assert "fencerun export of page.md" in (project / "page.py").read_text()


def test_a_notebook_that_jupyter_saved_unchanged_may_go(project: Path) -> None:
    import nbformat

    write(project, PAGE)
    assert main(["export", "page.md", "--to", "ipynb"]) == 0
    path = project / "page.ipynb"
    book = nbformat.read(str(path), 4)  # type: ignore[no-untyped-call]
    nbformat.write(book, str(path))  # type: ignore[no-untyped-call]
    assert main(["export", "page.md", "--to", "ipynb"]) == 0
    path.write_text(path.read_text().replace("print(1)", "print(2)"))
    assert main(["export", "page.md", "--to", "ipynb"]) == 2


def test_elsewhere(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, PAGE)
    (project / "out").mkdir()
    assert main(["export", "page.md", "--to", "py", "-o", "out/x.py"]) == 0
    assert (project / "out" / "x.py").is_file()
    capsys.readouterr()
    assert main(["export", "page.md", "--to", "py", "-o", "-"]) == 0
    assert capsys.readouterr().out == (project / "out" / "x.py").read_text()


def test_to_a_terminal_in_another_encoding(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project, "# Café\n\n" + PAGE)
    below = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(below, encoding="ascii"))
    assert main(["export", "page.md", "--to", "py", "-o", "-"]) == 0
    assert "Café" in below.getvalue().decode("utf-8")


def test_several_pages(project: Path) -> None:
    (project / "docs").mkdir()
    write(project / "docs", PAGE, "a.md")
    write(project / "docs", PAGE, "b.md")
    assert main(["export", "docs", "--to", "py"]) == 0
    assert sorted(path.name for path in (project / "docs").glob("*.py")) == ["a.py", "b.py"]
    assert main(["export", "docs", "--to", "py", "-o", "x.py"]) == 2
    (project / "out").mkdir()
    assert main(["export", "docs", "--to", "py", "-o", "out"]) == 0
    assert sorted(path.name for path in (project / "out").iterdir()) == ["a.py", "b.py"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.md", "--to", "py"], "no such file"),
        (["page.md::1", "--to", "py"], "one fence of it is no page"),
        (["page.md:3", "--to", "py"], "one fence of it is no page"),
        (["page.md", "--to", "py", "-o", "page.md"], "the page itself"),
        (["page.md", "--to", "py", "-o", "page.md", "--force"], "the page itself"),
        (["page.md", "--to", "py", "-o", "pyproject.toml/x.py"], "pyproject.toml is no directory"),
        (["page.md", "--to", "py", "-o", "a b/c/x.py"], "Run `mkdir -p 'a b/c'`"),
        (["page.md", "--to", "py", "-o", "nowhere/"], "Run `mkdir -p nowhere`"),
        (["page.md", "b.md", "--to", "py", "-o", "nowhere"], "Run `mkdir -p nowhere`"),
        (["page.md", "b.md", "--to", "py", "-o", "page.md"], "there are 2 pages. Name one"),
    ],
)
def test_what_makes_no_sense(
    project: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(project, PAGE)
    write(project, PAGE, "b.md")
    before = sorted(project.rglob("*"))
    assert main(["export", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert path.read_text() == PAGE
    assert [name for name in sorted(project.rglob("*")) if name not in before] == []


def test_no_script_hides_a_module_of_python(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, PAGE, "random.md")
    assert main(["export", "random.md", "--to", "py", "--force"]) == 2
    assert "hide" in capsys.readouterr().err
    assert main(["export", "random.md", "--to", "py", "-o", "random_page.py"]) == 0
    assert main(["export", "random.md", "--to", "ipynb"]) == 0


def test_a_page_with_a_problem_is_left_out(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, PAGE, "a.md")
    write(project, PAGE.replace("fence:1", "fence:1 contniues:1"), "b.md")
    assert main(["export", "a.md", "b.md", "--to", "py"]) == 3
    assert "b.md:3: problem" in capsys.readouterr().out
    assert (project / "a.py").exists() and not (project / "b.py").exists()


def test_one_that_stays_does_not_keep_the_others(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b", "c", "d"):
        write(project, PAGE, f"{name}.md")
    (project / "a.py").write_text("mine\n")
    (project / "c.py").write_text("mine\n")
    assert main(["export", ".", "--to", "py"]) == 2
    said = capsys.readouterr()
    assert "a.py: not written" in said.out and "c.py: not written" in said.err
    assert "print(1)" in (project / "b.py").read_text() + (project / "d.py").read_text()
    assert (project / "d.py").exists() and (project / "b.py").exists()


def test_without(project: Path) -> None:
    write(project, PAGE.replace("fence:1", "fence:1 requires:network"))
    assert main(["export", "page.md", "--to", "ipynb", "--without", "network"]) == 0
    book = json.loads((project / "page.ipynb").read_text())
    tags = [cell["metadata"].get("tags", []) for cell in book["cells"]]
    assert any("skip-execution" in one for one in tags)


@pytest.mark.parametrize(
    ("to", "module", "extra"), [("ipynb", "nbformat", "notebook"), ("html", "nh3", "html")]
)
def test_a_missing_extra_is_named(
    project: Path,
    to: str,
    module: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(project, PAGE)
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["export", "page.md", "--to", to]) == 2
    assert f"ip install 'fencerun[{extra}]'" in capsys.readouterr().err
