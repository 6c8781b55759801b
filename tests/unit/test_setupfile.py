"""Set-up files: named by a page or the project, part of the key, and missed when absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencerun import config, freshness
from fencerun.errors import UsageError
from fencerun.frontmatter import PageSettings
from fencerun.members import members
from fencerun.reader import parse
from fencerun.setupfile import missing

RUN = b"```python fence:1\nprint(1)\n```\n"
OWN = b"<!-- fencerun: setup=own.py -->\n\n" + RUN
FILES = {"own.py": b"import helper\n", "../up.py": b"x = 1\n", "helper.py": b"y = 1\n"}


@pytest.mark.parametrize(
    ("page", "project", "absent"),
    [
        (RUN, None, False),
        (OWN, None, False),
        (OWN, "nowhere.py", False),
        (RUN, "../up.py", False),
        (RUN, "nowhere.py", True),
        (OWN.replace(b"own", b"other"), None, True),
        (RUN.replace(b"python", b"bash"), "nowhere.py", False),
    ],
)
def test_missing(page: bytes, project: str | None, absent: bool) -> None:
    found = list(missing(parse(page), PageSettings(setup=project), FILES.get))
    assert bool(found) == absent
    assert all(problem.code == "setup" and problem.remedy for problem in found)


def parts(
    page: bytes, files: dict[str, bytes], project: str | None = None
) -> tuple[freshness.Part, ...]:
    return freshness.of_chain(members(parse(page), PageSettings(setup=project))[:1], files.get)


def names(page: bytes, files: dict[str, bytes], project: str | None = None) -> list[str]:
    return [part.name for part in parts(page, files, project)]


def test_it_is_part_of_the_key_with_what_it_imports() -> None:
    assert names(OWN, FILES) == ["code of fence 1", "set-up file own.py", "module helper.py"]
    assert names(RUN, FILES, "../up.py") == ["code of fence 1", "set-up file ../up.py"]
    assert names(RUN.replace(b"python", b"sh"), FILES, "../up.py") == ["code of fence 1"]
    marked = {**FILES, "own.py": b"\xef\xbb\xbf" + FILES["own.py"]}
    assert "module helper.py" in names(OWN, marked)


def test_its_name_is_no_part_of_the_key() -> None:
    def key(setup: str, files: dict[str, bytes]) -> str:
        return freshness.source_hash(parts(RUN, files, setup))

    assert key("a.py", {"a.py": b"x"}) == key("../b.py", {"../b.py": b"x\r\n"})
    assert key("a.py", {"a.py": b"x"}) != key("a.py", {"a.py": b"y"})


def test_the_projects_is_named_from_each_page(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.fencerun]\nsetup = "lib/all.py"\n\n'
        '[tool.fencerun.pages."deep/*"]\nsetup = "deep/own.py"\n'
    )
    (tmp_path / "lib").mkdir()
    (tmp_path / "deep").mkdir()
    (tmp_path / "lib" / "all.py").touch()
    (tmp_path / "deep" / "own.py").touch()
    project = config.load(tmp_path)
    assert project.settings_for("page.md").setup == "lib/all.py"
    assert project.settings_for("lessons/a/page.md").setup == "../../lib/all.py"
    assert project.settings_for("deep/page.md").setup == "own.py"


def test_the_projects_has_to_be_there(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.fencerun]\nsetup = "absent.py"\n')
    with pytest.raises(UsageError, match=r"absent\.py is not there"):
        config.load(tmp_path)
