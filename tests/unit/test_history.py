"""The commit whose code was recorded, found in a page's past."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from fencerun.freshness import Part, chain_of, changes, of_chain, source_hash
from fencerun.frontmatter import PageSettings
from fencerun.history import parts_when_recorded
from fencerun.members import members
from fencerun.reader import parse

BASE = PageSettings()
PAGE = "lessons/p.md"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    (tmp_path / "lessons").mkdir()
    git("init", "-q", "-b", "main")
    return tmp_path


def git(*arguments: str) -> str:
    identity = ("-c", "user.name=An Author", "-c", "user.email=author@example.org")
    done = subprocess.run(
        ["git", *identity, "-c", "commit.gpgsign=false", *arguments],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


def commit(text: str, **files: str) -> str:
    """Commit the page, and files beside it whose names have no dots here."""
    Path(PAGE).write_text(text)
    for name, content in files.items():
        Path("lessons", name.replace("_dot_", ".")).write_text(content)
    git("add", ".")
    git("commit", "-q", "--allow-empty", "-m", "a change")
    return git("rev-parse", "--short", "HEAD")


def page(*codes: str) -> str:
    return "\n".join(
        f"```python fence:{n}{f' continues:{n - 1}' if n > 1 else ''}\n{code}\n```\n"
        for n, code in enumerate(codes, 1)
    )


def parts(number: int) -> tuple[Part, ...]:
    """What the fence depends on now."""
    settled = {m.fence.number: m for m in members(parse(Path(PAGE).read_bytes(), PAGE), BASE)}

    def read(name: str) -> bytes | None:
        file = Path("lessons", name)
        return file.read_bytes() if file.is_file() else None

    return of_chain(chain_of(settled[number], settled), read)


def source(number: int) -> str:
    """The first half of the key that the fence would get now."""
    return source_hash(parts(number))


def found(number: int, source: str) -> str | None:
    """The commit."""
    past = parts_when_recorded(PAGE, number, source, BASE)
    return None if past is None else past[0]


def test_the_newest_commit_with_that_code(checkout: Path) -> None:
    commit(page("a = 1"))
    recorded = source(1)
    second = commit(page("a = 1") + "\nMore prose.\n")
    commit(page("a = 2"))
    assert found(1, recorded) == second
    assert found(1, "0" * 8) is None


def test_what_it_continues_counts_and_what_follows_does_not(checkout: Path) -> None:
    commit(page("a = 1", "b = a", "c = b"))
    recorded = source(2)
    second = commit(page("a = 1", "b = a", "c = 2 * b"))
    commit(page("a = 2", "b = a", "c = 2 * b"))
    assert found(2, recorded) == second


def test_modules_beside_the_page_are_those_of_the_commit(checkout: Path) -> None:
    """Also of one that touched nothing else."""
    commit(page("import helper"), helper_dot_py="x = 1\n")
    recorded = source(1)
    second = commit(page("import helper"), other_dot_py="y = 1\n")
    commit(page("import helper"), helper_dot_py="x = 2\n")
    assert source(1) != recorded
    past = parts_when_recorded(PAGE, 1, recorded, BASE)
    assert past is not None
    assert past[0] == second
    assert changes(past[1], parts(1)) == ("module helper.py changed",)


def test_commits_without_the_fence_or_the_page_are_passed_over(checkout: Path) -> None:
    first = commit(page("a = 1", "b = 2"))
    recorded = source(2)
    commit(page("a = 1"))
    git("rm", "-q", "--cached", PAGE)
    git("commit", "-q", "-m", "gone")
    commit(page("a = 1", "b = 3"))
    assert found(2, recorded) == first


BROKEN = {
    "a number twice": "```python fence:1\na = 1\n```\n```python fence:1\na = 1\n```\n",
    "continues nothing": "```python fence:1 continues:7\na = 1\n```\n",
    "a circle": "```python fence:2 continues:1\n```\n```python fence:1 continues:2\n```\n",
    "front matter": "---\nfencerun: [\n---\n```python fence:1\na = 1\n```\n",
    "unclosed": "```python fence:1\na = 1\n",
    "no UTF-8": "\udcff\n```python fence:1\na = 1\n```\n",
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=list(BROKEN))
def test_a_page_that_was_broken_once_is_no_obstacle(checkout: Path, broken: str) -> None:
    """Nothing of it ran, so nothing was recorded then."""
    first = commit(page("a = 1"))
    recorded = source(1)
    Path(PAGE).write_bytes(broken.encode("utf-8", "surrogateescape"))
    git("commit", "-q", "-a", "-m", "broken")
    commit(page("a = 2"))
    assert found(1, recorded) == first


def test_without_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lessons").mkdir()
    Path(PAGE).write_text(page("a = 1"))
    assert found(1, source(1)) is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert found(1, source(1)) is None


def test_in_a_git_hook(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git tells its hooks of their own repository, which need not be the page's."""
    first = commit(page("a = 1"))
    recorded = source(1)
    commit(page("a = 2"))
    monkeypatch.setenv("GIT_DIR", str(checkout / "elsewhere"))
    assert found(1, recorded) == first
