"""The form of messages: `path:line: what it is: what happened`, and what to do about it."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXPECTED = sorted((ROOT / "tests/cases").glob("*/*/expected.txt"))

_KINDS = (
    "failed|blocked|changed|rounding|unrecorded|edited|orphan|refused|stale|missing|expired|known"
)
VERDICT = re.compile(rf"\S.*?:[1-9]\d*: ({_KINDS}): fence [1-9]\d*, \S.*(?<![.\s])$")
PROBLEM = re.compile(r"\S.*?:[1-9]\d*: (problem|warning): \S.*[.!?:] \S.* \[[a-z-]+\]$")
LEAK = re.compile(r"\S.*?:[1-9]\d*: leak: fence [1-9]\d*, \S.*, (not )?undone$")
#: What `tag` did, and what it left, with what to do about that.
TAGGED = re.compile(r"\S.*?:[1-9]\d*: (tagged|set): \S.*(?<![.\s])$")
LEFT = re.compile(r"\S.*?:[1-9]\d*: left: \S.*[.?>`] [A-Z`]\S*.*$")
ALSO = re.compile(r"\S.*?:[1-9]\d*: also here$")

#: What begins a line and is about the run as a whole.
RUN = re.compile(
    r"exit \d$|fencerun (check|record|tag)\b|\d[\d,]* \w|no fences|interrupted: |the run broke off"
    r"|(kept|skipped|missing|stale|expired|known): |slowest|to run these again:|to go on:"
    r"|worker replaced |\d+ leaks? could|no fence (ran|was)|warning: "
    r"|\S.*: all \d+ fences passed|\S[^:]*: \d+ tagged, \d+ left"
)


def blocks(text: str) -> Iterator[list[str]]:
    """Each line that is not indented, with the indented ones below it."""
    found: list[str] = []
    for line in text.splitlines():
        if found and not line.startswith("  "):
            yield found
            found = []
        found.append(line)
    yield found


@pytest.mark.parametrize("file", EXPECTED, ids=lambda file: f"{file.parts[-3]}/{file.parts[-2]}")
def test_every_line_of_every_report(file: Path) -> None:
    for head, *below in blocks(file.read_text(encoding="utf-8")):
        if VERDICT.match(head):
            # The remedy is the last thing that stands beneath, and no quoted text.
            assert below and not re.match(r" +[\d ]*[-+~ ]*\| ", below[-1]), head
        elif not any(form.match(head) for form in (PROBLEM, LEAK, ALSO, TAGGED, LEFT, RUN)):
            pytest.fail(f"{head!r} is of no form")


def test_the_cases_have_messages_of_all_forms() -> None:
    heads = [b[0] for file in EXPECTED for b in blocks(file.read_text(encoding="utf-8"))]
    for form in (VERDICT, PROBLEM, LEAK, ALSO, TAGGED, LEFT):
        assert sum(bool(form.match(head)) for head in heads) >= 2, form.pattern


@functools.cache
def _calls() -> dict[str, list[tuple[str, ast.Call]]]:
    """Every call of the package, by the name that is called, with its place."""
    found: dict[str, list[tuple[str, ast.Call]]] = {}
    for file in sorted((ROOT / "fencerun").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                place = f"{file.relative_to(ROOT)}:{node.lineno}"
                found.setdefault(node.func.id, []).append((place, node))
    return found


def calls(name: str) -> list[tuple[str, ast.Call]]:
    """Every call of a class by its name in the package, with its place."""
    return _calls().get(name, [])


def test_every_problem_says_what_to_do() -> None:
    """`Problem(page, line, code, what, remedy)`: five arguments, wherever one is made."""
    found = calls("Problem")
    assert len(found) > 10
    bare = []
    for place, call in found:
        given = call.args[4:5] or [word.value for word in call.keywords if word.arg == "remedy"]
        starred = any(isinstance(one, ast.Starred) for one in call.args)
        if not starred and (not given or _empty(given[0])):
            bare.append(place)
    assert bare == []


def _empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == ""


def test_no_message_ends_its_sentence_twice() -> None:
    """What happened has no full stop of its own: the remedy is put behind one."""
    wrong = []
    for name, at in (("Problem", 3), ("UsageError", 0), ("TagError", 0)):
        for place, call in calls(name):
            said = call.args[at] if len(call.args) > at else None
            last = said.values[-1] if isinstance(said, ast.JoinedStr) and said.values else said
            if isinstance(last, ast.Constant) and re.search(r"[.!]\s*$", str(last.value)):
                wrong.append(place)
    assert wrong == []
