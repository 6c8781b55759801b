"""Tokens of pages, kept beside the project: an unchanged page is read as if it were parsed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fencerun import cli, parsed, reader
from fencerun.parsed import Parsed

PAGES = sorted(
    page
    for place in ("tests/cases", "docs", "lessons")
    for page in (Path(__file__).parents[2] / place).rglob("*.md")
)
PAGE = b"# a\n\n```python fence:1\nprint(1)\n```\n\n```text output:1\n1\n```\n"


class Counting:
    """Counts what was known and what was not."""

    def __init__(self, root: Path) -> None:
        self.kept = Parsed(root)
        self.known: list[bool] = []

    def tokens(self, path: str, syntax: str, data: bytes) -> Any:
        found = self.kept.tokens(path, syntax, data)
        self.known.append(found is not None)
        return found

    def keep(self, path: str, syntax: str, data: bytes, tokens: list[Any]) -> None:
        self.kept.keep(path, syntax, data, tokens)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".fencerun").mkdir()
    return tmp_path


def known(root: Path, data: bytes = PAGE, path: str = "p.md", syntax: Any = None) -> bool:
    """Whether a page is known; it is from then on."""
    counting = Counting(root)
    reader.parse(data, path, syntax, counting)
    return all(counting.known)


def test_a_page_is_known_the_second_time(root: Path) -> None:
    assert not known(root)
    assert known(root)


def test_every_page_is_read_as_if_it_were_parsed(root: Path) -> None:
    assert len(PAGES) > 100
    for page in PAGES:
        for syntax in ("commonmark", "mkdocs"):
            data = page.read_bytes()
            parsed_ = reader.parse(data, "p.md", syntax)
            known(root, data, syntax=syntax)
            counting = Counting(root)
            assert reader.parse(data, "p.md", syntax, counting) == parsed_, page
            assert counting.known == [True] * len(counting.known), page


@pytest.mark.parametrize(
    "other",
    [PAGE + b"\n", PAGE.replace(b"print(1)", b"print(2)"), b"\xef\xbb\xbf" + PAGE, PAGE[:-1]],
    ids=["longer", "other code", "a byte order mark", "shorter"],
)
def test_another_text_is_another_page(root: Path, other: bytes) -> None:
    known(root)
    assert not known(root, other)
    assert not known(root), "the newest is kept"


def test_another_syntax_is_another_reading(root: Path) -> None:
    known(root)
    assert not known(root, syntax="mkdocs")
    assert known(root)
    assert known(root, syntax="mkdocs")


def test_a_page_that_says_its_syntax_is_known_at_both_looks(root: Path) -> None:
    data = (
        b"<!-- fencerun: syntax=mkdocs -->\n\n!!! note\n\n    ```python fence:1\n    1\n    ```\n"
    )
    known(root, data)
    counting = Counting(root)
    page = reader.parse(data, "p.md", None, counting)
    assert [fence.number for fence in page.fences] == [1]
    assert counting.known == [True, True]


def test_pages_of_one_name_are_told_apart(root: Path) -> None:
    long = "d" * 80 + "/p.md"
    known(root, PAGE, "one/" + long)
    assert not known(root, PAGE + b"\n", "two/" + long)
    names = os.listdir(root / ".fencerun/parsed")
    assert len(names) == 1
    assert len(names[0].encode()) < 100


@pytest.mark.parametrize("path", ["ä" * 100 + ".md", "../../p.md", "a b\n.md", "\udcff.md"])
def test_any_name_will_do(root: Path, path: str) -> None:
    known(root, PAGE, path)
    assert known(root, PAGE, path)


def _only(root: Path) -> Path:
    (file,) = (root / ".fencerun/parsed").iterdir()
    return file


def test_a_file_that_differs_anywhere_is_ignored(root: Path) -> None:
    known(root)
    whole = _only(root).read_bytes()
    for at in range(0, len(whole), 7):
        _only(root).write_bytes(whole[:at] + bytes((whole[at] ^ 1,)) + whole[at + 1 :])
        assert Parsed(root).tokens("p.md", "commonmark", PAGE) is None, at
    for at in range(0, len(whole), 7):
        _only(root).write_bytes(whole[:at])
        assert Parsed(root).tokens("p.md", "commonmark", PAGE) is None, at
    assert not known(root)
    assert _only(root).read_bytes() == whole, "it is written anew"


SHAPES = [b"{}", b"[1]", b"[[]]", b'["a"]', b"[" * 100_000, b"null", b"", b"\xff"]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: repr(shape[:8]))
def test_what_is_no_list_of_tokens_is_ignored(root: Path, shape: bytes) -> None:
    known(root)
    kept = Parsed(root)
    head = kept._head("commonmark", PAGE)
    assert head is not None
    _only(root).write_bytes(head + parsed._checksum(shape) + b"\n" + shape)
    found = kept.tokens("p.md", "commonmark", PAGE)
    assert not found


def _replaced_by_a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _replaced_by_a_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("spoil", [_replaced_by_a_pipe, _replaced_by_a_directory, os.unlink])
def test_what_is_no_file_is_ignored(root: Path, spoil: Callable[[Path], None]) -> None:
    known(root)
    spoil(_only(root))
    assert not known(root)


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr("fencerun.__version__", "9"),
        lambda patch: patch.setattr(parsed, "_FORM", 9),
        lambda patch: patch.setattr(parsed, "_OURS", ("reader.py",)),
        lambda patch: patch.setattr(parsed, "_PARTS", ("rules_block",)),
        lambda patch: patch.setattr("sys.version_info", (3, 99, 0)),
    ],
    ids=["fencerun", "the form", "our files", "the parser's files", "Python"],
)
def test_another_maker_makes_it_anew(
    root: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[pytest.MonkeyPatch], None]
) -> None:
    known(root)
    change(monkeypatch)
    assert not known(root)


def test_the_parser_is_told_by_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site/markdown_it"
    for part in parsed._PARTS:
        (package / part).mkdir(parents=True, exist_ok=True)
        (package / part / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    before = parsed._maker()
    assert str(package) in before
    rule = package / "rules_block/__init__.py"
    os.utime(rule, ns=(1, time.time_ns() + 1))
    assert parsed._maker() != before
    now = parsed._maker()
    made = [now]
    for version in ("4.3.0", "4.3.1"):
        (package / "__init__.py").write_text(f"__version__ = '{version}'")
        os.utime(package / "__init__.py", ns=(1, 1))
        made.append(parsed._maker())
    assert len(set(made)) == 3, "also where all files are of one time"
    rule.unlink()
    rule.parent.rmdir()
    assert parsed._maker() == "", "a parser of another build is nothing that we know"


def test_a_parser_that_cannot_be_told_is_asked(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed, "_maker", lambda: "")
    assert not known(root)
    assert not known(root)
    assert not (root / ".fencerun/parsed").exists()


def test_nothing_is_written_where_no_run_has_been(tmp_path: Path) -> None:
    assert not known(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_git_ignores_it(root: Path) -> None:
    known(root)
    assert (root / ".fencerun/.gitignore").read_text() == "*\n"


def test_it_is_not_written_through_a_link(root: Path) -> None:
    elsewhere = root / "elsewhere"
    elsewhere.mkdir()
    (root / ".fencerun/parsed").symlink_to(elsewhere)
    known(root)
    assert list(elsewhere.iterdir()) == []


def test_where_nothing_can_be_written_nothing_is(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **named: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "replace", refuse)
    assert not known(root)
    assert not known(root)
    assert list((root / ".fencerun/parsed").iterdir()) == []


def test_it_does_not_grow_without_end(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed, "_MOST", 5)
    for number in range(20):
        known(root, PAGE, f"{number}.md")
        assert len(list((root / ".fencerun/parsed").iterdir())) <= 5
    assert known(root, PAGE, "19.md")


def test_a_great_page_is_not_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed, "_LARGEST", 100)
    known(root)
    assert not known(root)


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is parsed."""
    seen: list[str] = []
    real = reader._parser

    class Parser:
        def __init__(self, syntax: Any) -> None:
            self.real = real(syntax)

        def parse(self, source: str) -> Any:
            seen.append(source)
            return self.real.parse(source)

    monkeypatch.setattr(reader, "_parser", lambda syntax="commonmark": Parser(syntax))
    yield seen


def test_who_uses_it(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    parses: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A check of an unchanged page does not parse it; what writes pages always does."""
    monkeypatch.chdir(root)
    Path("p.md").write_bytes(PAGE)
    for verb, count in (("check", 1), ("check", 0), ("status", 0), ("record", 1)):
        parses.clear()
        assert cli.main([verb, "p.md"]) == 0, capsys.readouterr()
        assert (len(parses) > 0) == bool(count), verb
    Path("p.md").write_bytes(PAGE.replace(b"(1)", b"(2)"))
    assert cli.main(["check", "p.md"]) == 1
