"""Outputs that a page shows already."""

from __future__ import annotations

from collections.abc import Set

import pytest

from fencerun.page import Page
from fencerun.reader import parse
from fencerun.tagging.candidates import candidates
from fencerun.tagging.echoes import echoed
from fencerun.tagging.outputs import remark, shown, tags
from fencerun.tagging.rounds import Try
from fencerun.tagging.settle import Search
from fencerun.tagging.trial import Tried
from fencerun.tagging.writing import tagged

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
        ("\ngives\n\n```\n1\n```\n", True),
        ("\n*Output*\n\n```text\n1\n```\n", True),
        ("\ngives\n\n```\n2\n```\n", None),
        ("\nThus.\n\n```\n1\n```\n", None),
        ("\n```\n2\n```\n", False),
        ("\n```json\n1\n```\n", True),
        ("\n```json\n2\n```\n", None),
        ("\n```python-output\n1\n```\n", True),
        ("\n```python-output\n2\n```\n", False),
        ("\n```console-output\n1\n```\n", True),
        ("\n```STDOUT\n2\n```\n", False),
        ("\n```ansi\n\x1b[31m1\x1b[0m\n```\n", True),
        ("\n```console\n1\n```\n", True),
        ("\n```console\n2\n```\n", False),
        ("\n```console\n$ echo 1\n1\n```\n", None),
        ("\n```pycon\n>>> 1\n1\n```\n", None),
        ("\n```pycon\n1\n```\n", True),
        ("\n```terminal\n$ ls\n```\n", None),
        ("\n```shell\n1\n```\n", True),
        ("\n```c++\n1\n```\n", True),
        ("\n```workout\n2\n```\n", None),
        ("\n```{.output}\n1\n```\n", None),
        ("\n```python\n1\n```\n", None),
        ("\nA sentence of its own.\n\n```\n1\n```\n", None),
        ("\nTwo\nlines:\n\n```\n1\n```\n", None),
        ("\n# Next:\n\n```\n1\n```\n", None),
        ("\n- item:\n\n  ```\n  1\n  ```\n", None),
        ("\n```text output:3\n1\n```\n", None),
        ("\n    1\n", True),
        ("", None),
    ],
)
def test_shown(below: str, exact: bool | None) -> None:
    page = parse((CODE + below).encode(), "page.md")
    found, _ = candidates(page)
    seen = list(shown(page, found, {1: ("1",)}))
    assert [one.exact for one in seen] == ([] if exact is None else [exact])
    fenced = exact is True and not below.startswith("\n    ")
    made = tags(page, seen, {1: 1}, "words")
    assert len(made) == fenced
    assert isinstance(tagged(page, made), bytes)


@pytest.mark.parametrize(
    ("below", "said", "remedy"),
    [
        ("```\n1\n```\n", ("1",), None),
        ("```\n2\n```\n", ("1",), "tag it `output:4` and record, or delete it"),
        ("```\n1\n```\n", (), "write `echo` beside `fence:4`"),
        ("\n    1\n", ("1",), "delete it and record"),
        ("\n    2\n", ("1",), None),
    ],
)
def test_remarks(below: str, said: tuple[str, ...], remedy: str | None) -> None:
    page = parse((CODE + below).encode(), "page.md")
    found, _ = candidates(page)
    [one] = shown(page, found[:1], {1: said})
    left = remark(one, 4, said)
    assert (left is None) == (remedy is None)
    assert left is None or (remedy or "") in left.remedy


def test_what_did_not_run_has_no_output() -> None:
    page = parse(f"{CODE}\n```\n1\n```\n".encode(), "page.md")
    found, _ = candidates(page)
    assert not list(shown(page, found, {}))


def settle(code: str, below: str, run: Try) -> list[tuple[bool, tuple[str, ...]]]:
    page = parse(f"```python\n{code}\n```\n\n```\n{below}\n```\n".encode(), "page.md")
    found, _ = candidates(page)
    search = Search(page, [], found, False, run)
    settled = search.settled()
    settled = echoed(search, settled, list(shown(page, settled.kept, settled.printed)))
    return [(one.echo, settled.printed[one.line]) for one in settled.kept]


def says(plain: str, echo: str) -> Try:
    """A trial in which every block prints ``plain``, and with `echo` also ``echo``."""

    def run(page: Page, wanted: Set[int]) -> Tried:
        lines = {}
        for fence in page.fences:
            text = plain + (echo if fence.tags.echo else "")
            lines[fence.number] = tuple(text.split())
        return Tried({}, {}, lines)

    return run


@pytest.mark.parametrize(
    ("code", "below", "plain", "echo", "expected"),
    [
        pytest.param("x", "2", "", "2", (True, ("2",)), id="its-value"),
        pytest.param("print(1)\nx", "1\n2", "1 ", "2", (True, ("1", "2")), id="both"),
        pytest.param("f()", "1", "1", "", (False, ("1",)), id="printed-anyway"),
        pytest.param("x", "3", "", "2", (False, ()), id="another-value"),
        pytest.param("print(x)", "2", "", "2", (False, ()), id="no-value"),
        pytest.param("x = 2", "2", "", "2", (False, ()), id="no-expression"),
    ],
)
def test_echo(
    code: str, below: str, plain: str, echo: str, expected: tuple[bool, tuple[str, ...]]
) -> None:
    assert settle(code, below, says(plain, echo)) == [expected]
