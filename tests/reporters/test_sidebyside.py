"""Diffs in two columns, in both reporters."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun import cli
from fencerun.diff import diff
from fencerun.events import FenceDone, RunStarted
from fencerun.reporters import make
from fencerun.reporters.columns import fold, width
from fencerun.reporters.details import details
from fencerun.reporters.wording import text

from .scripted import verdict

LABEL = re.compile(r"^ +recorded +printed$", re.MULTILINE)


def shown(recorded: str, printed: str, columns: int = 100, verbose: int = 0) -> list[str]:
    """The rows of a diff, label first."""
    lines = diff(recorded.split("\n"), printed.split("\n"), first_line=41)
    return [
        text(line).rstrip() for line in details(verdict("changed", diff=lines), verbose, columns)
    ]


TALL = "\n".join(map(str, range(30)))


def parts(row: str, at: int) -> tuple[str, str, str, str]:
    """Number, left side, mark and right side of a row; the right one begins in column ``at``."""
    left, *rest = fold(row, at - 3) if row else ("", "")
    right = "".join(rest)
    return left[4:6].strip(), left[9:].rstrip(), right[1:2].strip(), right[3:]


@pytest.mark.parametrize(
    ("recorded", "printed", "rows"),
    [
        ("a\nb\nc", "a\nB\nc", ["41 a   a", "42 b | B", "43 c   c"]),
        ("a\nb", "a", ["41 a   a", "42 b < "]),
        ("a", "a\nb", ["41 a   a", "  > b"]),
        ("a\nx\ny\nb", "a\nX\nb", ["41 a   a", "42 x | X", "43 y < ", "44 b   b"]),
        ("a\nx\nb", "a\nX\nY\nb", ["41 a   a", "42 x | X", "  > Y", "43 b   b"]),
        ("a\tb", "a  b", ["41 a\\tb | a  b"]),
        ("数値", "数量", ["41 数値 | 数量"]),
    ],
    ids=["changed", "removed", "added", "fewer", "more", "tab", "wide"],
)
def test_rows(recorded: str, printed: str, rows: list[str]) -> None:
    label, *found = shown(recorded, printed)
    assert re.fullmatch(r" {9}recorded +printed", label)
    split = [parts(row, label.index("printed")) for row in found]
    assert [f"{number} {left} {mark or ' '} {right}" for number, left, mark, right in split] == rows


def test_columns_stand_beneath_their_names() -> None:
    label, *rows = shown("a\n数値 1\nlong " * 3, "a\n数値 2\nlong " * 3)
    at = label.index("printed")
    for row in rows:
        place = 0
        for index, character in enumerate(row):
            if place == at:
                assert row[index - 3 : index] in (" | ", "   ")
                break
            place += width(character)
        else:
            pytest.fail(f"nothing stands there in {row!r}")


def test_equal_lines_are_left_out() -> None:
    rows = shown(TALL + "\nx", TALL + "\ny")
    assert rows[1] == "     ~ | 27 equal lines"


def test_long_lines_are_folded_and_nothing_is_lost() -> None:
    label, *rows = shown("0123456789" * 12, "9876543210" * 15)
    at = label.index("printed")
    assert "".join(row[9 : at - 3].strip() for row in rows) == "0123456789" * 12
    assert "".join(row[at:] for row in rows) == "9876543210" * 15
    assert [row[4:6] for row in rows] == ["41", *["  "] * (len(rows) - 1)]


@given(
    st.lists(st.sampled_from(["a", "b", "数値", "x" * 130, "", "\u0301", "1.5\t2"]), max_size=8),
    st.lists(st.sampled_from(["a", "b", "数値", "y" * 130, "", "\x1b[2J", "1.5\t3"]), max_size=8),
    st.integers(100, 200),
)
def test_rows_fit_and_say_all_that_differs(old: list[str], new: list[str], columns: int) -> None:
    lines = diff(old, new, first_line=1)
    found = details(verdict("changed", diff=lines), 0, columns)
    rows = [text(line).rstrip() for line in found]
    assert all(width(row) <= columns for row in rows)
    assert all(character.isprintable() for row in rows for character in row)
    roles = [span.role for line in found for span in line if span.text.strip(" |<>")]
    for mark, role in (("-", "removed"), ("+", "added")):
        told = sum(found == role for found in roles)
        assert told >= sum(line.mark == mark and bool(line.text) for line in lines)


def played(name: str, columns: int, color: bool | None = None) -> str:
    stream = io.StringIO()
    reporter = make(name, stream, width=columns, beside=True, color=color)
    reporter.handle(RunStarted("check", "", 1, 1))
    lines = diff(["a", "b"], ["a", "c"], first_line=41)
    reporter.handle(FenceDone(verdict("changed", diff=lines)))
    reporter.close()
    return stream.getvalue()


@pytest.mark.parametrize("name", ["plain", "rich"])
@pytest.mark.parametrize("columns", [99, 100])
def test_from_a_hundred_columns_on(name: str, columns: int) -> None:
    found = played(name, columns)
    assert bool(LABEL.search(found)) == (columns == 100)
    assert ("42 - | b" in found) == (columns == 99)


def test_what_is_no_terminal_has_room() -> None:
    stream = io.StringIO()
    reporter = make("plain", stream, beside=True)
    reporter.handle(RunStarted("check", "", 1, 1))
    reporter.handle(FenceDone(verdict("changed", diff=diff(["a"], ["b"], first_line=1))))
    assert LABEL.search(stream.getvalue())


def test_colours_change_no_character(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_HYPERLINK", "0")
    coloured = played("rich", 120, color=True)
    assert "\x1b[31mb" in coloured and "\x1b[32mc" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == played("rich", 120, color=False)


@pytest.mark.parametrize(
    ("columns", "words", "beside"),
    [
        ("120", ["--diff", "side-by-side"], True),
        ("90", ["--diff", "side-by-side"], False),
        (None, ["--diff=side-by-side"], True),
        ("120", ["--diff", "unified"], False),
        ("120", [], False),
    ],
)
def test_the_option(
    columns: str | None,
    words: list[str],
    beside: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    Path("p.md").write_text("```python fence:1\nprint(2)\n```\n\n```text output:1\n1\n```\n")
    assert cli.main(["check", "p.md", *words]) == 1
    assert bool(LABEL.search(capsys.readouterr().out)) == beside
