"""`[tool.fencerun]`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fencerun.config import Project, find_root, load, place
from fencerun.configvalues import READERS
from fencerun.errors import UsageError
from fencerun.frontmatter import NAMES
from fencerun.tags import Tolerance


def project(tmp_path: Path, text: str) -> Project:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    return load(tmp_path)


def test_no_file_and_no_table_give_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path) == Project(tmp_path)
    assert project(tmp_path, "[project]\nname = 'x'\n") == Project(tmp_path)


def test_keys_are_read(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [tool.fencerun]
        paths = ["lessons", "README.md"]
        exclude = "drafts/*"
        threads = 2
        max_output = 2000
        timeout = 5
        env = { WMT_DIR = "data", N = 3 }
        masks = { run = 'run-\\d+', host = { pattern = 'node\\d', replacement = 'NODE' } }
        [tool.fencerun.pages."docs/*.md"]
        rtol = 1e-3
        [tool.fencerun.pages."docs/api/*.md"]
        echo = true
        """,
    )
    assert found.paths == ("lessons", "README.md")
    assert found.exclude == ("drafts/*",)
    assert found.threads == 2
    assert found.env == {"WMT_DIR": "data", "N": "3"}
    assert found.masks == {"run": (r"run-\d+", "<run>"), "host": (r"node\d", "NODE")}
    assert found.defaults.defaults.timeout == 5


def test_page_patterns_nest_and_the_later_wins(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        [tool.fencerun]
        timeout = 5
        [tool.fencerun.pages."docs/*.md"]
        rtol = 1e-3
        timeout = 6
        [tool.fencerun.pages."docs/a*.md"]
        timeout = 7
        """,
    )
    assert found.settings_for("README.md").defaults.timeout == 5
    assert found.settings_for("docs/b.md").defaults.timeout == 6
    special = found.settings_for("docs/a.md").defaults
    assert special.timeout == 7
    assert special.rtol == Tolerance(1e-3)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[tool.fencerun]\nthread = 2", "Did you mean `threads`"),
        ("[tool.fencerun]\nthreads = 0", "whole number"),
        ("[tool.fencerun]\npaths = 3", "list of strings"),
        ("[tool.fencerun]\nenv = 3", "no table"),
        ("[tool.fencerun]\nrtol = -1", "finite number"),
        ("[tool.fencerun]\nuntagged = 'maybe'", "ignore, warn or error"),
        ("[tool.fencerun.masks]\nx = '('", "masks.x"),
        ("[tool.fencerun.pages.'a.md']\nbogus = 1", "no setting is called `bogus`"),
        ("[tool.fencerun\n", "pyproject.toml"),
        ("[tool.fencerun.pages]\n'a.md' = 3", "pages.a.md is no table"),
        ("[tool]\nfencerun = 3", "tool.fencerun is no table"),
        ("[[tool.fencerun]]", "tool.fencerun is no table"),
        ("tool = 'fencerun'", "tool is no table"),
        ("[tool.fencerun]\nenv = {'A=B' = 'c'}", "env: 'A=B' is no variable's name"),
        ("[tool.fencerun]\nenv = {A = [1]}", "env.A is no string"),
        ("[tool.fencerun]\nrtol = 'abc'", "`rtol`: 'abc' is no number"),
        ("[tool.fencerun]\ntimeout = {a = 1}", "`timeout`: "),
        ("[tool.fencerun]\nmasks = {a = {pattern = 3}}", "masks.a.pattern is no string"),
        ("[tool.fencerun]\nmasks = {a = {patern = 'x'}}", "masks.a: no key is called `patern`"),
        ("[tool.fencerun]\nknown = {'a.md' = 'x'}", "known: 'a.md' is no fence"),
        ("[tool.fencerun]\nmasks = {run = ''}", "masks.run: it has no pattern. Write run = "),
        ("[tool.fencerun]\nmasks = {run = {}}", "masks.run: it has no pattern. Write run = "),
        ("[tool.fencerun]\nmasks = {run = 3}", "masks.run is no pattern. Write run = "),
        ("[tool.fencerun]\nmasks = {run = 'a*'}", "matches the empty string. Let it"),
        ("[tool.fencerun]\nmasks = {run = 'run'}", "matches '<run>', which replaces it"),
        ("[tool.fencerun]\nmasks = {'a,b' = 'x'}", "no name that a tag can have"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(UsageError) as error:
        project(tmp_path, text)
    assert word in str(error.value)
    assert error.value.exit_code == 2
    assert error.value.remedy
    line = text.rstrip("\n").count("\n") + 1
    assert error.value.what.startswith(f"{tmp_path / 'pyproject.toml'}:{line}: ")


VALUES = (
    *("3", "-1", "0", "true", "1.5", "nan", "1979-05-27", '"abc"', '""', '"\\u0000"'),
    *("[]", "[1]", "[[1]]", "[{a = 1}]", "{}", "{a = 1}", "{a = {b = 1}}", "{a = [1]}"),
    *("{a = {pattern = 3}}", '{a = "("}', '{"" = "x"}', '{"A=B" = "c"}', '{a = "\\u0000"}'),
)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("key", [*READERS, "pages", *NAMES])
def test_a_value_of_any_shape_is_taken_or_refused_by_the_name_of_its_key(
    tmp_path: Path, key: str, value: str
) -> None:
    try:
        project(tmp_path, f"[tool.fencerun]\n{key} = {value}\n")
    except UsageError as error:
        assert re.search(rf"pyproject.toml:2: .*\b{key}\b", error.what)
        assert error.remedy


def test_places_are_called_from_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.fencerun]\n\nthreads = 2\n")
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    assert place(tmp_path, "threads") == "pyproject.toml:3"
    assert place(tmp_path, "env", "A") == "pyproject.toml:1"
    monkeypatch.chdir("sub")
    assert place(tmp_path, "threads") == "../pyproject.toml:3"
    monkeypatch.chdir("/")
    assert place(tmp_path, "threads") == f"{tmp_path}/pyproject.toml:3"
    assert place(Path("/nowhere"), "threads") == "/nowhere/pyproject.toml"


def test_the_root_is_the_nearest_pyproject(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").touch()
    assert find_root(deep) == tmp_path / "a"
    assert find_root(tmp_path / "a") == tmp_path / "a"
