"""Files that a page has for its fences."""

from __future__ import annotations

import pytest

from fencerun.fileblocks import clash
from fencerun.reader import parse

RUN = "```python fence:1\n```\n\n"


@pytest.mark.parametrize(
    "text",
    [
        "```cpp file:src/a.cpp\nint x;\n```\n",
        "```cpp {file=src/a.cpp}\nint x;\n```\n",
        "<!-- file:src/a.cpp -->\n\n```cpp\nint x;\n```\n",
        '```cpp title="a" file:src/a.cpp\nint x;\n```\n',
        "- ~~~ file:src/a.cpp\n  int x;\n  ~~~\n",
    ],
    ids=["words", "attributes", "comment", "foreign-words", "in-a-list-without-a-language"],
)
def test_a_file_in_each_carrier(text: str) -> None:
    text = text.replace("~~~ file", "~~~cpp file")
    page = parse((RUN + text).encode(), "page.md")
    assert page.problems == ()
    assert [(block.path, block.text) for block in page.files] == [("src/a.cpp", "int x;\n")]


@pytest.mark.parametrize(
    "path", ["../a", "a/../b", "/a", "a\\b", "a//b", "a/", "./a", "C:/a", ".", "a/."]
)
@pytest.mark.parametrize("form", ["```c file:{}\n```\n", "```c {{file={}}}\n```\n"])
def test_paths_that_are_none(path: str, form: str) -> None:
    page = parse((RUN + form.format(path)).encode())
    assert [problem.code for problem in page.problems] == ["tag"]
    assert page.files == ()


@pytest.mark.parametrize(
    "text", ["```js {file=../theirs.js}\n```\n", "<!-- file:x.js -->\n", "<!-- file: x.js -->\n"]
)
def test_without_fences_the_words_are_anothers(text: str) -> None:
    assert parse(text.encode()).problems == ()
    assert parse(text.encode()).files == ()


@pytest.mark.parametrize(
    ("one", "two"),
    [("a", "a"), ("A.py", "a.py"), ("a", "a/b"), ("a/b/c", "a/b"), ("A", "a/b")],
)
def test_files_that_cannot_both_be_there(one: str, two: str) -> None:
    assert clash(one, two)
    assert clash(two, one)


@pytest.mark.parametrize(("one", "two"), [("a", "b"), ("a", "ab"), ("a/b", "a/c"), ("a.d", "a/d")])
def test_files_that_can(one: str, two: str) -> None:
    assert clash(one, two) is None


def test_the_page_itself_is_no_file_for_its_fences() -> None:
    page = parse((RUN + "```text file:page.md\n```\n").encode(), "lessons/page.md")
    assert [problem.code for problem in page.problems] == ["file"]


def test_a_python_file_is_not_untagged() -> None:
    assert parse((RUN + "```python file:a.py\n```\n").encode()).untagged == ()
