from __future__ import annotations

import pytest

from fencerun.export.cells import Code, File, Text

from .making import cells


def fences(*infos: str) -> str:
    return "\n".join(f"```python {info}\n1\n```\n" for info in infos)


def code(text: str) -> list[Code]:
    return [cell for cell in cells(text).cells if isinstance(cell, Code)]


@pytest.mark.parametrize(
    ("infos", "chains", "enters", "again"),
    [
        (["fence:1"], [1], [True], [()]),
        (["fence:1", "fence:2 continues:1"], [1, 1], [True, False], [(), ()]),
        (["fence:1", "fence:2"], [1, 2], [True, True], [(), ()]),
        (["fence:1", "fence:2", "fence:3 continues:1"], [1, 2, 1], [True] * 3, [(), (), ()]),
        (
            ["fence:1", "fence:2 continues:1", "fence:3 continues:1"],
            [1, 1, 3],
            [True, False, True],
            [(), (), (1,)],
        ),
        (
            ["fence:1", "fence:2 continues:1", "fence:3 continues:2", "fence:4 continues:2"],
            [1, 1, 1, 4],
            [True, False, False, True],
            [(), (), (), (1, 2)],
        ),
    ],
)
def test_chains(
    infos: list[str], chains: list[int], enters: list[bool], again: list[tuple[int, ...]]
) -> None:
    found = code(fences(*infos))
    assert [cell.chain for cell in found] == chains
    assert [cell.enters for cell in found] == enters
    assert [tuple(m.fence.number for m in cell.again) for cell in found] == again


def test_shells_belong_to_no_chain() -> None:
    shell = "```bash fence:2\nls\n```\n\n"
    text = fences("fence:1") + "\n" + shell + fences("fence:3 continues:1")
    assert [(cell.chain, cell.enters) for cell in code(text)] == [
        (1, True),
        (0, False),
        (1, False),
    ]
    assert cells(text).chains == 1


def test_what_does_not_run_here_says_why_and_so_does_what_continues_it() -> None:
    text = fences("fence:1 requires:cuda", "fence:2 continues:1", 'fence:3 skip:"slow"', "fence:4")
    found = [
        cell
        for cell in cells(text, lambda requirement: "no CUDA device").cells
        if isinstance(cell, Code)
    ]
    idle = [cell.idle and cell.idle.why for cell in found]
    assert idle == ["no CUDA device", "it continues fence 1: no CUDA device", "slow", None]


def test_the_way_from_chain_to_chain_is_the_same_on_every_machine() -> None:
    text = fences("fence:1", "fence:2 continues:1 requires:cuda", "fence:3 continues:1")
    here, there = cells(text), cells(text, lambda requirement: "no")
    for one, other in zip(here.cells, there.cells, strict=True):
        if isinstance(one, Code) and isinstance(other, Code):
            assert (one.chain, one.enters, one.again) == (other.chain, other.enters, other.again)


def test_page_order() -> None:
    text = "text\n\n```yaml file:a.yaml\na: 1\n```\n\nmore\n\n```python fence:7\n1\n```\n\nend\n"
    kinds = [type(cell) for cell in cells(text).cells]
    assert kinds == [Text, File, Text, Code, Text]
    assert [cell.after for cell in cells(text).cells if isinstance(cell, Text)] == [0, 0, 7]


@pytest.mark.parametrize(
    ("before", "path", "early"),
    [
        ("open('words.txt')", "a/words.txt", True),
        ("open('other.txt')", "a/words.txt", False),
        ("import words", "words.py", True),
        ("from words import x", "words.py", True),
        ("words = 1", "words.py", False),
        ("import words", "words/__init__.py", True),
        ("class A:\n    def __init__(self): ...", "words/__init__.py", False),
    ],
)
def test_files_that_a_fence_above_names_are_there_from_the_start(
    before: str, path: str, early: bool
) -> None:
    text = f"```python fence:1\n{before}\n```\n\n```text file:{path}\nx\n```\n"
    assert [file.path for file in cells(text).early] == [path] * early


def test_the_chains_to_which_the_page_comes_back() -> None:
    text = fences("fence:1", "fence:2", "fence:3 continues:1", "fence:4 continues:3", "fence:5")
    assert cells(text).resumed == (1,)
