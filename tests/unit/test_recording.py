"""The prefix that a recording's lines get; the rest of ``recording`` is tested through splices."""

from __future__ import annotations

import pytest

from fencerun.reader import parse
from fencerun.recording import prefix


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```python fence:1\n```\n", ""),
        ("  ```python fence:1\n ```\n", "  "),
        ("> ```python fence:1\n> ```\n", "> "),
        (">```python fence:1\n>```\n", "> "),
        (">>```python fence:1\n>>```\n", ">> "),
        (">\t```python fence:1\n>\t```\n", ">   "),
        ("- ```python fence:1\n  ```\n", "  "),
        ("12. a\n\n    ```python fence:1\n    ```\n", "    "),
        ("-\t```python fence:1\n\t```\n", "    "),
        ("- > ```python fence:1\n  > ```\n", "  > "),
        ("> 1. ```python fence:1\n>    ```\n", ">    "),
        ("- ~~~python fence:1 `x`\n  ~~~\n", "  "),
    ],
)
def test_prefix(text: str, expected: str) -> None:
    page = parse(text.encode())
    assert prefix(page.lines, page.fences[0].block) == expected
