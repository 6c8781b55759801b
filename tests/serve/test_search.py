"""Looking for words in lessons."""

from __future__ import annotations

from fencerun.serve.search import MOST, search

LESSONS = (
    ("a.md", "First", "# First\n\nA zebra and a HORSE.\n\n## Zebra\n"),
    ("zebra/b.md", "Second", "Nothing here.\n"),
)


def found(words: str) -> list[tuple[str, int]]:
    return [(hit.path, hit.number) for hit in search(words, LESSONS)]


def test_names_come_first_then_headings_then_lines() -> None:
    assert found("zebra") == [("zebra/b.md", 1), ("a.md", 5), ("a.md", 3)]


def test_all_words_are_on_the_line_in_any_case() -> None:
    assert found("Horse zebra") == [("a.md", 3)]
    assert found("horse nothing") == []


def test_no_word_finds_nothing() -> None:
    assert found("") == found("  ") == []


def test_pieces_of_words_and_what_is_special_elsewhere() -> None:
    assert found("orse.") == [("a.md", 3)]
    assert found("(*[") == []


def test_there_is_an_end_to_hits() -> None:
    assert len(search("x", [("a.md", "t", "x\n" * 10_000)])) == MOST


def test_a_long_line_is_shown_around_the_word() -> None:
    (hit,) = search("needle", [("a.md", "t", "x" * 5000 + " needle " + "y" * 5000)])
    assert "needle" in hit.text
    assert hit.text.startswith("…")
    assert hit.text.endswith("…")
    assert len(hit.text) < 200


def test_lines_count_as_the_page_counts_them() -> None:
    # Only \n, \r\n and \r end a line of a page; a form feed or U+2028 does not.
    (hit,) = search("here", [("a.md", "t", "one\x0cstill one\u2028still\ntwo here\n")])
    assert hit.number == 2
