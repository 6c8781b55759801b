"""From what is typed to what a session gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencerun import launch, state
from fencerun.errors import UsageError
from fencerun.events import Verdict
from fencerun.selection import Target
from fencerun.session import Request, Session


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENCERUN_PAGE", raising=False)
    (tmp_path / "lessons").mkdir()
    for name in ("lessons/a.md", "lessons/b.md", "x:3"):
        (tmp_path / name).write_text("```python fence:1\n```\n")
    (tmp_path / "link.md").symlink_to("lessons/a.md")


def session(*arguments: str) -> Session:
    request = Request("check", launch.targets(arguments))
    return launch.session(request, lambda event: None)


def test_a_file_of_that_very_name_wins() -> None:
    assert launch.targets(["x:3", "y:3", "lessons/a.md::7"]) == (
        Target("x:3"),
        Target("y", line=3),
        Target("lessons/a.md", fence=7),
    )


@pytest.mark.parametrize("name", ["x::3.md", "x::3", "a::/b.md", "x::y.md", "::1", "3:4"])
def test_an_id_names_its_page_whatever_that_is_called(name: str) -> None:
    """A remedy holds the id of a fence, and is there to be pasted."""
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("```python fence:7\n```\n")
    assert launch.targets([name, f"{name}::7", f"{name}:2"]) == (
        Target(name),
        Target(name, 7),
        Target(name, line=2),
    )
    assert session(f"{name}::7").names == (name,)
    with pytest.raises(UsageError, match="is no id of a fence"):
        launch.targets([f"{name}::x"])


@pytest.mark.parametrize(
    ("arguments", "names", "targets"),
    [
        (("lessons",), ("lessons/a.md", "lessons/b.md"), (Target("lessons"),)),
        (("lessons/a.md::1",), ("lessons/a.md",), (Target("lessons/a.md", 1),)),
        (
            ("lessons/a.md::1", "./lessons/a.md:1"),
            ("lessons/a.md",),
            (Target("lessons/a.md", 1), Target("lessons/a.md", line=1)),
        ),
        (("link.md", "lessons/a.md::1"), ("link.md",), (Target("link.md"), Target("link.md", 1))),
        (
            ("lessons/b.md::1", "lessons"),
            ("lessons/b.md", "lessons/a.md"),
            (Target("lessons/b.md", 1), Target("lessons/a.md"), Target("lessons/b.md")),
        ),
    ],
    ids=["directory", "fence", "two spellings", "a link to it", "directory and fence"],
)
def test_targets_are_called_as_the_pages_are(
    arguments: tuple[str, ...], names: tuple[str, ...], targets: tuple[Target, ...]
) -> None:
    made = session(*arguments)
    assert made.names == names
    assert made.request.targets == targets


def test_pages_of_the_configuration_are_called_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("pyproject.toml").write_text("[tool.fencerun]\npaths = ['lessons']\n")
    assert session().names == ("lessons/a.md", "lessons/b.md")
    monkeypatch.chdir("lessons")
    assert session().names == ("a.md", "b.md")


def test_a_page_is_refused_that_is_being_run(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = (str(Path("lessons", name).resolve()) for name in ("a.md", "b.md"))
    monkeypatch.setenv("FENCERUN_PAGE", f":{a}:{b}")
    for name in ("lessons/a.md", "lessons/b.md", "link.md", "lessons"):
        with pytest.raises(UsageError, match="runs fencerun on the page itself"):
            session(name)
    assert session("x:3").names == ("x:3",)


def test_the_gate_sees_the_variables_of_the_fences() -> None:
    Path("pyproject.toml").write_text("[tool.fencerun.env]\nLESSON_TOKEN = 'x'\n")
    assert session("lessons").gate.unmet("env:LESSON_TOKEN") is None
    assert session("lessons").gate.unmet("env:LESSON_OTHER") == "LESSON_OTHER is not set"


def test_an_engine_that_runs_elsewhere_learns_of_the_project_at_once() -> None:
    """Also where nothing is asked of its machines."""
    told: list[dict[str, object]] = []

    class Elsewhere:
        def prober(self, python: str, **said: object) -> object:
            told.append(said)
            return object()

        def __call__(self, options: object) -> object:
            raise AssertionError("nothing runs")

    launch.session(Request("check"), lambda event: None, engine=Elsewhere())  # type: ignore[arg-type]
    (said,) = told
    assert said.keys() == {"root", "table", "own", "without", "env"}
    assert said["root"] == str(Path.cwd())


@pytest.mark.parametrize("word", ["gpu", "gpus", "sm", "python"])
def test_what_fences_bound_is_left_out_by_its_name_alone(word: str) -> None:
    made = launch.session(Request("check"), lambda event: None, without=[word])
    bounded = {"gpu": "gpu:nvidia-h200", "gpus": "gpus>=1", "sm": "sm>=90", "python": "python>=3"}
    assert made.gate.unmet(bounded[word]) == "left out by --without"
    with pytest.raises(UsageError, match="--without gup: no such capability"):
        launch.session(Request("check"), lambda event: None, without=["gup"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("capabilities = {cuda = true}", "capabilities: `cuda` is a capability of fencerun's own"),
        ("capabilities = {lab = {}}", "capabilities: `lab` does not say how to find out"),
        ("requires = 'cdua'", "`requires:cdua`"),
        ("varies = 'tme'", "`varies:tme`: no mask is called `tme`"),
        ("paths = 'lesson'", "paths: lesson: no such file or directory"),
        ("pages = {'a.md' = {mask = 'tme'}}", "`mask:tme`: no mask is called `tme`"),
    ],
)
def test_a_fault_of_the_configuration_has_a_line_and_a_remedy(text: str, said: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.fencerun]\n\n{text}\n")
    with pytest.raises(UsageError) as error:
        session()
    assert error.value.what.startswith("pyproject.toml:3: ")
    assert said in error.value.what
    assert error.value.remedy


def test_what_is_gone_was_not_green_either_and_hides_nothing() -> None:
    """A fence that failed and was renumbered left `--lf` with nothing to run."""
    red = [Verdict(f"lessons/a.md::{n}", "failed", "lessons/a.md", n, 1) for n in (1, 8)]
    red.append(Verdict("gone.md::1", "failed", "gone.md", 1, 1))
    pages = {one.page: one.page for one in red}
    state.save(Path(), red, pages)
    assert launch.last_failed(Request("check")).among == frozenset({"lessons/a.md::1"})
    Path("lessons/a.md").write_text("```python fence:2\n```\n")
    assert launch.last_failed(Request("check")).among is None
    Path("lessons/a.md").write_text("```python fence:2\n```\n\n```python fence:2\n```\n")
    assert launch.last_failed(Request("check")).among == frozenset(
        {f"lessons/a.md::{n}" for n in (1, 8)}
    )


def test_an_entry_of_known_without_a_page_is_told() -> None:
    entries = ["a.md::1", "lessons/b.md::9", "sub/a.md::1", "apart/c.md::1", "d.md::2"]
    text = "".join(f'"{entry}" = "x#1"\n' for entry in entries)
    Path("pyproject.toml").write_text(
        f"[tool.fencerun]\npaths = ['lessons']\n[tool.fencerun.known]\n{text}"
    )
    Path("apart").mkdir()
    Path("apart/c.md").touch()  # named at times, by whoever runs it
    ends = "and there is no such page: delete it"
    assert session().notes == [
        f"warning: pyproject.toml:6: known lists sub/a.md::1, {ends}",
        f"warning: pyproject.toml:8: known lists d.md::2, {ends}",
    ]
    assert session("lessons/a.md").notes == []
