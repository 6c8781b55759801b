from __future__ import annotations

import pytest

from fencerun.export.cells import Text
from fencerun.export.prose import in_dollars

from .making import cells


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (r"\(x\) and \[y = 1\]", "$x$ and $$y = 1$$"),
        ("it costs $5 and $6", r"it costs \$5 and \$6"),
        (r"`\(x\)` and `$5`", r"`\(x\)` and `$5`"),
        ("``a ` $b`` \\(c\\)", "``a ` $b`` $c$"),
        (r"\$x and \\(y", r"\$x and \\(y"),
        ("$x$ $$y$$", "$x$ $$y$$"),
        ("$`a_b`$", "$a_b$"),
        (r"\[WIP\] \(", r"\[WIP\] \("),
        ("plain *text*", "plain *text*"),
    ],
)
def test_formulas_stand_in_dollars(text: str, made: str) -> None:
    assert in_dollars(text) == made


def texts(text: str) -> list[str]:
    return [cell.markdown for cell in cells(text).cells if isinstance(cell, Text)]


FENCE = "```python fence:1\n1\n```\n"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (f"# A\n\ntext\n\n{FENCE}\nafter\n", ["# A\n\ntext", "after"]),
        (f"---\ntitle: x\n---\n\ntext\n\n{FENCE}", ["text"]),
        (f"<!-- fencerun: rtol=1e-3 -->\n\ntext\n\n{FENCE}", ["text"]),
        (f"{FENCE}\n```text output:1\n1\n```\n\nafter\n", ["after"]),
        (f"{FENCE}\nmid\n\n```text output:1\n1\n```\n\nafter\n", ["mid", "after"]),
        (f"{FENCE}\n<!-- output:1 -->\n\n| a |\n|---|\n\n<!-- /output:1 -->\n\nb\n", ["b"]),
        ("<!-- fence:1 hidden\n1\n-->\n\ntext\n", ["text"]),
        ("<!-- fence:1 -->\n\n```python\n1\n```\n\ntext\n", ["text"]),
        (f"{FENCE}\n```yaml file:a.yaml\na: 1\n```\n\ntext\n", ["text"]),
        ("```python fence:none\nx\n```\n", ["```python\nx\n```"]),
        ("```text\n$5 \\(x\\)\n```\n", ["```text\n$5 \\(x\\)\n```"]),
        ("", []),
    ],
)
def test_prose_is_what_lies_between_blocks(text: str, made: list[str]) -> None:
    assert texts(text) == made


def test_what_follows_a_fence_in_a_list_is_no_code() -> None:
    block = "    ```python fence:1\n    1\n    ```\n\n"
    text = f"1. first\n\n{block}    more\n\n      deeper\n\n2. second\n"
    assert texts(text) == ["1. first", "more\n\n  deeper\n\n2. second"]


def test_values_are_their_text() -> None:
    text = f"{FENCE}\nIt is <span data-fence=\"1:x\" data-format='d'>4</span>, and `<span>`.\n"
    assert texts(text) == ["It is 4, and `<span>`."]


def test_mkdocs_containers_are_unfolded() -> None:
    text = (
        "<!-- fencerun: syntax=mkdocs -->\n\n"
        '!!! note "Mind"\n    text\n\n    ```python fence:1\n    1\n    ```\n\n    more\n\nafter\n'
    )
    assert texts(text) == ["**Mind**\n\ntext", "more\n\nafter"]
