"""Pages that strangers wrote: those that lie in the environment of the tests, and our own."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from benchmarks.real_pages import SUFFIXES, Row, examine, pages

ROOT = Path(__file__).parents[2]


def test_pages_of_installed_packages_and_of_this_repository() -> None:
    """Read, tagged, recorded and stripped; the code blocks are those that cmark sees."""
    row = Row("here")
    installed = Path(sysconfig.get_paths()["purelib"])
    for directory in (ROOT / "docs", ROOT / "lessons", installed):
        for path in pages(directory):
            if path.stat().st_size < 1 << 18:
                examine(path, row)
    assert row.odd == []
    counts = row.counts
    assert counts["pages"] == counts["identical"] == counts["agreeing"] > 20
    assert counts["restored"] == counts["retagged"]


def test_a_difference_is_seen(tmp_path: Path) -> None:
    """A page on which the parsers do disagree, as a control: a tab that indents a list item."""
    page = tmp_path / f"odd{SUFFIXES[0]}"
    page.write_text("- a\n\n\t```text\n\tx\n\t```\n")
    row = Row("control")
    examine(page, row)
    assert (row.counts["pages"], row.counts["identical"], row.counts["agreeing"]) == (1, 1, 0)
    assert row.odd == [f"{page}:3: ours 3 `text` 'x\\n', cmark's 3 `text` ' x\\n'"]
