from __future__ import annotations

from pathlib import Path

import pytest

from fencerun.export import written
from fencerun.files import NotWritten


def export(page: str = "page.md") -> bytes:
    return written.sealed(f"# {written.mark(page)}\ntext\n")


def test_an_untouched_export_of_the_page_may_go(tmp_path: Path) -> None:
    target = tmp_path / "page.py"
    written.insist(str(target), "page.md")
    target.write_bytes(export())
    written.insist(str(target), "dir/page.md")


@pytest.mark.parametrize(
    ("there", "why"),
    [
        (b"mine\n", "no export"),
        (b"", "no export"),
        (export("other.md"), "export of other.md"),
        (export() + b"more\n", "was changed"),
        (export().replace(b"text", b"Text"), "was changed"),
        (b"# fencerun export of page.md (000000000000)\n", "was changed"),
    ],
)
def test_everything_else_stays(tmp_path: Path, there: bytes, why: str) -> None:
    target = tmp_path / "page.py"
    target.write_bytes(there)
    with pytest.raises(NotWritten, match=why):
        written.insist(str(target), "page.md")
    assert target.read_bytes() == there


def test_a_directory_is_no_target(tmp_path: Path) -> None:
    with pytest.raises(NotWritten):
        written.insist(str(tmp_path), "page.md")


def test_a_mark_in_the_text_is_not_the_mark() -> None:
    mark = written.mark("page.md")
    script = written.sealed(f"# {mark}\n# {mark}\n")
    assert script.count(b"(000000000000)") == 1 and script.endswith(b"(000000000000)\n")
    book = written.sealed(f'{{"cells": "{mark}", "metadata": "{mark}"}}')
    assert book.startswith(b'{"cells": "fencerun export of page.md (000000000000)"')
    assert book.count(b"(000000000000)") == 1


@pytest.mark.parametrize("name", ["a b.md", "a--b.md", "ü>.md", "x (1).md"])
def test_any_name_can_stand_in_a_mark(tmp_path: Path, name: str) -> None:
    target = tmp_path / "x.html"
    target.write_bytes(export(name))
    assert b"--" not in export(name)
    written.insist(str(target), name)
    with pytest.raises(NotWritten, match="export of"):
        written.insist(str(target), "page.md")
