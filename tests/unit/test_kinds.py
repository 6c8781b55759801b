"""What fences of each language may carry."""

from __future__ import annotations

import pytest

from fencerun.reader import parse


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```python fence:1 exit:1\n```\n", "no shell"),
        ("```pycon fence:1 exit:1\n>>> x\n```\n", "no shell"),
        ("```pycon fence:1 raises:E\n>>> x\n```\n", "transcript"),
        ("```console fence:1 as:markdown\n$ x\n```\n", "transcript"),
        ("```pycon fence:1 figure:a.svg\n>>> x\n```\n", "transcript"),
        ("```console fence:1\n```\n", "no prompt"),
        ("```pycon fence:1\nx\n>>> x\n```\n", "above its first prompt: 'x'"),
        ("```python fence:1 on:here\n```\n", "`on` on a fence"),
        ("```bash fence:1 hidden\n```\n", "readers see it"),
        ("```bash fence:1 raises:E\n```\n", "which is a shell's"),
        ("```sh fence:1 raises:E\n```\n", "which is a shell's"),
    ],
)
def test_faults(text: str, said: str) -> None:
    (problem,) = parse(text.encode()).problems
    assert said in problem.what
    assert problem.remedy


@pytest.mark.parametrize(
    "text",
    [
        "```console fence:1 exit:1 key:abcdef12.abcdef12 on:x\n$ x\n```\n",
        "```bash fence:1 exit:0\n```\n",
        "```PyCon fence:1 rtol:1e-3 continues:2 stderr\n>>> x\n```\n",
        "```pycon fence:1 echo:no\n\n>>> x\n```\n",
        "```pycon fence:1 skip:later\n>>> x\n```\n",
    ],
)
def test_no_faults(text: str) -> None:
    page = parse(("```pycon fence:2\n>>> y\n```\n\n" + text).encode())
    assert page.problems == ()
