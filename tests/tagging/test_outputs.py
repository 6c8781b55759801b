"""Outputs that a page shows already."""

from __future__ import annotations

import pytest

from fencerun.reader import parse
from fencerun.tagging.candidates import candidates
from fencerun.tagging.outputs import shown, tags

CODE = "```python\nprint(1)\n```\n"


@pytest.mark.parametrize(
    ("below", "exact"),
    [
        ("```\n1\n```\n", True),
        ("\n```text\n1  \n\n```\n", True),
        ("\n```python out\n1\n```\n", True),
        ("\n```python {output}\n1\n```\n", True),
        ("\nOutput:\n\n```\n1\n```\n", True),
        ("\n**This prints:**\n\n~~~output\n1\n~~~\n", True),
        ("\n```\n2\n```\n", False),
        ("\n```json\n1\n```\n", None),
        ("\n```python\n1\n```\n", None),
        ("\nA sentence of its own.\n\n```\n1\n```\n", None),
        ("\nTwo\nlines:\n\n```\n1\n```\n", None),
        ("\n# Next:\n\n```\n1\n```\n", None),
        ("\n- item:\n\n  ```\n  1\n  ```\n", None),
        ("\n```text output:3\n1\n```\n", None),
        ("", None),
    ],
)
def test_shown(below: str, exact: bool | None) -> None:
    page = parse((CODE + below).encode(), "page.md")
    found, _ = candidates(page)
    seen = list(shown(page, found[:1], {1: ("1",)}))
    assert [one.exact for one in seen] == ([] if exact is None else [exact])
    assert len(tags(page, seen, {1: 1}, "words")) == (exact is True)


def test_what_printed_nothing_has_no_output() -> None:
    page = parse(f"{CODE}\n```\n1\n```\n".encode(), "page.md")
    found, _ = candidates(page)
    assert not list(shown(page, found, {1: ()}))
    assert not list(shown(page, found, {}))
