"""Which pages a run is about."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fencerun.discovery import NoSuchPath, discover


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, with no git above it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return tmp_path


def make(*names: str) -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def git(*arguments: str, at: str = ".") -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", at, *who, *arguments], check=True, capture_output=True)


@pytest.mark.parametrize("checkout", [False, True], ids=["plain", "git"])
def test_a_directory_means_the_markdown_below_it(tree: Path, checkout: bool) -> None:
    if checkout:
        git("init", "-q")
    make("b.md", "a.markdown", "c.txt", "d/E.MD", "d/e/f.md", ".hid/g.md", "d/.hid/h.md", ".i.md")
    expected = (".i.md", "a.markdown", "b.md", "d/E.MD", "d/e/f.md")
    assert discover(["."], root=tree) == expected
    assert discover(["d"], root=tree) == ("d/E.MD", "d/e/f.md")
    assert discover([str(tree / "d" / "e")], root=tree) == (str(tree / "d/e/f.md"),)


def test_files_are_taken_as_named_and_in_order(tree: Path) -> None:
    make("b.md", "a.txt", ".hid/c.md", "d/e.md")
    named = ["b.md", "a.txt", ".hid/c.md", "./d/e.md"]
    assert discover(named, root=tree, exclude=["d", "*.txt"]) == tuple(named)


def test_what_git_ignores_is_left_out(tree: Path) -> None:
    git("init", "-q")
    make("a.md", "build/b.md", "d/c.md", "d/out.md", "é ü.md", "gone.md")
    Path(".gitignore").write_text("build/\nout.md\n")
    git("add", "a.md", "gone.md")
    Path("gone.md").unlink()
    assert discover(["."], root=tree) == ("a.md", "d/c.md", "é ü.md")
    assert discover(["d"], root=tree) == ("d/c.md",)


def test_an_ignored_directory_can_be_asked_for(tree: Path) -> None:
    git("init", "-q")
    make("build/b.md")
    Path(".gitignore").write_text("build/\n")
    assert discover(["build"], root=tree) == ("build/b.md",)


def test_an_empty_directory_of_a_checkout_has_no_pages(tree: Path) -> None:
    git("init", "-q")
    Path("empty").mkdir()
    assert discover(["empty", "."], root=tree) == ()


def test_a_checkout_within_a_checkout_is_searched_too(tree: Path) -> None:
    git("init", "-q")
    make("a.md", "inner/b.md", "inner/build/c.md")
    git("init", "-q", at="inner")
    Path("inner/.gitignore").write_text("build/\n")
    assert discover(["."], root=tree) == ("a.md", "inner/b.md")


def test_git_hooks_do_not_lead_astray(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git("init", "-q")
    make("d/a.md", "d/out.md", "other/b.md")
    Path(".gitignore").write_text("out.md\n")
    git("init", "-q", at="other")
    monkeypatch.setenv("GIT_DIR", str(tree / "other" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tree / "nowhere"))
    assert discover(["d"], root=tree) == ("d/a.md",)


def test_without_git_hidden_folders_are_still_left_out(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make("a.md", ".venv/b.md")
    monkeypatch.setenv("PATH", "")
    assert discover(["."], root=tree) == ("a.md",)


@pytest.mark.parametrize("checkout", [False, True], ids=["plain", "git"])
def test_each_page_comes_once(tree: Path, checkout: bool) -> None:
    if checkout:
        git("init", "-q")
    make("a.md", "d/b.md")
    Path("link.md").symlink_to("a.md")
    Path("loop").symlink_to(".")
    assert discover(["a.md", ".", "d", "./a.md"], root=tree) == ("a.md", "d/b.md")
    assert discover(["link.md", "a.md"], root=tree) == ("link.md",)


@pytest.mark.parametrize("checkout", [False, True], ids=["plain", "git"])
def test_links_to_directories_are_not_followed(tree: Path, checkout: bool) -> None:
    make("work/a.md", "elsewhere/b.md")
    if checkout:
        git("init", "-q", at="work")
    Path("work/link").symlink_to("../elsewhere")
    assert discover(["work"], root=tree) == ("work/a.md",)
    assert discover(["work/link"], root=tree) == ("work/link/b.md",)


def test_a_dangling_link_in_a_directory_is_no_page(tree: Path) -> None:
    Path("gone.md").symlink_to("nowhere.md")
    assert discover(["."], root=tree) == ()


@pytest.mark.parametrize("name", ["nowhere.md", "no/where", ""])
def test_a_missing_path_is_named(tree: Path, name: str) -> None:
    make("a.md")
    with pytest.raises(NoSuchPath, match="no such file") as caught:
        discover(["a.md", name], root=tree)
    assert caught.value.path == name
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("lessons/07", "lessons/07.md"),
        ("lessons/7.md", "lessons/07.md"),
        ("lessens", "lessons"),
        ("a page", "'a page.md'"),
        ("other.md", ""),
    ],
)
def test_a_missing_path_that_is_nearly_there_is_found(tree: Path, name: str, meant: str) -> None:
    make("lessons/07.md", "a page.md")
    with pytest.raises(NoSuchPath) as caught:
        discover([name], root=tree)
    assert caught.value.remedy == (f"did you mean `{meant}`?" if meant else "")


@pytest.mark.parametrize(
    ("number", "closed", "remedy"),
    [
        (errno.EACCES, "", "run `chmod u+r 'a b/p.md'`"),
        (errno.EPERM, "", "run `chmod u+r 'a b/p.md'`"),
        (errno.EACCES, "a b", "run `chmod u+x 'a b'`"),
        (errno.ELOOP, "", "its symbolic links lead in a circle"),
    ],
)
def test_what_cannot_be_read_has_a_remedy(
    monkeypatch: pytest.MonkeyPatch, number: int, closed: str, remedy: str
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != closed)
    error = NoSuchPath.of("a b/p.md", OSError(number, os.strerror(number)))
    assert error.what == f"a b/p.md: {os.strerror(number)}"
    assert error.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        ([], ["a.md", "d/a.md", "d/e/b.md"]),
        (["a.md"], ["d/e/b.md"]),
        (["d"], ["a.md"]),
        (["d/"], ["a.md"]),
        (["d/e"], ["a.md", "d/a.md"]),
        (["d/*"], ["a.md"]),
        (["*/a.md"], ["a.md", "d/e/b.md"]),
        (["b*"], ["a.md", "d/a.md"]),
        (["e", "zzz"], ["a.md", "d/a.md"]),
    ],
    ids=str,
)
@pytest.mark.parametrize("below", [".", "sub"])
def test_exclude(tree: Path, patterns: list[str], left: list[str], below: str) -> None:
    """Patterns are relative to the root, wherever the command is given."""
    root = tree / "root"
    make("root/a.md", "root/d/a.md", "root/d/e/b.md")
    found = discover(["root"], root=root, exclude=patterns)
    assert found == tuple(f"root/{name}" for name in left)
    (root / "sub").mkdir()
    os.chdir(root / below)
    found = discover([str(root)], root=root, exclude=patterns)
    assert [os.path.relpath(name, root) for name in found] == left


def test_what_is_no_regular_file_is_refused_unread(tree: Path) -> None:
    os.mkfifo("f.md")
    os.symlink("f.md", "link.md")
    for name in ("f.md", "link.md", os.devnull):
        with pytest.raises(NoSuchPath, match="no regular file"):
            discover([name], root=tree)
    make("a.md")
    assert discover(["."], root=tree) == ("a.md",)


def test_a_directory_that_cannot_be_read_is_told(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make("a.md", "locked/b.md")
    real = os.scandir

    def scandir(path: str) -> object:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    told: list[tuple[str, str]] = []
    assert discover(["."], root=tree, unread=lambda *one: told.append(one)) == ("a.md",)
    assert told == [("locked", "Permission denied")]


def test_what_git_could_not_open_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git("init", "-q")
    make("a.md", "d/a.md")
    real = subprocess.run

    def run(*arguments: Any, **options: Any) -> Any:
        done = real(*arguments, **options)
        done.stderr += b"warning: could not open directory 'd/e f/': Permission denied\n"
        done.stderr += b"warning: could not open directory '.git/x/': Permission denied\n"
        return done

    monkeypatch.setattr(subprocess, "run", run)
    told: list[tuple[str, str]] = []
    found = discover(["."], root=tree, unread=lambda *one: told.append(one))
    assert found == ("a.md", "d/a.md")
    assert told == [("d/e f", "Permission denied")]


@pytest.mark.parametrize("checkout", [False, True], ids=["plain", "git"])
def test_a_page_that_cannot_be_looked_at_is_told(
    tree: Path, monkeypatch: pytest.MonkeyPatch, checkout: bool
) -> None:
    if checkout:
        git("init", "-q")
    make("a.md", "locked/b.md")
    real = Path.is_file

    def is_file(self: Path) -> bool:
        if self.parent.name == "locked":
            raise PermissionError(13, "Permission denied", str(self))
        return real(self)

    monkeypatch.setattr(Path, "is_file", is_file)
    told: list[tuple[str, str]] = []
    assert discover(["."], root=tree, unread=lambda *one: told.append(one)) == ("a.md",)
    assert told == [("locked", "Permission denied")]
