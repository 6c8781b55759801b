"""Comparing transcripts: what differs, where, and what the block becomes."""

from __future__ import annotations

import pytest

from fencerun.compare import Rule
from fencerun.dialogue import compare, printed
from fencerun.masks import NAMED, lookup
from fencerun.transcript import parse

BLOCK = """\
>>> 1 / 3
0.333

>>> print("x")
x
>>> {}[1]
Traceback (most recent call last):
  File "<stdin>", line 1, in <module>
KeyError: 1
"""
RAISED = b"Traceback (most recent call last):\n  ...\nKeyError: %d\n"


def outcome(*outputs: bytes, rule: Rule | None = None, block: str = BLOCK):  # type: ignore[no-untyped-def]
    turns = parse("pycon", block).turns
    rule = rule or Rule()
    return compare(turns, printed(turns, outputs, rule, 1 << 16), rule)[1]


def test_equal_but_for_frames() -> None:
    found = outcome(b"0.333\n", b"x\n\n", RAISED % 1)
    assert found.equal
    assert list(found.merged) == BLOCK.rstrip("\n").split("\n")


def test_only_what_differs_is_rewritten() -> None:
    found = outcome(b"0.333\n", b"y\n", RAISED % 1)
    assert (found.kind, found.first) == ("changed", 4)
    assert list(found.merged) == BLOCK.rstrip("\n").replace("\nx\n", "\ny\n").split("\n")


def test_another_exception_is_a_change() -> None:
    found = outcome(b"0.333\n", b"x\n", RAISED % 2)
    assert not found.equal
    assert found.merged[-3:] == ("Traceback (most recent call last):", "  ...", "KeyError: 2")


@pytest.mark.parametrize("frames", [0, 1, 2, 5])
@pytest.mark.parametrize("above", ["", "text\n"])
def test_the_line_of_what_was_raised_is_that_on_the_page(frames: int, above: str) -> None:
    shown = "".join(f"  File {n}\n" for n in range(frames))
    block = f">>> f(\n... )\n{above}Traceback (most recent call last):\n{shown}KeyError: 1.5\n"
    found = outcome((above.encode() + RAISED.replace(b"%d", b"2.5")), block=block)
    assert found.first == block.split("\n").index("KeyError: 1.5")
    assert [number.line for number in found.numbers] == [found.first]


def test_a_number_that_moved() -> None:
    found = outcome(b"0.334\n", b"x\n", RAISED % 1)
    assert found.kind == "rounding"
    assert [number.line for number in found.numbers] == [1]
    assert found.proposal
    assert outcome(b"0.334\n", b"x\n", RAISED % 1, rule=Rule(rtol=0.01)).equal


def test_a_number_and_a_word_are_a_change() -> None:
    assert outcome(b"0.334\n", b"y\n", RAISED % 1).kind == "changed"


def test_what_is_typed_is_never_masked() -> None:
    rule = Rule(masks=lookup(("address",), ()))
    block = ">>> hex(0x7f3a9012)\n'0x7f3a9013'\n"
    found = outcome(b"'0x7f3a9099'\n", rule=rule, block=block)
    assert found.equal
    found = outcome(b"'0x7f3a9099' more\n", rule=rule, block=block)
    assert found.merged[0] == ">>> hex(0x7f3a9012)"
    assert "0x7f3a" not in found.merged[1]
    assert "address" in NAMED


@pytest.mark.parametrize("rule", [Rule(match="any"), Rule(match="unordered")], ids=["any", "free"])
def test_order_is_free_within_a_turn(rule: Rule) -> None:
    assert outcome(b"b\na\n", rule=rule, block=">>> f()\na\nb\n").equal


def test_lines_of_another_block_do_not_fit() -> None:
    turns = parse("pycon", BLOCK).turns
    assert not compare(turns, ["unrelated"], Rule())[1].equal
