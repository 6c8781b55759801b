"""`fencerun init`, as its user sees it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from fencerun import __version__, cli
from fencerun.errors import UsageError
from fencerun.files import NotWritten
from fencerun.starting import writing
from fencerun.starting.origin import Origin, installed, origin
from fencerun.starting.scaffold import LESSON, WORKFLOW, File, scaffold


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("VIRTUAL_ENV", "FENCERUN_PAGE", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)


def tree() -> dict[str, bytes | None]:
    """All that is below the working directory; directories are None."""
    return {
        str(path): None if path.is_dir() else path.read_bytes()
        for path in sorted(Path().rglob("*"))
        if ".fencerun" not in path.parts
    }


def workflow() -> Any:
    return yaml.safe_load(Path(WORKFLOW).read_text())


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = workflow()["jobs"]["check"]["steps"]
    return found


def test_from_nothing_to_a_lesson_that_is_edited(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["init"]) == 0
    said = capsys.readouterr().out
    assert said.endswith(f"next:\n  fencerun check\n  fencerun record {LESSON}\n")
    assert cli.main(["check"]) == 0
    assert "2 passed on 1 page" in capsys.readouterr().out
    page = Path(LESSON)
    first = page.read_text()
    page.write_text(first.replace("the lazy dog", "a lazy cat"))
    assert cli.main(["check"]) == 1
    said = capsys.readouterr().out
    assert "`len(letters)` is 24, and the page says 26" in said
    assert cli.main(["record", LESSON]) == 0
    assert cli.main(["check"]) == 0
    assert '<span data-fence="2:len(letters)">24</span>' in page.read_text()
    page.write_text(page.read_text().replace("a lazy cat", "the lazy dog"))
    assert cli.main(["record"]) == 0
    assert page.read_text() == first


def test_the_workflow_checks_what_was_written() -> None:
    """Its last step, as a runner would start it; what the others do is seen in their words."""
    assert cli.main(["init", "course"]) == 0
    os.chdir("course")
    assert workflow()["name"] == "fences"
    assert workflow()["permissions"] == {"contents": "read"}
    *_, python, install, check = steps()
    assert python["with"] == {"python-version": f"{sys.version_info[0]}.{sys.version_info[1]}"}
    assert install["run"] == f"pip install '{installed().requirement}'"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", check["run"]],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_twice_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["init"]) == 0
    before = tree()
    assert cli.main(["init"]) == 2
    assert tree() == before
    said = capsys.readouterr().err
    for line in (
        "pyproject.toml: it has a table [tool.fencerun] already",
        f"{LESSON}: it is there already",
        f"{WORKFLOW}: it is there already",
    ):
        assert f"\n  {line}\n" in said + "\n"


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        (LESSON, "# mine\n", "it is there already"),
        ("lessons", "a file\n", "it is no directory"),
        (".github", "a file\n", "it is no directory"),
        (WORKFLOW, "on: push\n", "it is there already"),
        ("pyproject.toml", "[tool.fencerun]\n", "it has a table"),
        ("pyproject.toml", "x =\n", "it is no TOML"),
    ],
    ids=["lesson", "lessons", "github", "workflow", "table", "broken"],
)
def test_all_or_nothing(path: str, text: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)
    before = tree()
    assert cli.main(["init"]) == 2
    assert tree() == before
    assert f"\n  {path}: {why}" in capsys.readouterr().err


@pytest.mark.parametrize("name", [LESSON, "pyproject.toml"])
def test_a_link_to_nowhere_is_in_the_way(name: str) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).symlink_to("nowhere")
    assert cli.main(["init"]) == 2
    assert Path(name).is_symlink() and not Path(WORKFLOW).exists()


def test_an_own_configuration_is_kept() -> None:
    Path("pyproject.toml").write_bytes(b'[project]\r\nname = "x"')
    Path("pyproject.toml").chmod(0o640)
    assert cli.main(["init"]) == 0
    text = Path("pyproject.toml").read_bytes()
    assert text.startswith(b'[project]\r\nname = "x"\r\n\r\n[tool.fencerun]\r\n')
    assert Path("pyproject.toml").stat().st_mode & 0o777 == 0o640
    assert cli.main(["check"]) == 0


@pytest.mark.parametrize("name", ["courses/it's one", "plain"])
def test_within_a_checkout_the_workflow_lies_at_its_top(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(".git").mkdir()
    assert cli.main(["init", name]) == 0
    assert Path(name, LESSON).is_file()
    assert not Path(name, ".github").exists()
    assert steps()[-1]["working-directory"] == name
    assert "\n  cd " in capsys.readouterr().out


# What is written, and what happens when it cannot be.


def test_a_file_that_cannot_be_written_takes_the_others_back() -> None:
    Path("pyproject.toml").write_bytes(b"x = 1\n")
    wanted, _ = scaffold(Path.cwd(), Origin("fencerun==1"))
    Path(WORKFLOW).parent.mkdir(parents=True)
    Path(WORKFLOW).write_text("made meanwhile\n")
    before = tree()
    with pytest.raises(UsageError, match="Nothing was written"):
        writing.write(wanted)
    assert tree() == before


def test_a_configuration_that_changed_meanwhile_is_kept() -> None:
    path = Path("pyproject.toml").absolute()
    path.write_bytes(b"y = 1\n")
    made = File(Path("new/file").absolute(), b"text")
    with pytest.raises(UsageError, match="changed just now"):
        writing.write([made, File(path, b"x = 1\n[tool]\n", b"x = 1\n")])
    assert tree() == {"pyproject.toml": b"y = 1\n"}


def test_a_read_only_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_bytes(b"x = 1\n")
    Path("pyproject.toml").chmod(0o444)
    assert cli.main(["init"]) == NotWritten.exit_code
    assert "it is read-only" in capsys.readouterr().err
    assert tree() == {"pyproject.toml": b"x = 1\n"}


# Where CI is to get fencerun from.

INDEX = f"fencerun=={__version__}"
COMMIT = {"vcs": "git", "commit_id": "3fa9c1"}


@pytest.mark.parametrize(
    ("noted", "expected"),
    [
        (None, Origin(INDEX)),
        ("", Origin(INDEX)),
        ("{broken", Origin(INDEX)),
        ("[]", Origin(INDEX)),
        ({"url": "file:///home/me/fencerun", "dir_info": {}}, Origin(INDEX, local=True)),
        (
            {"url": "https://example.org/fencerun", "vcs_info": COMMIT},
            Origin("fencerun @ git+https://example.org/fencerun@3fa9c1"),
        ),
        ({"url": "https://x/f.whl", "archive_info": {}}, Origin("fencerun @ https://x/f.whl")),
        ({"url": "https://x/'; rm -r /; '", "archive_info": {}}, Origin(INDEX, local=True)),
        ({"url": "ftp://x/f.whl", "archive_info": {}}, Origin(INDEX, local=True)),
    ],
    ids=["index", "empty", "broken", "list", "folder", "git", "archive", "quote", "other"],
)
def test_origin(noted: object, expected: Origin) -> None:
    text = json.dumps(noted) if isinstance(noted, dict) else noted
    assert origin(text) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("local", [True, False])
def test_a_copy_from_this_machine_is_told(local: bool) -> None:
    wanted, in_the_way = scaffold(Path.cwd(), Origin(INDEX, local))
    assert not in_the_way
    text = wanted[-1].data.decode()
    assert ("came from a folder" in text) == local
    assert f"pip install '{INDEX}'" in text
    assert not re.search(r"@[A-Z]+@", text)
