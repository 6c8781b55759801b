"""Files that change, as the open pages are told of them."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from fencerun.live.watching import Watching

pytest.importorskip("watchfiles")


class Listener:
    """Hears of changes below a directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.heard: queue.Queue[frozenset[str] | None] = queue.Queue()

    def watched(self) -> frozenset[str]:
        below = (path for path in self.root.rglob("*") if path.is_dir())
        return frozenset(map(str, (self.root, *below)))

    def saved(self, paths: Iterable[str] | None = None) -> None:
        found = None if paths is None else frozenset(paths)
        if found is None or found:
            self.heard.put(found)

    def hears(self, path: Path) -> None:
        """Wait until it hears of a path, or that anything may have changed."""
        end = time.monotonic() + 30
        while True:
            found = self.heard.get(timeout=max(0.0, end - time.monotonic()))
            if found is None or str(path) in found:
                return

    def quiet(self) -> None:
        """Forget what it heard, once nothing new comes."""
        try:
            while True:
                self.heard.get(timeout=0.3)
        except queue.Empty:
            return


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[Listener]:
    one = Listener(tmp_path)
    with Watching(one):
        yield one


def test_what_was_saved_before_it_was_watched_is_not_missed(listener: Listener) -> None:
    assert listener.heard.get(timeout=30) is None


def test_saves_in_place_by_rename_and_deletions(listener: Listener) -> None:
    listener.quiet()
    page = listener.root / "a.md"
    page.write_text("one")
    listener.hears(page)
    listener.quiet()
    other = listener.root / "other"
    other.write_text("two")
    other.replace(page)
    listener.hears(page)
    listener.quiet()
    page.unlink()
    listener.hears(page)


def test_directories_that_come_and_go(listener: Listener) -> None:
    listener.quiet()
    new = listener.root / "new"
    for _ in range(2):
        new.mkdir()
        listener.hears(new)
        listener.quiet()
        page = new / "a.md"
        page.write_text("one")
        listener.hears(page)
        page.unlink()
        new.rmdir()
        listener.hears(new)
        listener.quiet()


def test_looking_ourselves(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    (listener.root / "new").mkdir()  # has it begin anew
    listener.quiet()
    page = listener.root / "new/a.md"
    page.write_text("one")
    listener.hears(page)


def test_a_fault_that_a_page_shows_does_not_blind_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Faulty(Listener):
        faults = 2

        def saved(self, paths: Iterable[str] | None = None) -> None:
            if self.faults and paths is not None and any(one.endswith("a.md") for one in paths):
                self.faults -= 1
                raise RecursionError("too deep")
            super().saved(paths)

    listener = Faulty(tmp_path)
    with Watching(listener):
        listener.quiet()
        (tmp_path / "a.md").write_text("one")
        listener.quiet()
        (tmp_path / "b.md").write_text("two")
        listener.hears(tmp_path / "b.md")
    assert "too deep" in capsys.readouterr().err
