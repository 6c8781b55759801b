from __future__ import annotations

import re
from textwrap import indent

import pytest

from .reading import Elements, body

TOP = "<!-- fencerun: syntax=mkdocs -->\n\n"


@pytest.mark.parametrize(
    ("opener", "kind", "title"),
    [
        ("!!! note", "note", "Note"),
        ('!!! warning "Mind *this*"', "warning", "Mind *this*"),
        ('!!! tip inline end "T"', "tip", "T"),
        ('!!! danger ""', "danger", None),
    ],
)
def test_admonitions(opener: str, kind: str, title: str | None) -> None:
    found = Elements(body(f"{TOP}{opener}\n    text *em*\n\nafter\n"))
    (admonition,) = found.of_class("admonition")
    assert admonition["class"].split() == ["admonition", kind]
    assert len(found.of_class("admonition-title")) == (title is not None)
    assert title is None or title in found.text
    assert ("em", {}) in found.found
    assert found.open == [] and found.stray == []


@pytest.mark.parametrize(("opener", "opened"), [("??? note", False), ("???+ note", True)])
def test_folded_admonitions(opener: str, opened: bool) -> None:
    found = Elements(body(f"{TOP}{opener}\n    text\n"))
    (said,) = [said for tag, said in found.found if tag == "details"]
    assert ("open" in said) == opened
    assert found.stray == []


def test_tabs_that_follow_each_other_are_one_group() -> None:
    text = '=== "One"\n    a\n\n=== "Two"\n    b\n\ntext\n\n=== "Three"\n    c\n'
    found = Elements(body(TOP + text))
    assert len(found.of_class("tabs")) == 2
    assert len(found.of_class("tab")) == 3
    radios = [said for tag, said in found.found if tag == "input"]
    assert [("checked" in said) for said in radios] == [True, False, True]
    assert radios[0]["name"] == radios[1]["name"] != radios[2]["name"]
    labels = [said["for"] for tag, said in found.found if tag == "label"]
    assert labels == [said["id"] for said in radios]
    assert found.open == [] and found.stray == []


@pytest.mark.parametrize(
    "text",
    [
        '=== "A"\n    === "B"\n        x\n\n    === "C"\n        y\n\n=== "D"\n    z\n',
        '=== "A"\n    !!! note\n        x\n\n=== "B"\n    y\n',
        '!!! note\n    === "A"\n        x\n\n    === "B"\n        y\n',
        '=== "A"\n    x\n\n===! "B"\n    y\n',
        '- item\n\n    === "A"\n        x\n',
    ],
)
def test_containers_in_containers(text: str) -> None:
    found = Elements(body(TOP + text))
    assert found.open == [] and found.stray == []
    for group in found.of_class("tabs"):
        assert group
    names = [said["name"] for tag, said in found.found if tag == "input" and "checked" in said]
    assert len(names) == len(set(names)) == len(found.of_class("tabs"))


def test_a_fence_in_a_tab() -> None:
    inner = "```python fence:1\nx = 1\n```\n\n```text output:1\no\n```\n"
    shown = body(TOP + '=== "A"\n' + indent(inner, "    "))
    assert shown.index('class="tab"') < shown.index('class="fence"') < shown.index("fence-output")


def test_pages_that_are_no_mkdocs_have_no_admonitions() -> None:
    assert not Elements(body("!!! note\n    text\n")).of_class("admonition")


@pytest.mark.parametrize("kind", ["NOTE", "tip", "IMPORTANT", "WARNING", "CAUTION"])
def test_githubs_alerts(kind: str) -> None:
    found = Elements(body(f"> [!{kind}]\n> The *text*.\n\n> a quote\n"))
    (alert,) = found.of_class("admonition")
    assert kind.lower() in alert["class"]
    assert "[!" not in found.text and "The text." in found.text
    assert [tag for tag, _ in found.found].count("blockquote") == 1
    assert found.stray == []


@pytest.mark.parametrize("rest", ["", "\n> - a\n> - b", "\n>\n> The text."])
def test_an_alert_has_no_empty_paragraph(rest: str) -> None:
    shown = body(f"> [!NOTE]{rest}\n")
    assert re.search(r"<p[^>]*></p>", shown) is None


@pytest.mark.parametrize("text", ["> [!NOTE] text", "> [!OTHER]\n> x", "> text [!NOTE]", "[!NOTE]"])
def test_what_is_no_alert(text: str) -> None:
    assert not Elements(body(f"{text}\n")).of_class("admonition")


def test_task_lists() -> None:
    found = Elements(body("- [ ] a\n- [x] b\n- [X] c\n- [y] d\n- e [ ]\n"))
    boxes = [said for tag, said in found.found if tag == "input"]
    assert [("checked" in said) for said in boxes] == [False, True, True]
    assert all("disabled" in said and said["type"] == "checkbox" for said in boxes)
    assert "[y] d" in found.text and "e [ ]" in found.text
