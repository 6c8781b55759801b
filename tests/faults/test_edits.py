"""A page that is edited between its reading and its writing, in every way.

The edits are made by whoever listens to the run's events: after the page was read and before the
first fence runs, or while its new text is being written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fencerun import files, launch
from fencerun.engines.base import Engine, EngineOptions
from fencerun.engines.worker import WorkerEngine
from fencerun.events import Event, PageStarted
from fencerun.request import Request


def fence(number: int, code: str = "print('new')") -> str:
    return f"```python fence:{number}\n{code}\n```\n"


def recording(number: int, text: str = "new") -> str:
    return f"\n```text output:{number}\n{text}\n```\n"


PROSE = "# Title\n\nProse.\n\n"
PAGE = PROSE + fence(1) + recording(1, "old") + "\n" + fence(2)
NEW = PROSE + fence(1) + recording(1) + "\n" + fence(2) + recording(2)

Edit = Callable[[Path], object]


class Lasting(WorkerEngine):
    """An engine that outlives the run that it was made for."""

    def close(self) -> None:
        """Not yet."""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Lasting(EngineOptions(sys.executable))
    yield engine
    WorkerEngine.close(engine)


@dataclass(slots=True)
class Run:
    """What a recording run over ``p.md`` said of its fences, by number."""

    kinds: dict[int, str]
    said: dict[int, str]


def record(engine: Engine, edit: Edit) -> Run:
    """Record ``p.md`` and have it edited after it was read."""

    def handle(event: Event) -> None:
        if isinstance(event, PageStarted):
            edit(Path("p.md"))

    request = Request("record", launch.targets(["p.md"]))
    done = launch.session(request, handle, engine=lambda _: engine, python=sys.executable).run()
    kinds = {verdict.fence: verdict.kind for verdict in done.verdicts}
    return Run(kinds, {verdict.fence: verdict.what for verdict in done.verdicts})  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    Path("p.md").write_text(PAGE)


def in_place(old: str, new: str) -> Edit:
    """An editor that writes into the file."""

    def edit(page: Path) -> None:
        text = page.read_bytes().decode()
        assert old in text
        page.write_bytes(text.replace(old, new).encode())

    return edit


def by_rename(text: str) -> Edit:
    """An editor that writes another file and moves it into place."""

    def edit(page: Path) -> None:
        page.with_name("swap").write_bytes(text.encode())
        page.with_name("swap").replace(page)

    return edit


BOTH = {1: "recorded", 2: "recorded"}
NONE = {1: "refused", 2: "refused"}

# The edit, the verdicts, and the page at the end.
EDITS: dict[str, tuple[Edit, dict[int, str], str]] = {
    "nothing": (lambda page: None, BOTH, NEW),
    "prose": (in_place("Prose.", "Better prose."), BOTH, NEW.replace("Prose.", "Better prose.")),
    "prose, by rename": (by_rename("More.\n\n" + PAGE), BOTH, "More.\n\n" + NEW),
    "a fence moved": (
        by_rename(PROSE + fence(2) + "\n" + fence(1) + recording(1, "old")),
        BOTH,
        PROSE + fence(2) + recording(2) + "\n" + fence(1) + recording(1),
    ),
    "its recording moved to the end": (
        by_rename(PROSE + fence(1) + "\n" + fence(2) + recording(1, "old")),
        BOTH,
        PROSE + fence(1) + "\n" + fence(2) + recording(2) + recording(1),
    ),
    "a fence changed": (
        by_rename(PROSE + fence(1) + recording(1, "old") + "\n" + fence(2, "print(2)")),
        {1: "recorded", 2: "refused"},
        PROSE + fence(1) + recording(1) + "\n" + fence(2, "print(2)"),
    ),
    "a fence deleted": (
        by_rename(PROSE + fence(1) + recording(1, "old")),
        {1: "recorded", 2: "refused"},
        PROSE + fence(1) + recording(1),
    ),
    "a fence renumbered": (
        in_place("fence:2", "fence:3"),
        {1: "recorded", 2: "refused"},
        PROSE + fence(1) + recording(1) + "\n" + fence(3),
    ),
    "a fence added": (
        in_place(PROSE, PROSE + fence(9) + "\n"),
        BOTH,
        NEW.replace(PROSE, PROSE + fence(9) + "\n"),
    ),
    "a recording edited": (
        in_place("\nold\n", "\nby hand\n"),
        {1: "refused", 2: "recorded"},
        NEW.replace(recording(1), recording(1, "by hand")),
    ),
    "a recording deleted": (in_place(recording(1, "old"), ""), BOTH, NEW),
    "CRLF everywhere": (in_place("\n", "\r\n"), BOTH, NEW.replace("\n", "\r\n")),
    "a byte order mark": (in_place("# Title", "\ufeff# Title"), BOTH, "\ufeff" + NEW),
    "another page": (by_rename("# Another\n"), NONE, "# Another\n"),
    "emptied": (by_rename(""), NONE, ""),
    "a conflict": (
        in_place("Prose.\n", "<<<<<<< a\nProse.\n=======\n>>>>>>> b\n"),
        NONE,
        PAGE.replace("Prose.\n", "<<<<<<< a\nProse.\n=======\n>>>>>>> b\n"),
    ),
    "an unclosed fence": (by_rename(PAGE + "```sh\n"), NONE, PAGE + "```sh\n"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_survives_and_the_rest_goes_in(name: str, engine: Engine) -> None:
    edit, kinds, text = EDITS[name]
    run = record(engine, edit)
    assert run.kinds == kinds
    assert Path("p.md").read_bytes().decode() == text
    assert {path.name for path in Path().iterdir()} <= {"p.md", ".fencerun"}


def deleted(page: Path) -> None:
    page.unlink()


def a_directory(page: Path) -> None:
    page.unlink()
    page.mkdir()


def a_pipe(page: Path) -> None:
    page.unlink()
    os.mkfifo(page)


def a_dangling_link(page: Path) -> None:
    page.unlink()
    page.symlink_to("nowhere.md")


def a_ring_of_links(page: Path) -> None:
    page.unlink()
    page.symlink_to(page.name)


def not_utf8(page: Path) -> None:
    page.write_bytes(PAGE.encode() + b"\xff\n")


GONE: dict[str, tuple[Edit, str]] = {
    "deleted": (deleted, "No such file"),
    "a directory": (a_directory, "irectory"),
    "a pipe": (a_pipe, "no regular file"),
    "a dangling link": (a_dangling_link, "No such file"),
    "a ring of links": (a_ring_of_links, "symbolic links"),
    "not UTF-8": (not_utf8, "not UTF-8"),
}


@pytest.mark.parametrize("name", GONE)
def test_a_page_that_is_no_page_any_more_is_refused_and_left(name: str, engine: Engine) -> None:
    """And above all not waited for, made anew or written through to somewhere else."""
    edit, why = GONE[name]
    run = record(engine, edit)
    assert run.kinds == NONE
    assert why in run.said[1]
    page = Path("p.md")
    assert not Path("nowhere.md").exists()
    if page.is_file():
        assert page.read_bytes() == PAGE.encode() + b"\xff\n"


def test_a_page_that_became_a_link_is_written_through_it(engine: Engine) -> None:
    def link(page: Path) -> None:
        page.rename("target.md")
        page.symlink_to("target.md")

    assert record(engine, link).kinds == BOTH
    assert Path("p.md").is_symlink()
    assert Path("target.md").read_text() == NEW


def test_the_other_name_of_a_hard_link_keeps_the_old_text(engine: Engine) -> None:
    """As with git: a copy that a backup made by linking is not written into."""
    os.link("p.md", "backup.md")
    assert record(engine, lambda page: None).kinds == BOTH
    assert (Path("p.md").read_text(), Path("backup.md").read_text()) == (NEW, PAGE)


def saving(monkeypatch: pytest.MonkeyPatch, edit: Edit, times: int = 1) -> None:
    """Have the page edited while its new text is on the way to the disk, that many times."""
    fsync, left = os.fsync, [edit] * times

    def slow(descriptor: int) -> None:
        if left:
            left.pop()(Path("p.md"))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", slow)


def again(page: Path) -> None:
    """An editor that saves once more each time."""
    page.write_text(page.read_text() + "More.\n")


@pytest.mark.parametrize(
    ("edit", "times", "kinds", "text"),
    [
        pytest.param(again, 1, BOTH, NEW + "More.\n", id="once"),
        pytest.param(again, 3, BOTH, NEW + "More.\nMore.\nMore.\n", id="three-times"),
        pytest.param(again, 99, NONE, PAGE + 5 * "More.\n", id="without-end"),
        pytest.param(by_rename("# Another\n"), 1, NONE, "# Another\n", id="by-rename"),
        pytest.param(deleted, 1, NONE, None, id="deleted"),
    ],
)
def test_a_page_saved_while_it_is_written_is_read_again(
    edit: Edit,
    times: int,
    kinds: dict[int, str],
    text: str | None,
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saving(monkeypatch, edit, times)
    run = record(engine, lambda page: None)
    assert run.kinds == kinds
    page = Path("p.md")
    assert (page.read_text() if page.exists() else None) == text
    assert not list(Path().glob(".*.tmp"))


def test_a_page_that_keeps_changing_is_named() -> None:
    with pytest.raises(
        files.PageChanged, match=r"p\.md: it was saved just as it was to be written"
    ):
        files.replace("p.md", b"new", b"another text")
    assert Path("p.md").read_text() == PAGE
