"""`record --strip`: recordings go, an edit made meanwhile stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencerun import files, splice, strip

PAGE = "```python fence:1\n```\n\n```text output:1\nx\n```\n"


def test_the_page_is_read_under_its_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody saves the page just before the lock is had."""
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    lock = files.locked

    def edited_first(path: str) -> object:
        page.write_text("Edited\n\n" + PAGE)
        return lock(path)

    monkeypatch.setattr(files, "locked", edited_first)
    assert strip.off(str(page), None) == 0
    assert page.read_text() == "Edited\n\n```python fence:1\n```\n"


def test_a_dry_run_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    assert strip.off(str(page), None, dry_run=True) == 1
    assert page.read_text() == PAGE
    assert capsys.readouterr().out == f"{page}: 1 recording would be removed\n"
    page.write_text("nothing\n")
    assert strip.off(str(page), None, dry_run=True) == 0


def test_what_cannot_be_stripped_is_refused_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)

    def refuse(*_: object) -> bytes:
        raise splice.SpliceError(1, "the lines around it would run together")

    monkeypatch.setattr(strip, "splice", refuse)
    assert strip.off(str(page), None) == 1
    assert capsys.readouterr().out.startswith(f"{page}:5: refused: output:1, the lines around")
    assert page.read_text() == PAGE
