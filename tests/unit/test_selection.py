"""Targets of the command line."""

from __future__ import annotations

import pytest

from fencerun.errors import UsageError
from fencerun.frontmatter import PageSettings
from fencerun.members import members
from fencerun.reader import parse as read
from fencerun.selection import Target, insist, parse, requiring, selector, unmatched
from fencerun.tags import TagError

PAGE = b"""# a

```python fence:1
opt = 1
```

```python fence:2
y
```

```text output:2
9
```
"""


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("a.md", Target("a.md")),
        ("a/b.md::3", Target("a/b.md", fence=3)),
        ("a/b.md:120", Target("a/b.md", line=120)),
        ("C:\\a.md", Target("C:\\a.md")),
        ("lessons", Target("lessons")),
        ("a.md::03", Target("a.md::03")),
    ],
)
def test_parse(text: str, target: Target) -> None:
    assert parse(text) == target


@pytest.mark.parametrize(
    ("targets", "word", "numbers"),
    [
        ((), None, [1, 2]),
        ((Target("a.md"),), None, [1, 2]),
        ((Target("a.md", fence=2),), None, [2]),
        ((Target("a.md", line=3),), None, [1]),
        ((Target("a.md", line=12),), None, [2]),
        ((Target("a.md", line=1),), None, []),
        ((Target("a.md", fence=2), Target("a.md")), None, [1, 2]),
        ((), "OPT", [1]),
        ((), "a.md::2", [2]),
    ],
    ids=str,
)
def test_selector(targets: tuple[Target, ...], word: str | None, numbers: list[int]) -> None:
    found = members(read(PAGE, "a.md"), PageSettings())
    selects = selector(targets, word)
    assert [member.fence.number for member in found if selects(member)] == numbers


def test_single_fences_that_are_not_there() -> None:
    text = b"```python fence:1\nx\n```\n\n```text output:1\n1\n```\n\nprose\n"
    found = members(read(text, "a.md"), PageSettings())
    named = ["a.md", "b.md", "a.md::1", "a.md:2", "a.md:6", "a.md::2", "a.md:9", "b.md::1"]
    missing = unmatched([parse(name) for name in named], found)
    assert [str(target) for target in missing] == ["a.md::2", "a.md:9", "b.md::1"]


REQUIRING = b"""
```python fence:1 requires:cuda
```

```python fence:2 continues:1
```

```python fence:3 requires:sm>=90
```

```python fence:4 requires:rocm
```

```python fence:5 requires:gpus>=2
```

```python fence:6 requires:nvcc,wmt
```

```python fence:7 requires:torch>=2.9
```

```python fence:8 requires:python>=3.11
```

```python fence:9
```
"""


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ((), {1, 2, 3, 4, 5, 6, 7, 8, 9}),
        (("cuda",), {1, 2, 3, 5}),
        (("rocm",), {4, 5}),
        (("accelerator",), {1, 2, 3, 4, 5}),
        (("sm",), {3}),
        (("sm>=90",), {3}),
        (("sm>=80",), set()),
        (("nvcc",), {6}),
        (("wmt", "gpus"), {5, 6}),
        (("dist:torch",), {7}),
        (("python",), {8}),
        (("slow",), set()),
    ],
    ids=str,
)
def test_requiring(words: tuple[str, ...], numbers: set[int]) -> None:
    selects = requiring(words, ("wmt",))
    found = members(read(REQUIRING, "p.md"), PageSettings())
    assert {member.fence.number for member in found if selects(member)} == numbers


def test_requiring_what_is_no_capability() -> None:
    with pytest.raises(TagError, match="no such capability"):
        requiring(["cudo"])


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("x.md::x", "x.md::3"),
        ("x.md::1-3", "x.md::1"),
        ("x.md::03", "x.md::3"),
        ("x.md::", "x.md::3"),
        ("x.md::1::2", "x.md::1"),
        ("::3", "PAGE::3"),
        ("x.md:", "PAGE::3"),
    ],
)
def test_a_mistyped_id_says_what_one_looks_like(text: str, right: str) -> None:
    with pytest.raises(UsageError) as error:
        insist(parse(text))
    assert text in error.value.what
    assert f"`{right}`" in error.value.remedy


@pytest.mark.parametrize("text", ["x.md", "x.md::3", "x.md:41", "d/", "C:/x.md", "a:b.md"])
def test_an_id_is_taken(text: str) -> None:
    assert insist(parse(text)) == parse(text)
