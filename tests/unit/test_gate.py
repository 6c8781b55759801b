"""What a page may ask for, and what runs here."""

from __future__ import annotations

import pytest

from fencerun.errors import UsageError
from fencerun.frontmatter import PageSettings
from fencerun.gate import Gate
from fencerun.reader import parse
from fencerun.tags import Tags

from .course import Machine


def gate(untagged: str = "ignore") -> Gate:
    return Gate(Machine, ("lab",), untagged)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```python fence:1 requires:lab,cuda varies:time mask:run\n```\n", []),
        ("```python fence:1 requires:labb\n```\n", [(1, "requires", "did you mean `lab`?")]),
        ("\n```python fence:1 mask:tme\n```\n", [(2, "mask", "did you mean `time`?")]),
        (
            "---\nfencerun: {requires: cudaa, varies: rnu}\n---\n",
            [(1, "requires", "did you mean `cuda`?"), (1, "varies", "did you mean `run`?")],
        ),
    ],
    ids=["known", "capability", "mask", "settings of the page"],
)
def test_unknown_names_are_problems(text: str, found: list[tuple[int, str, str]]) -> None:
    page = gate().checked(parse(text.encode(), "p.md"), {"time", "run"})
    assert [(p.line, p.code, p.remedy) for p in page.problems] == found
    assert page.broken == bool(found)


def test_problems_of_all_sources_come_in_page_order() -> None:
    text = b"```python\n```\n\n```python fence:1 varies:tme\n```\n\n```python fence:1\n```\n"
    page = gate("error").checked(parse(text, "p.md"), {"time"})
    assert [p.code for p in page.problems] == ["untagged", "varies", "number-twice"]


def test_project_settings_are_checked_too() -> None:
    good = PageSettings(defaults=Tags(requires=("lab",), varies=("time",)))
    bad = PageSettings(defaults=Tags(mask=("tme",)))
    gate().insist([("here: {}".format, good)], {"time"})
    with pytest.raises(UsageError, match="there: mask: `mask:tme`"):
        gate().insist([("here: {}".format, good), ("there: {}".format, bad)], {"time"})


def test_each_requirement_is_asked_once() -> None:
    machine = Machine()
    machine.missing = {"cuda": "no CUDA device"}
    asked = Gate(lambda: machine)  # type: ignore[arg-type, return-value]
    assert [asked.unmet("cuda"), asked.unmet("cuda")] == ["no CUDA device"] * 2
    assert machine.asked == ["cuda"]
