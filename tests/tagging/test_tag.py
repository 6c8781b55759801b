"""Cases of `fencerun tag --try`: pages of courses, tagged by running them, byte for byte.

A folder of ``tests/cases/tag`` holds ``before.md``, ``after.md`` and ``expected.txt``: the exit
code, then what is printed. Everything else in it lies beside the page. With
``FENCERUN_UPDATE_CASES=1`` in the environment the expected files are written instead.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from io import StringIO
from pathlib import Path

import pytest

from fencerun.cli import main
from fencerun.tagging.work import Wish, tag

CASES = Path(__file__).parents[1] / "cases/tag"
FOLDERS = sorted(path.parent for path in CASES.glob("*/before.md"))
UPDATE = bool(os.environ.get("FENCERUN_UPDATE_CASES"))

_HEAD = re.compile(r"\A(fencerun tag --try), .*")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("VIRTUAL_ENV", "FENCERUN_PAGE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


def run(*, tried: bool = True, dry_run: bool = False, page: str = "page.md") -> str:
    """The exit code, and below it what `tag` prints."""
    stream = StringIO()
    code = tag(Wish((page,), tried=tried, dry_run=dry_run, without=("cuda",)), stream)
    said = _HEAD.sub(r"\1, PYTHON", stream.getvalue())
    return f"exit {code}\n{said}"


def expect(file: Path, found: bytes) -> None:
    if UPDATE:
        file.write_bytes(found)
    assert found.decode() == file.read_bytes().decode()


@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
def test_case(folder: Path, project: Path) -> None:
    shutil.copytree(folder, project, dirs_exist_ok=True)
    page = project / "page.md"
    shutil.move(project / "before.md", page)
    said = run()
    tagged = page.read_bytes()
    expect(folder / "after.md", tagged)
    expect(folder / "expected.txt", said.encode())
    again = run()
    assert page.read_bytes() == tagged, f"a second time changed it:\n{again}"
    # What a case cannot run here is never recorded, which is no success.
    code = 5 if "requires cuda" in said else 0
    assert main(["record", "page.md", "--without", "cuda"]) == code
    assert main(["check", "page.md", "--without", "cuda"]) == code


def test_there_are_cases() -> None:
    assert len(FOLDERS) >= 5


def test_a_page_of_the_real_world(project: Path) -> None:
    """From a course without any tag to a page that CI holds to its word."""
    page = project / "page.md"
    text = (CASES / "course/before.md").read_bytes()
    page.write_bytes(text.replace(b".cuda()", b".there()"))
    run()
    assert main(["record", "page.md"]) == 0
    recorded = page.read_bytes()
    assert main(["check", "page.md"]) == 0
    assert page.read_bytes() == recorded
    lines = [line for line in recorded.split(b"\r\n") if line]
    for line in text.replace(b".cuda()", b".there()").split(b"\r\n"):
        assert not line or b"```" in line or b"~~~" in line or line in lines


def test_a_dry_run_shows_and_writes_nothing(project: Path) -> None:
    (project / "page.md").write_text("```python\nx = 1\n```\n")
    said = run(tried=False, dry_run=True)
    assert said == (
        "exit 1\npage.md:1: tagged: fence 1\n--- page.md\n+++ page.md\n@@ -1,2 +1,2 @@\n"
        "-```python\n+```python fence:1\n x = 1\n"
        "page.md: 1 to be tagged, 0 left\n1 page: 1 code block to be tagged, 0 left\n"
    )
    assert (project / "page.md").read_text() == "```python\nx = 1\n```\n"
    run(tried=False)
    assert run(tried=False, dry_run=True) == "exit 0\n1 page: nothing to tag\n"


def test_a_page_with_a_problem_stays(project: Path) -> None:
    text = "```python fence:1 fence:2\nx\n```\n\n```python\ny\n```\n"
    (project / "page.md").write_text(text)
    said = run(tried=False)
    assert said.startswith("exit 3\npage.md:1: ")
    assert "page.md: left as it is\n" in said
    assert said.endswith("1 page: nothing to tag, 1 page with a problem\n")
    assert (project / "page.md").read_text() == text


def test_a_page_that_would_have_a_problem_stays(project: Path) -> None:
    text = "```python\nx = 1\n```\n\n```text\nnever closed\n"
    (project / "page.md").write_text(text)
    said = run(tried=False)
    assert said.startswith("exit 3\npage.md:5: problem: this code block is never closed")
    assert "[unclosed]" in said
    assert (project / "page.md").read_text() == text


def test_what_a_block_says_of_itself_is_safe_to_show(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "hunter2-hunter2")
    code = "import os\nraise OSError(os.environ['MY_TOKEN'] + '\\x1b[2J' + 'x' * 5000)"
    (project / "page.md").write_text(f"```python\n{code}\n```\n")
    said = run()
    assert "page.md:3: left: OSError: ***\\x1b[2Jxxx" in said
    assert "hunter2" not in said
    assert max(map(len, said.split("\n"))) < 700


def test_a_block_that_tags_its_own_page(project: Path) -> None:
    text = f"```bash\n{sys.executable} -m fencerun tag page.md\n```\n"
    (project / "page.md").write_text(text)
    said = run()
    assert "page.md:2: left: " in said
    assert " ended with status 2. " in said
    assert (project / "page.md").read_text() == text


def test_a_read_only_page(project: Path) -> None:
    page = project / "page.md"
    page.write_text("```python\ny\n```\n")
    page.chmod(0o444)
    said = run(tried=False)
    assert said.startswith("exit 2\n")
    assert "chmod u+w page.md" in said
    assert "tagged: fence" not in said
    assert said.endswith("\n1 page: 0 code blocks tagged, 0 left, 1 page not written\n")
    assert page.read_text() == "```python\ny\n```\n"


def test_a_page_that_changes_while_it_is_tried(project: Path) -> None:
    page = project / "page.md"
    page.write_text("```python\nopen('page.md', 'a').write('more\\n')\n```\n")
    said = run()
    assert said.startswith("exit 2\n")
    assert "it changed meanwhile" in said
    assert "tagged: fence" not in said
    assert page.read_text().endswith("```\nmore\n")


@pytest.mark.parametrize("target", ["page.md::3", "page.md:1"])
def test_whole_pages_only(target: str, project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "page.md").write_text("")
    assert main(["tag", target]) == 2
    assert "`tag` takes whole pages" in capfd.readouterr().err


def test_the_command_line(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "docs").mkdir()
    page = project / "docs/page.md"
    page.write_text("```python\nx\n```\n")
    assert main(["tag", "docs", "--carrier", "comment"]) == 0
    assert page.read_text() == "<!-- fence:1 -->\n```python\nx\n```\n"
    assert "docs/page.md:1: tagged: fence 1\n" in capfd.readouterr().out
