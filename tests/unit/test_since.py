"""Pages that a change touches, in a repository of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fencerun import launch
from fencerun.errors import UsageError
from fencerun.session import Request

FILES = {
    "plain.md": "```python fence:1\nprint(1)\n```\n",
    "imports.md": "```python fence:1\nimport helper\n```\n",
    "uses.md": "```python fence:1 uses:data.csv\nopen('data.csv')\n```\n",
    "shell.md": "```bash fence:1\nimport helper\n```\n",
    "setup.md": "---\nfencerun:\n  setup: prelude.py\n---\n\n```python fence:1\nx\n```\n",
    "own.md": "```python file:helper.py\ny = 1\n```\n\n```python fence:1\nimport helper\n```\n",
    "drawn.md": "```python fence:1 figure:a.svg\nx\n```\n\n"
    "<!-- output:1 -->\n\n![a](figures/a.svg)\n\n<!-- /output:1 -->\n",
    "sub/deep.md": "```python fence:1\nprint(2)\n```\n",
    "helper.py": "from pkg import part\n",
    "pkg/__init__.py": "",
    "pkg/part.py": "x = 1\n",
    "prelude.py": "import pkg\n",
    "data.csv": "1\n",
    "figures/a.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>\n",
    "pyproject.toml": "[tool.fencerun]\n",
}
PAGES = {name for name in FILES if name.endswith(".md")}


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def commit() -> None:
    git("add", "-A")
    git("commit", "-m", "x")


@pytest.fixture(autouse=True)
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FENCERUN_PAGE", "GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    git("init", "-b", "main")
    commit()


def pages(ref: str = "HEAD", *targets: str) -> set[str]:
    request = Request("check", launch.targets(targets), since=ref)
    return set(launch.session(request, lambda event: None).names)


def test_nothing_changed() -> None:
    assert pages() == set()


def test_names_begin_at_the_top_whatever_git_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    git("config", "diff.relative", "true")
    Path("sub/pyproject.toml").write_text("[tool.fencerun]\n")
    Path("sub/again.md").write_text("```python fence:1 uses:deep.md\nx\n```\n")
    commit()
    Path("sub/deep.md").write_text("```python fence:1\nprint(3)\n```\n")
    monkeypatch.chdir("sub")
    assert pages() == {"deep.md", "again.md"}


CHANGES = {
    "plain.md": {"plain.md"},
    "sub/deep.md": {"sub/deep.md"},
    "helper.py": {"imports.md"},
    "pkg/part.py": {"imports.md"},
    "pkg/__init__.py": {"imports.md", "setup.md"},
    "prelude.py": {"setup.md"},
    "data.csv": {"uses.md"},
    "figures/a.svg": {"drawn.md"},
    "pyproject.toml": PAGES,
}


@pytest.mark.parametrize(("name", "touched"), CHANGES.items(), ids=list(CHANGES))
def test_a_page_is_touched_by_itself_and_by_what_it_uses(name: str, touched: set[str]) -> None:
    with open(name, "a") as file:
        file.write("\n\n")
    assert pages() == touched
    commit()
    assert pages() == set()
    assert pages("HEAD~1") == touched


def test_a_deleted_module_touches_what_imports_it() -> None:
    Path("pkg/part.py").unlink()
    assert pages() == {"imports.md"}


def test_a_new_module_and_a_new_page_count_before_git_knows_them() -> None:
    Path("print.py").write_text("")
    Path("new.md").write_text("```python fence:1\nimport print\n```\n")
    Path("other.md").write_text("prose\n")
    assert pages() == {"new.md", "other.md"}


def test_what_git_ignores_is_no_change() -> None:
    Path(".gitignore").write_text("helper.py\n")
    git("rm", "--cached", "helper.py")
    commit()
    Path("helper.py").write_text("x = 2\n")
    assert pages() == set()


def test_what_happened_on_the_other_branch_is_no_change_here() -> None:
    git("checkout", "-b", "topic")
    Path("sub/deep.md").write_text(FILES["sub/deep.md"] + "\nmore\n")
    commit()
    git("checkout", "main")
    Path("plain.md").write_text(FILES["plain.md"] + "\nmore\n")
    commit()
    git("checkout", "topic")
    assert pages("main") == {"sub/deep.md"}


def test_a_linked_page_is_touched_where_it_lies() -> None:
    Path("link.md").symlink_to("sub/deep.md")
    commit()
    Path("sub/deep.md").write_text(FILES["sub/deep.md"] + "\nmore\n")
    assert pages("HEAD", "link.md") == {"link.md"}


def test_from_a_directory_below(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("sub/deep.md").write_text("prose\n")
    monkeypatch.chdir("sub")
    assert pages() == {"deep.md"}


def test_single_fences_of_pages_that_are_left_out_are_left_out() -> None:
    Path("plain.md").write_text(FILES["plain.md"] + "\nmore\n")
    assert pages("HEAD", "plain.md::1", "uses.md::1") == {"plain.md"}


@pytest.mark.parametrize("ref", ["nowhere", "--output=x", ""])
def test_a_ref_that_is_none_is_refused(ref: str) -> None:
    with pytest.raises(UsageError, match="git knows no such commit"):
        pages(ref)
    assert not Path("x").exists()


def test_outside_a_repository(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(UsageError, match="git knows no such commit"):
        pages()
